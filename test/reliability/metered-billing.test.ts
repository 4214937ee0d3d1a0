import { expect, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import { DAY_MS, HOUR_MS } from '../../kernel/values/days.ts';
import { lockAccount } from '../../subgraphs/billing/subscriptions/account-lock.ts';
import { eventually } from '../rig.ts';
import { seeded } from '../support/random-values.ts';
import type { Json } from '../tenant.ts';
import type { BillingProcess } from './billing-world.ts';
import { linesOf, react, type ServiceState, SubscriptionWorld } from './subscription-world.ts';

/** The embedded database has only one session, in which nothing waits for locks. */
const ON_SERVER = process.env.TEST_DATABASE_URL !== undefined;

const at = (text: string): Date => new Date(text);

interface Metered {
  world: SubscriptionWorld;
  process: BillingProcess;
  service: ServiceState;
}

/** Creates a service that begins on 1 March, with a usage price of 1 per minute. */
async function metered(included = 0): Promise<Metered> {
  const world = await SubscriptionWorld.open();
  world.clock.set(at('2026-03-01T00:00:00Z'));
  const process = await world.start();
  const accountId = world.account();
  const service = { id: newId('service'), accountId, price: 310, provisionedAt: world.clock.now() };
  const fields = { accountId, type: 'INTERNET', serviceType: 'fiber', currency: 'USD', account: { timezone: 'UTC' } };
  world.services.set(service.id, fields);
  const input = { metric: 'VOICE_MINUTES', currency: 'USD', model: 'PER_UNIT', unitPrice: 1, included };
  const set = await process.execute('mutation ($input: UsagePriceInput!) { setUsagePrice(input: $input) { id } }', { input });
  expect(set.errors).toBeUndefined();
  await react(process, world.event('provisioned', service, service.provisionedAt));
  return { world, process, service };
}

/** Moves the clock, and waits until no billing work is due. */
async function moveTo({ world }: Metered, time: string): Promise<void> {
  world.clock.set(at(time));
  const due = 'select from "billing"."subscription" where "bill_due_at" <= $1';
  await eventually(async () => (await world.rows(due, world.clock.now())).length === 0);
}

/** Records minutes of usage at the given times, as a metering system would. */
async function speak({ process, service: { id: serviceId } }: Metered, used: Record<string, number>): Promise<void> {
  const events = Object.entries(used).map(([time, quantity]) => ({
    ...{ id: newId('event'), serviceId, metric: 'voice_minutes', quantity, timestamp: at(time) },
  }));
  const { data, errors } = await process.execute(
    'mutation ($events: [UsageEventInput!]!) { recordUsage(events: $events) { accepted refused { reason } } }',
    { events },
  );
  expect([errors, data]).toEqual([undefined, { recordUsage: { accepted: events.length, refused: [] } }]);
}

/** Changes the price of the service now. */
const reprice = ({ world, process, service }: Metered, price = 620): Promise<void> =>
  react(process, world.event('modified', { ...service, price }, world.clock.now()));

/** Creates an agreed subscription that bills the service from a day on. Returns the id of the subscription. */
async function agree({ process, service }: Metered, startDate: string): Promise<string> {
  const input = { accountId: service.accountId, services: [{ serviceId: service.id }], startDate };
  const { data, errors } = await process.execute(
    'mutation ($input: RecurringBillingInput!) { createRecurringBilling(input: $input) { id } }',
    { input },
  );
  expect(errors).toBeUndefined();
  return (data as Json).createRecurringBilling.id;
}

/** Cancels an agreed subscription now. */
async function cancel({ process }: Metered, id: string): Promise<void> {
  const { errors } = await process.execute('mutation ($id: ID!) { cancelSubscription(id: $id, at: NOW) { id } }', { id });
  expect(errors).toBeUndefined();
}

/** Returns the days with usage that was not billed. */
const unbilled = ({ world }: Metered): Promise<object[]> =>
  world.rows('select "day"::text, "quantity", "billed_quantity" from "billing"."usage_day" where "quantity" <> "billed_quantity"');

/** Returns the amounts of all usage lines, in the order of the invoices. */
const billedUsage = async ({ world }: Metered): Promise<number[]> =>
  (await linesOf(world)).filter(({ kind }) => kind === 'usage').map(({ amount }) => Number(amount));

/** Returns the starts of the periods whose price was invoiced. */
const billedPeriods = async ({ world }: Metered): Promise<string[]> =>
  (await linesOf(world)).filter(({ kind }) => kind === 'recurring').map(({ period_start: start }) => start.toISOString().slice(0, 10));

test('usage on the day of a price change is billed once', async () => {
  const of = await metered();
  await moveTo(of, '2026-03-11T12:00:00Z');
  await reprice(of);
  await moveTo(of, '2026-03-21T00:00:00Z');
  await speak(of, { '2026-03-11T10:00:00Z': 10, '2026-03-20T10:00:00Z': 5 });
  await moveTo(of, '2026-04-01T02:00:00Z');
  expect(await billedUsage(of)).toEqual([15]);
});

test('a price change within a period does not grant the included usage of the period a second time', async () => {
  const of = await metered(100);
  await moveTo(of, '2026-03-11T12:00:00Z');
  await reprice(of);
  await moveTo(of, '2026-03-21T00:00:00Z');
  await speak(of, { '2026-03-05T10:00:00Z': 60, '2026-03-20T10:00:00Z': 60 });
  await moveTo(of, '2026-04-01T02:00:00Z');
  expect(await billedUsage(of)).toEqual([20]);
});

test('late usage of the day of a price change is on the next invoice, and later periods are billed', async () => {
  const of = await metered();
  await moveTo(of, '2026-03-11T12:00:00Z');
  await reprice(of);
  await speak(of, { '2026-03-11T10:00:00Z': 10 });
  await moveTo(of, '2026-04-01T02:00:00Z');
  await speak(of, { '2026-03-11T09:00:00Z': 7 });
  await moveTo(of, '2026-05-01T02:00:00Z');
  await moveTo(of, '2026-06-01T02:00:00Z');
  expect(await billedUsage(of)).toEqual([10, 7]);
  expect(await billedPeriods(of)).toEqual(['2026-03-01', '2026-04-01', '2026-05-01', '2026-06-01']);
});

test('usage of the day on which a service leaves a subscription is billed once, with the included usage of that period', async () => {
  const of = await metered(100);
  const id = await agree(of, '2026-03-01T00:00:00Z');
  await moveTo(of, '2026-03-11T12:00:00Z');
  await speak(of, { '2026-03-05T10:00:00Z': 90, '2026-03-11T10:00:00Z': 20 });
  await cancel(of, id);
  await moveTo(of, '2026-03-11T12:30:00Z');
  expect(await billedUsage(of)).toEqual([10]);
  await moveTo(of, '2026-03-21T00:00:00Z');
  // 7 minutes belong to the ended period, 105 to the next one
  await speak(of, { '2026-03-11T16:00:00Z': 7, '2026-03-20T10:00:00Z': 105 });
  await moveTo(of, '2026-05-01T02:00:00Z');
  expect(await billedUsage(of)).toEqual([10, 7, 5]);
  expect(await unbilled(of)).toEqual([]);
});

/**
 * Returns the next invoice as the billing account shows it, and as the first preview shows it. The billing account computes an estimate;
 * the preview runs the billing in a transaction that is rolled back.
 */
async function nextInvoices(of: Metered): Promise<[Json, Json]> {
  const { world, process, service } = of;
  const { accountId } = service;
  const query = `query ($id: ID!, $at: DateTime) {
    billingAccount(accountId: $id) { nextInvoice { date estimate currency } }
    invoicePreview(accountId: $id, at: $at) { date estimate: amount currency }
  }`;
  const { data, errors } = await process.execute(query, { id: accountId, at: new Date(world.clock.now().getTime() + 390 * DAY_MS) });
  expect(errors).toBeUndefined();
  const { billingAccount, invoicePreview } = data as Json;
  if (ON_SERVER) expect(await whileLocked(of, () => previews(of))).toEqual(await previews(of));
  return [billingAccount.nextInvoice, invoicePreview[0] ?? null];
}

/** Returns the previews of all invoices of more than a year. The lines of an invoice are in any order. */
async function previews({ world, process, service: { accountId } }: Metered): Promise<Json[]> {
  const query = `query ($id: ID!, $at: DateTime) {
    invoicePreview(accountId: $id, at: $at) { date currency subtotal taxAmount amount lines { description kind quantity amount periodStart periodEnd } }
  }`;
  const { data, errors } = await process.execute(query, { id: accountId, at: new Date(world.clock.now().getTime() + 390 * DAY_MS) });
  expect(errors).toBeUndefined();
  const invoices: Json[] = (data as Json).invoicePreview;
  return invoices.map(({ lines, ...invoice }) => ({ ...invoice, lines: lines.map((line: Json) => JSON.stringify(line)).sort() }));
}

/** Runs `act` while another transaction holds all locks of the account. */
const whileLocked = <T>({ world, service }: Metered, act: () => Promise<T>): Promise<T> =>
  world.store.orm.em.fork().transactional(async (tx) => {
    await lockAccount(tx, world.organizationId, service.accountId);
    for (const table of ['subscription', 'subscription_item', 'billing_account', 'invoice', 'invoice_counter', 'account_balance'])
      await tx.execute(`select from "billing"."${table}" for update`);
    return act();
  });

/** Ends the service now. */
const end = ({ world, process, service }: Metered): Promise<void> =>
  react(process, world.event('decommissioned', service, world.clock.now()));

test('usage that arrives after its service has ended is billed once, when its next period would have begun', async () => {
  const of = await metered(100);
  await moveTo(of, '2026-03-20T12:00:00Z');
  await speak(of, { '2026-03-05T10:00:00Z': 60, '2026-03-20T10:00:00Z': 60 });
  await end(of);
  expect(await billedUsage(of)).toEqual([20]);
  await speak(of, { '2026-03-20T11:00:00Z': 7 });
  await moveTo(of, '2026-03-31T23:00:00Z');
  expect(await billedUsage(of)).toEqual([20]);
  await moveTo(of, '2026-04-01T02:00:00Z');
  expect(await billedUsage(of)).toEqual([20, 7]);
  await moveTo(of, '2026-12-01T02:00:00Z');
  expect(await billedUsage(of)).toEqual([20, 7]);
  expect(await unbilled(of)).toEqual([]);
});

test('usage that arrives on the last of the 60 days after the end of its service is billed', async () => {
  const of = await metered();
  await moveTo(of, '2026-03-20T12:00:00Z');
  await end(of);
  await moveTo(of, '2026-05-19T11:30:00Z');
  await speak(of, { '2026-03-20T11:45:00Z': 7 });
  await moveTo(of, '2026-05-20T02:00:00Z');
  expect(await billedUsage(of)).toEqual([7]);
  const states = 'select "status", "bill_due_at" from "billing"."subscription"';
  expect(await of.world.rows(states)).toEqual([{ status: 'cancelled', bill_due_at: null }]);
});

test('late usage of an ended service is on one invoice with the other services of its account', async () => {
  const of = await metered();
  const { world, process, service } = of;
  await react(process, world.event('provisioned', { ...service, id: newId('service') }, service.provisionedAt));
  await moveTo(of, '2026-03-20T12:00:00Z');
  await end(of);
  await speak(of, { '2026-03-20T11:00:00Z': 7 });
  await moveTo(of, '2026-04-01T02:00:00Z');
  const lines = await linesOf(world);
  expect(lines.slice(-2).map(({ kind, number }) => [kind, number])).toEqual([
    ['recurring', 'INV-1003'],
    ['usage', 'INV-1003'],
  ]);
});

test('the next invoice of an account whose service has ended contains the late usage of this service', async () => {
  const of = await metered();
  await moveTo(of, '2026-03-20T12:00:00Z');
  await end(of);
  expect(await nextInvoices(of)).toEqual([null, null]);
  await speak(of, { '2026-03-20T11:00:00Z': 7 });
  const expected = { date: '2026-04-01T01:00:00.000Z', estimate: 7, currency: 'USD' };
  expect(await nextInvoices(of)).toEqual([expected, expected]);
});

test.runIf(ON_SERVER)('the next invoice of an account can be read while the recurring run bills the account', async () => {
  const of = await metered();
  const { process, service } = of;
  const query = 'query ($id: ID!) { billingAccount(accountId: $id) { nextInvoice { estimate } } }';
  const answer = await whileLocked(of, () => process.execute(query, { id: service.accountId }));
  expect(answer).toMatchObject({ data: { billingAccount: { nextInvoice: { estimate: 310 } } } });
  expect(answer.errors).toBeUndefined();
});

test.runIf(ON_SERVER)(
  'a preview is not delayed and has the credit of the account while another transaction changes the account',
  async () => {
    const of = await metered();
    const { process, service } = of;
    const grant = 'mutation ($id: ID!, $input: CreditInput!) { grantCredit(accountId: $id, input: $input) { id } }';
    const input = { amount: 700, currency: 'USD', reason: 'Outage' };
    expect((await process.execute(grant, { id: service.accountId, input })).errors).toBeUndefined();
    const query = 'query ($id: ID!, $at: DateTime) { invoicePreview(accountId: $id, at: $at) { amount creditApplied } }';
    const at = new Date(of.world.clock.now().getTime() + 100 * DAY_MS);
    const preview = () => process.execute(query, { id: service.accountId, at });
    const free = await preview();
    const start = performance.now();
    const locked = await whileLocked(of, preview);
    expect(performance.now() - start).toBeLessThan(5_000);
    expect(locked).toEqual(free);
    expect((free.data as Json).invoicePreview.map(({ creditApplied }: Json) => creditApplied)).toEqual([310, 80, 0]);
  },
);

test.runIf(ON_SERVER)(
  'a preview does not wait for other invoices of the organization, and other invoices do not wait for the preview',
  async () => {
    const { world, process, service } = await metered();
    const query = 'query ($id: ID!) { invoicePreview(accountId: $id) { amount } }';
    const answer = await world.store.orm.em.fork().transactional(async (tx) => {
      await tx.execute('select from "billing"."invoice_counter" for update');
      return process.execute(query, { id: service.accountId });
    });
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toEqual({ invoicePreview: [{ amount: 310 }] });
  },
);

test.each([1, 2, 3])(
  'the usage of each day is billed once, regardless of when prices and subscriptions change and usage arrives (seed %i)',
  async (seed) => {
    const random = seeded(seed);
    const of = await metered();
    const { world } = of;
    let [used, subscription] = [0, null as string | null];
    for (let step = 0; step < 20; step += 1) {
      await moveTo(of, new Date(world.clock.now().getTime() + Math.ceil(random() * 8 * 24) * HOUR_MS).toISOString());
      const now = world.clock.now().getTime();
      const what = random();
      if (what < 0.3) await reprice(of, 100 + Math.floor(random() * 500));
      else if (what < 0.5) {
        if (subscription) await cancel(of, subscription);
        subscription = subscription ? null : await agree(of, new Date(now + Math.floor(random() * 20) * DAY_MS).toISOString());
      }
      const began = of.service.provisionedAt.getTime();
      for (let event = 0; event < 2; event += 1) {
        const quantity = 1 + Math.floor(random() * 50);
        // half of the events are of the same day
        const age = random() < 0.5 ? random() * HOUR_MS * 12 : random() * 55 * DAY_MS;
        await speak(of, { [new Date(Math.max(began, now - age)).toISOString()]: quantity });
        used += quantity;
      }
      const [estimated, previewed] = await nextInvoices(of);
      expect(estimated).toEqual(previewed);
    }
    await end(of);
    await moveTo(of, new Date(world.clock.now().getTime() + 5 * DAY_MS).toISOString());
    await speak(of, { [new Date(world.clock.now().getTime() - 6 * DAY_MS).toISOString()]: 11 });
    await moveTo(of, new Date(world.clock.now().getTime() + 65 * DAY_MS).toISOString());
    used += 11;
    expect(await unbilled(of)).toEqual([]);
    expect((await billedUsage(of)).reduce((sum, amount) => sum + amount, 0)).toBe(used);
  },
);
