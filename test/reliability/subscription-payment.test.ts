import { expect, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import { eventually } from '../rig.ts';
import type { Json } from '../tenant.ts';
import type { BillingProcess } from './billing-world.ts';
import { react, revenueOf, type ServiceState, SubscriptionWorld } from './subscription-world.ts';

interface Agreed {
  world: SubscriptionWorld;
  process: BillingProcess;
  service: ServiceState;
}

/** Creates a service for 310 a month since 1 March, in an account without automatic payment. */
async function opened(): Promise<Agreed> {
  const world = await SubscriptionWorld.open();
  world.clock.set(new Date('2026-03-01T00:00:00Z'));
  const process = await world.start();
  const service = { id: newId('service'), accountId: world.account(), price: 310, provisionedAt: world.clock.now() };
  world.services.set(service.id, { accountId: service.accountId, currency: 'USD' });
  await react(process, world.event('provisioned', service, service.provisionedAt));
  return { world, process, service };
}

async function run({ process }: Agreed, source: string, variables: object): Promise<Json> {
  const { data, errors } = await process.execute(source, { ...variables });
  expect(errors).toBeUndefined();
  return data as Json;
}

async function addMethod(of: Agreed, cardToken: string): Promise<string> {
  const query = 'mutation ($id: ID!, $input: PaymentMethodInput!) { addPaymentMethod(accountId: $id, input: $input) { id } }';
  return (await run(of, query, { id: of.service.accountId, input: { cardToken } })).addPaymentMethod.id;
}

const CREATE = 'mutation ($input: RecurringBillingInput!) { createRecurringBilling(input: $input) { id } }';
const inputOf = ({ service: { id: serviceId, accountId } }: Agreed, more: object): object => ({
  input: { accountId, services: [{ serviceId }], ...more },
});

async function moveTo({ world }: Agreed, time: string): Promise<void> {
  world.clock.set(new Date(time));
  const due = `select from "billing"."subscription" where "bill_due_at" <= $1
    union all select from "billing"."collection" where "charge_due_at" <= $1 union all select from "billing"."payment" where "status" = 'pending'`;
  await eventually(async () => (await world.rows(due, world.clock.now())).length === 0);
}

const payments = ({ world }: Agreed): Promise<object[]> =>
  world.rows(
    `select p."status", p."payment_method_id" as "method", i."subscription_id" as "subscription"
     from "billing"."payment" p join "billing"."invoice" i on i."id" = p."invoice_id" order by p."id"`,
  );

test('the payment method of a subscription pays its invoices on their due dates, and pays no other invoices', async () => {
  const of = await opened();
  const method = await addMethod(of, 'tok_visa');
  const { id } = (await run(of, CREATE, inputOf(of, { paymentMethodId: method, startDate: '2026-03-16T00:00:00Z' })))
    .createRecurringBilling;
  await moveTo(of, '2026-03-16T02:00:00Z');
  expect(await payments(of)).toEqual([]);
  await moveTo(of, '2026-04-15T12:00:00Z');
  expect(await payments(of)).toEqual([{ status: 'successful', method, subscription: id }]);
});

test('a new payment method of a subscription immediately pays due invoices, and a detached payment method pays nothing', async () => {
  const of = await opened();
  const [declined, method] = [await addMethod(of, 'tok_chargeDeclined'), await addMethod(of, 'tok_visa')];
  const { id } = (await run(of, CREATE, inputOf(of, { paymentMethodId: declined, startDate: '2026-03-16T00:00:00Z' })))
    .createRecurringBilling;
  await moveTo(of, '2026-03-16T02:00:00Z');
  await moveTo(of, '2026-04-15T12:00:00Z');
  expect(await payments(of)).toEqual([{ status: 'failed', method: declined, subscription: id }]);
  const change = 'mutation ($id: ID!, $input: SubscriptionUpdateInput!) { updateSubscription(id: $id, input: $input) { id } }';
  await run(of, change, { id, input: { paymentMethodId: method } });
  await moveTo(of, '2026-04-15T12:01:00Z');
  expect((await payments(of))[1]).toEqual({ status: 'successful', method, subscription: id });
  const detach = 'mutation ($account: ID!, $id: ID!) { detachPaymentMethod(accountId: $account, id: $id) { id } }';
  await run(of, detach, { account: of.service.accountId, id: method });
  await moveTo(of, '2026-04-16T02:00:00Z');
  await moveTo(of, '2026-05-20T12:00:00Z');
  expect(await payments(of)).toHaveLength(2);
  const { errors } = await of.process.execute(change, { id, input: { paymentMethodId: method, autoRenew: true } });
  expect(errors?.[0]?.extensions.code ?? errors).toBe('RESOURCE_NOT_FOUND');
});

test('if the end of a service is reported after another subscription took the service over, both subscriptions credit the unused time', async () => {
  const of = await opened();
  await run(of, CREATE, inputOf(of, { startDate: '2026-03-16T00:00:00Z' }));
  await moveTo(of, '2026-03-16T02:00:00Z');
  await react(of.process, of.world.event('decommissioned', of.service, new Date('2026-03-11T00:00:00Z')));
  expect(await revenueOf(of.world, of.service.accountId)).toBe('100');
});
