import type { EntityManager } from '../../../kernel/database/database.ts';

/** `due_at` of what is due whatever a clock says: an event must not wait because a clock was set back. */
export const AT_ONCE = `timestamptz 'epoch'`;

/**
 * Has webhooks delivered to, as part of the transaction that makes their deliveries due. It writes each row also where it says
 * so already: that is what makes a lease that is just ending wait for this commit (DeliveryStore.release). In the order of their ids, as
 * everyone who takes several does.
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
