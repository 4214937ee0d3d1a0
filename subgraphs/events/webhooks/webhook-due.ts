import type { EntityManager } from '../../../kernel/database/database.ts';

/** Value of `due_at` that is due by any clock. A new event must not wait because a clock was set back. */
export const AT_ONCE = `timestamptz 'epoch'`;

/**
 * Marks webhooks as due, in the transaction that makes their deliveries due. Writes each row even if it is marked already,
 * because this makes a lease that is being released wait for the commit (DeliveryStore.release). Rows are locked in the order of
 * their ids, as everywhere.
 */
export async function dueNow(tx: EntityManager, webhookIds: readonly string[]): Promise<void> {
  if (webhookIds.length === 0) return;
  const webhook = `"${tx.config.getAll().schema}"."webhook"`;
  await tx.execute(
    `update ${webhook} w set "due_at" = ${AT_ONCE} from (
       select "id" from ${webhook} where "id" in (${webhookIds.map(() => '?').join(', ')}) order by "id" for no key update
     ) l where l."id" = w."id"`,
    [...webhookIds],
  );
}
