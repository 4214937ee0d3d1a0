import type { Rows } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { DELIVERY_CHANNEL } from './delivery-feed.ts';

/** The attempts of so long are told at once: a NOTIFY makes commits wait for each other and wakes every connection that listens. */
const GATHERED_MS = 20;

/** Tells every process that attempts were recorded. Where that is lost, followers find them when they next look by themselves. */
export class DeliveryAnnouncement {
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly rows: Rows,
    private readonly log: Logger,
  ) {}

  soon(): void {
    this.#timer ??= setTimeout(() => void this.#tell(), GATHERED_MS).unref();
  }

  async #tell(): Promise<void> {
    this.#timer = undefined;
    try {
      await this.rows.query(`select pg_notify('${DELIVERY_CHANNEL}', '')`, []);
    } catch (error) {
      this.log.debug({ err: error }, 'recorded deliveries could not be announced');
    }
  }
}
