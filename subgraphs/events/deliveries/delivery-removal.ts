import type { EntityManager, Rows } from '../../../kernel/database/database.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import { deleteExpired } from '../../../kernel/work/retention.ts';

const QUEUE = 'events.delivery-removal';

interface RemovalJob {
  webhookId: string;
}

/**
 * Deletes the deliveries of a deleted webhook in a job. There may be millions of deliveries, so the request that
 * deletes the webhook does not wait for the job.
 */
export class DeliveryRemoval {
  constructor(
    private readonly rows: Rows,
    private readonly jobs: Jobs,
  ) {
    jobs.define<RemovalJob>(QUEUE, ({ webhookId }) => this.#run(webhookId));
  }

  async enqueue(tx: EntityManager, webhookId: string): Promise<void> {
    const job: RemovalJob = { webhookId };
    await this.jobs.enqueue(tx, QUEUE, job);
  }

  async #run(webhookId: string): Promise<void> {
    const left = `select 1 from "events"."delivery" where "webhook_id" = $1 limit 1`;
    // repeated until no row is left, because `deleteExpired` skips a row while the result of its attempt is being
    // written
    while ((await this.rows.query(left, [webhookId])).length > 0)
      await deleteExpired(this.rows, { table: 'events.delivery', where: '"webhook_id" = $1', values: [webhookId] });
  }
}
