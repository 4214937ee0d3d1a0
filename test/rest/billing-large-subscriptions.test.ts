import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import { organizationEm } from '../../kernel/records/organization-filter.ts';
import { HOUR_MS } from '../../kernel/values/days.ts';
import { dueOf } from '../../subgraphs/billing/subscriptions/account-subscriptions.ts';
import { BillingSubscription } from '../../subgraphs/billing/subscriptions/subscription.entity.ts';
import { nextDateOf } from '../../subgraphs/billing/subscriptions/subscription.events.ts';
import { SubscriptionCharge } from '../../subgraphs/billing/subscriptions/subscription-charge.entity.ts';
import { SubscriptionItem } from '../../subgraphs/billing/subscriptions/subscription-item.entity.ts';
import { outlookOf } from '../../subgraphs/billing/subscriptions/subscription-outlook.ts';
import { type BilledTenant, billedTenant, orderService } from '../billing.setup.ts';
import { clock, eventually, onRig, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';

/** Values of the columns of a subscription item that differ from the columns of the first item. */
interface ItemColumns {
  state: string;
  starts_at?: Date;
  period_start?: Date | null;
  billed_until?: Date;
  auto_renew?: boolean;
  late_usage_due_at?: Date | null;
}

/** Copies the item of the tenant's first service. Each copy bills a service of its own. */
async function addItems({ tenant, serviceId }: BilledTenant, items: readonly ItemColumns[]): Promise<void> {
  const columns = items.map((item) => ({ ...item, id: newId('subscriptionItem'), service_id: newId('service') }));
  await (await rows()).query(
    `insert into "billing"."subscription_item" select (json_populate_record(i, c)).* from "billing"."subscription_item" i, json_array_elements($3::json) c
     where i."organization_id" = $1 and i."service_id" = $2`,
    [tenant.organizationId, serviceId, JSON.stringify(columns)],
  );
}

/** Copies the charge of the tenant's first service, as a charge that no invoice contains yet. */
async function addPending(organizationId: string, { kind, from }: { kind: string; from: Date }): Promise<void> {
  const to = new Date(from.getTime() + HOUR_MS);
  const unbilled = { billed_at: null, invoice_id: null, position: null };
  const columns = { ...unbilled, kind, id: newId('subscriptionCharge'), period_start: from, from_at: from, period_end: to, to_at: to };
  await (await rows()).query(
    `insert into "billing"."subscription_charge" select (json_populate_record(c, $2::json)).* from "billing"."subscription_charge" c
     where c."organization_id" = $1 and c."billed_at" is not null`,
    [organizationId, JSON.stringify(columns)],
  );
}

test('an event about a subscription with many services has the 100 newest of them, their number, and the next invoice date of all', async () => {
  const billed = await billedTenant();
  const { tenant, accountId } = billed;
  const first = new Date(clock.now().getTime() + HOUR_MS);
  await addItems(billed, [
    { state: 'active', billed_until: first },
    ...Array.from({ length: 120 }, () => ({ state: 'active', billed_until: new Date(first.getTime() + HOUR_MS) })),
  ]);
  const { service } = await orderService(tenant, accountId);
  const updated = await eventually(async () => {
    const { data } = await tenant.graphql(
      '{ events(filter: { event: ["subscription.updated"] }, page: { limit: 1 }) { nodes { payload } } }',
    );
    const payload = data.events.nodes[0]?.payload;
    const subscription = payload && JSON.parse(payload).data.subscription;
    return subscription?.services_total === 123 && subscription;
  });
  expect(updated.services).toHaveLength(100);
  expect(updated.services.at(-1)).toMatchObject({ service_id: service.id, period_end: expect.any(String) });
  expect(updated.next_invoice_date).toBe(first.toISOString());
  const { data } = await tenant.graphql(
    `{ subscriptions(filter: { accountId: "${accountId}" }) { nodes { nextInvoiceDate items { serviceId } } } }`,
  );
  expect(data.subscriptions.nodes[0].items).toHaveLength(123);
  expect(data.subscriptions.nodes[0].nextInvoiceDate).toBe(first.toISOString());
});

test('the figures about random items and charges of a subscription are the same from the database as from the loaded records', async () => {
  const billed = await billedTenant();
  const { organizationId } = billed.tenant;
  // before the times of the first item, so that the earliest time is one of the random ones
  const time = fc.integer({ min: 0, max: 1000 }).map((hours) => new Date(Date.UTC(2025, 0, 1) + hours * HOUR_MS));
  const item: fc.Arbitrary<ItemColumns> = fc.record({
    state: fc.constantFrom('planned', 'active', 'ended'),
    starts_at: time,
    period_start: fc.option(time),
    billed_until: time,
    auto_renew: fc.boolean(),
    late_usage_due_at: fc.option(time),
  });
  const pending = fc.record({ kind: fc.constantFrom('recurring', 'proration'), from: time });
  const platform = await rig();
  const { orm } = platform.assembly.stores.billing;
  await onRig(platform, () =>
    fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 8 }), fc.option(pending), async (items, charge) => {
        const database = await rows();
        await database.query('delete from "billing"."subscription_charge" where "organization_id" = $1 and "billed_at" is null', [
          organizationId,
        ]);
        if (charge) await addPending(organizationId, charge);
        await database.query('delete from "billing"."subscription_item" where "organization_id" = $1 and "service_id" <> $2', [
          organizationId,
          billed.serviceId,
        ]);
        const consistent = items.map((one) => (one.state === 'ended' ? one : { ...one, late_usage_due_at: null }));
        await addItems(billed, consistent);
        const em = organizationEm(orm, organizationId);
        const subscription = await em.findOneOrFail(BillingSubscription, { accountId: billed.accountId });
        const loaded = await em.find(SubscriptionItem, { subscriptionId: subscription.id });
        const charges = await em.find(SubscriptionCharge, { subscriptionId: subscription.id, billedAt: null });
        const live = loaded.filter(({ state }) => state !== 'ended').length;
        expect(await outlookOf(em, subscription)).toEqual({ live, billDueAt: dueOf(loaded, charges), nextDate: nextDateOf(loaded) });
      }),
      { numRuns: 50 },
    ),
  );
});
