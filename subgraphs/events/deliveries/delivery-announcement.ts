import type { Rows } from '../../../kernel/database/database.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import { DELIVERY_CHANNEL } from './delivery-feed.ts';

/**
 * Minimum time between two notifications. A NOTIFY makes commits wait for each other, and wakes all processes that
 * listen.
 */
const GATHERED_MS = 20;

/**
 * Notifies all processes that delivery attempts were recorded. If a notification is lost, the live streams read the
 * attempts at their next poll.
 */
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
      this.log.debug({ err: error }, 'the notification of recorded deliveries failed');
    }
  }
}
