import type { Clock } from '../../../kernel/clock.ts';
import type { Rows } from '../../../kernel/database.ts';
import type { Logger } from '../../../kernel/log.ts';
import { Upkeep } from '../../../kernel/upkeep.ts';

const EVERY_MS = 600_000;
const DAY_MS = 86_400_000;
/** What one statement deletes: nobody waits for it long. */
const BATCH = 1_000;

export interface NotificationRetentionDeps {
  rows: Rows;
  clock: Clock;
  log: Logger;
  /** How long it is kept what notifications say. */
  notificationRetentionDays: number;
}

/** Forgets what notifications said; that they were sent, to whom and under which subject stays with the ticket. */
export class NotificationRetention {
  readonly #upkeep: Upkeep;

  constructor(private readonly deps: NotificationRetentionDeps) {
    this.#upkeep = new Upkeep({ name: 'support.notifications', everyMs: EVERY_MS, log: deps.log }, () => this.purge());
  }

  start(): void {
    this.#upkeep.start();
  }

  stop(): Promise<void> {
    return this.#upkeep.stop();
  }

  async purge(): Promise<void> {
    const { rows, clock, notificationRetentionDays } = this.deps;
    const before = new Date(clock.now().getTime() - notificationRetentionDays * DAY_MS);
    let deleted: object[];
    do {
      deleted = await rows.query(
        `delete from "support"."notification_content" where "id" in (
           select "id" from "support"."notification_content" where "created_at" < $1 order by "created_at" limit ${BATCH}
         ) returning 1`,
        [before],
      );
    } while (deleted.length === BATCH);
  }
}
