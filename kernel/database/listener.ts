import pg from 'pg';
import type { Logger } from '../log/log.ts';
import type { StatementNames } from './statements.ts';

const RECONNECT_MS = 1000;
const CONNECT_TIMEOUT_MS = 5000;

type Callback = (payload: string) => void;

/** How long a poll waits for a lock: notifications are not delivered meanwhile. */
const POLL_LOCK_TIMEOUT_MS = 200;
/**
 * A connection on which a poll takes longer is lost: it takes about a millisecond. Counted in ticks of the event loop, so that a
 * process that was starved for seconds reads the response that is there, and does not take its own stall for a lost connection.
 */
const PATIENCE_TICKS = 5;
const TICK_MS = 1000;

/**
 * Hears NOTIFY on a server, all channels over one connection: the server wakes every connection that listens to anything for every
 * notification. A lost connection is opened again, and every callback told so that nothing is missed. The same connection polls
 * for work, which shows within seconds whether it still leads anywhere.
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

  /** @throws the driver's error where the first connection cannot be opened */
  async listen(channel: string, callback: Callback): Promise<void> {
    const others = this.#callbacks.get(channel);
    this.#callbacks.set(channel, [...(others ?? []), callback]);
    const isFirst = !this.#opening;
    await this.#open();
    // the first is listened to by the connection as it is opened, as all are when it is opened again
    if (!isFirst && !others) await this.#listenOn(this.#client, channel);
  }

  /** Where the connection is lost, or being given up, the one that is opened in its place listens to the channel with all others. */
  async #listenOn(client: pg.Client | undefined, channel: string): Promise<void> {
    try {
      await client?.query(`listen "${channel}"`);
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.severity !== 'FATAL') throw error;
      this.log.debug({ err: error, channel }, 'Not listened to before the connection is back');
    }
  }

  /** Runs a prepared statement that needs no lock anybody holds for long. @throws the driver's error; the connection is then opened again where it was lost */
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
      // no word of the server: whatever the driver thinks, notifications do not arrive either
      if (!(error instanceof pg.DatabaseError)) void client.end();
      throw error;
    } finally {
      clearInterval(watch);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#client?.end();
  }

  /** The first connection; one that is lost is opened again by itself. */
  async #open(): Promise<void> {
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
    // only a connection that stood can be lost; one that never did is tried again by who tried it
    client.on('end', () => {
      if (this.#client === client) this.#client = undefined;
      this.#retrySoon();
    });
    const listens = [...this.#callbacks.keys()].map((channel) => `listen "${channel}"`);
    // a channel that is added from now on is listened to behind these
    this.#client = client;
    await client.query([`set jit = off; set lock_timeout = ${POLL_LOCK_TIMEOUT_MS}`, ...listens].join('; '));
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
