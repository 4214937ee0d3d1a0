import type { EntityManager } from '../../../kernel/database/database.ts';

/**
 * Value of `due_at` that is in the past for every clock, so that the webhook is due immediately. A new event must not
 * wait because a clock was set back.
 */
export const AT_ONCE = `timestamptz 'epoch'`;

/**
 * Marks webhooks as due. Must be called in the transaction that makes deliveries of these webhooks due. Updates the row
 * of each webhook, even if the webhook is already due. So a concurrent `DeliveryStore.release` waits for the commit of
 * this transaction. Locks rows in the order of their ids, as all other transactions do.
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
