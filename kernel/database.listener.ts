import pg from 'pg';
import type { Logger } from './log.ts';

const RECONNECT_MS = 1000;

type Callback = (payload: string) => void;

/**
 * Hears NOTIFY on a server, all channels over one connection: the server wakes every connection that listens to anything for every
 * notification. A lost connection is opened again, and every callback told so that nothing is missed.
 */
export class DatabaseListener {
  readonly #callbacks = new Map<string, Callback[]>();
  #client: pg.Client | undefined;
  #opening: Promise<void> | undefined;
  #isClosed = false;

  constructor(
    private readonly url: string,
    private readonly log: Logger,
  ) {}

  /** @throws the driver's error where the first connection cannot be opened */
  async listen(channel: string, callback: Callback): Promise<void> {
    const others = this.#callbacks.get(channel);
    this.#callbacks.set(channel, [...(others ?? []), callback]);
    const isFirst = !this.#opening;
    this.#opening ??= this.#connect();
    await this.#opening;
    // the first is listened to by the connection as it is opened, as all are when it is opened again
    if (!isFirst && !others) await this.#client?.query(`listen "${channel}"`);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#client?.end();
  }

  async #connect(): Promise<void> {
    const client = new pg.Client({ connectionString: this.url, keepAlive: true });
    client.on('notification', ({ channel, payload = '' }) => {
      for (const callback of this.#callbacks.get(channel) ?? []) callback(payload);
    });
    client.on('error', (error) => this.log.warn({ err: error }, 'listening connection lost'));
    await client.connect();
    // only a connection that stood can be lost; one that never did is tried again by who tried it
    client.on('end', () => this.#retrySoon());
    for (const channel of this.#callbacks.keys()) await client.query(`listen "${channel}"`);
    this.#client = client;
  }

  #retrySoon(): void {
    if (!this.#isClosed) setTimeout(() => void this.#retry(), RECONNECT_MS).unref();
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
