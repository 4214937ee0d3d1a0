import pg from 'pg';
import type { Logger } from '../log/log.ts';
import type { StatementNames } from './statements.ts';

const RECONNECT_MS = 1000;
const CONNECT_TIMEOUT_MS = 5000;

type Callback = (payload: string) => void;

/** Time for which a poll waits for a lock. Notifications are not delivered during the wait. */
const POLL_LOCK_TIMEOUT_MS = 200;
/** A NOTIFY need not wait for the disk: it reports work that is committed already. */
const SESSION = `set jit = off; set lock_timeout = ${POLL_LOCK_TIMEOUT_MS}; set synchronous_commit = off`;
/**
 * Number of timer ticks that a poll may take before the connection counts as lost. A poll normally takes about a millisecond. Ticks are
 * counted instead of time because the process may be blocked for seconds: no ticks occur while it is blocked, and a response that arrived
 * in the meantime is still read.
 */
const PATIENCE_TICKS = 5;
const TICK_MS = 1000;

/**
 * Receives NOTIFY from a server. One connection serves all channels, because the server wakes every listening connection for every
 * notification. A lost connection is reopened. After that, every callback is called, because notifications may have been missed. The same
 * connection sends notifications and polls for work, so a lost connection is detected within seconds.
 */
export class DatabaseListener {
  readonly #callbacks = new Map<string, Callback[]>();
  #client: pg.Client | undefined;
  #opening: Promise<void> | undefined;
  #retrying: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(
    private readonly url: string,
    private readonly names: StatementNames,
    private readonly log: Logger,
  ) {}

  /**
   * Calls `callback` for every notification on `channel`.
   * @throws Error of the driver if the first connection cannot be opened
   */
  async listen(channel: string, callback: Callback): Promise<void> {
    const others = this.#callbacks.get(channel);
    this.#callbacks.set(channel, [...(others ?? []), callback]);
    const isFirst = !this.#opening;
    await this.#open();
    // opening the connection also starts to listen to the channels in #callbacks, so the first call needs no statement
    if (!isFirst && !others) await this.#listenOn(this.#client, channel);
  }

  /**
   * Sends LISTEN for a channel. If the connection is lost or closing, the next connection listens to this channel too.
   */
  async #listenOn(client: pg.Client | undefined, channel: string): Promise<void> {
    try {
      await client?.query(`listen "${channel}"`);
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.severity !== 'FATAL') throw error;
      this.log.debug({ err: error, channel }, 'the channel is listened to after the connection is reopened');
    }
  }

  /**
   * Runs a prepared statement, which waits at most `POLL_LOCK_TIMEOUT_MS` for a lock.
   * @throws Error of the driver; if the connection was lost, it is reopened
   */
  async tuples(text: string, values: readonly unknown[]): Promise<unknown[][]> {
    await this.#open();
    const client = this.#client;
    if (!client) throw new Error('The listening connection is lost and not back yet.');
    let ticks = 0;
    const watch = setInterval(() => {
      ticks += 1;
      if (ticks === PATIENCE_TICKS) void client.end();
    }, TICK_MS);
    try {
      const { rows } = await client.query<unknown[]>({ name: this.names.of(text), text, values: [...values], rowMode: 'array' });
      return rows;
    } catch (error) {
      // without a response from the server, notifications may be lost too, so the connection is closed and reopened,
      // even if the driver reports no problem
      if (!(error instanceof pg.DatabaseError)) void client.end();
      throw error;
    } finally {
      clearInterval(watch);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    // a connection that is being opened is ended when it is open
    await this.#opening?.catch(() => undefined);
    await this.#client?.end();
  }

  /** Opens the first connection. A lost connection is reopened automatically. */
  async #open(): Promise<void> {
    if (this.#isClosed) throw new Error('The database is closed.');
    this.#opening ??= this.#connect();
    try {
      await this.#opening;
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url,
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    });
    client.on('notification', ({ channel, payload = '' }) => {
      for (const callback of this.#callbacks.get(channel) ?? []) callback(payload);
    });
    client.on('error', (error) => this.log.warn({ err: error }, 'listening connection lost'));
    await client.connect();
    if (this.#isClosed) {
      await client.end();
      return;
    }
    // reopens only a connection that was established; if opening fails, the caller retries
    client.on('end', () => {
      if (this.#client === client) this.#client = undefined;
      this.#retrySoon();
    });
    const listens = [...this.#callbacks.keys()].map((channel) => `listen "${channel}"`);
    // set before the statement below, so that channels that are added while it runs are listened to on this client
    this.#client = client;
    await client.query([SESSION, ...listens].join('; '));
  }

  #retrySoon(): void {
    if (this.#isClosed || this.#retrying) return;
    this.#retrying = setTimeout(() => {
      this.#retrying = undefined;
      void this.#retry();
    }, RECONNECT_MS).unref();
  }

  async #retry(): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.#connect();
      for (const callback of [...this.#callbacks.values()].flat()) callback('');
    } catch (error) {
      this.log.debug({ err: error }, 'listening connection not back yet');
      this.#retrySoon();
    }
  }
}
