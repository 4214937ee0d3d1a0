import { DateTime } from 'luxon';
import { describe, expect, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import { HOUR_MS } from '../../kernel/values/days.ts';
import { eventually } from '../rig.ts';
import type { Json } from '../tenant.ts';
import type { BillingProcess } from './billing-world.ts';
import { linesOf, react, type ServiceState, SubscriptionWorld } from './subscription-world.ts';

interface Billed {
  world: SubscriptionWorld;
  process: BillingProcess;
  service: ServiceState;
}

/** Creates an account in a time zone, with a service for 310 a month that is provisioned at noon of a local day. */
async function billed(day: string, zone: string): Promise<Billed> {
  const world = await SubscriptionWorld.open();
  const provisionedAt = DateTime.fromISO(`${day}T12:00:00`, { zone }).toJSDate();
  world.clock.set(provisionedAt);
  const process = await world.start();
  return { world, process, service: { id: newId('service'), accountId: world.account(zone), price: 310, provisionedAt } };
}

const provision = ({ world, process, service }: Billed): Promise<void> =>
  react(process, world.event('provisioned', service, service.provisionedAt));

async function run<T = Json>({ process }: Billed, source: string, variables: object): Promise<T> {
  const { data, errors } = await process.execute(source, { ...variables });
  expect(errors).toBeUndefined();
  return data as T;
}

const setBillingDay = (of: Billed, billingDay: number | null): Promise<Json> =>
  run(
    of,
    'mutation ($id: ID!, $input: BillingPreferencesUpdateInput!) { updateBillingPreferences(accountId: $id, input: $input) { billingDay } }',
    {
      ...{ id: of.service.accountId, input: { billingDay } },
    },
  );

/** Moves the clock to two hours after a local midnight, and waits until no billing work is due. */
async function moveTo({ world }: Billed, day: string, zone: string): Promise<void> {
  world.clock.set(new Date(DateTime.fromISO(day, { zone }).toMillis() + 2 * HOUR_MS));
  const due = 'select from "billing"."subscription" where "bill_due_at" <= $1';
  await eventually(async () => (await world.rows(due, world.clock.now())).length === 0);
}

/** Returns the lines of all invoices: the first local day, the day after the last local day, and the amount. */
async function periods({ world }: Billed, zone: string): Promise<(string | number | null)[][]> {
  const local = (date: Date): string | null => DateTime.fromJSDate(date, { zone }).toISODate();
  return (await linesOf(world)).map(({ period_start: start, period_end: end, amount }) => [local(start), local(end), Number(amount)]);
}

describe('the billing day of an account', () => {
  test.each(['America/New_York', 'America/Santiago', 'Pacific/Apia'])(
    'a service of an account with billing day 31 is charged a share until this day, and then whole months of 28 to 31 days (%s)',
    async (zone) => {
      const of = await billed('2027-12-10', zone);
      await setBillingDay(of, 31);
      await provision(of);
      await moveTo(of, '2028-04-30', zone);
      expect(await periods(of, zone)).toEqual([
        // 21 of the 31 days from 30 November on
        ['2027-12-10', '2027-12-31', 210],
        ['2027-12-31', '2028-01-31', 310],
        ['2028-01-31', '2028-02-29', 310],
        ['2028-02-29', '2028-03-31', 310],
        ['2028-03-31', '2028-04-30', 310],
        ['2028-04-30', '2028-05-31', 310],
      ]);
    },
  );

  test('services move to the billing day of the account with their next periods, and are on one invoice from then on', async () => {
    const zone = 'Europe/Berlin';
    const of = await billed('2026-01-29', zone);
    await provision(of);
    const other = { ...of, service: { ...of.service, id: newId('service'), price: 280 } };
    await moveTo(of, '2026-02-05', zone);
    await react(of.process, of.world.event('provisioned', { ...other.service, provisionedAt: of.world.clock.now() }, of.world.clock.now()));
    await setBillingDay(of, 15);
    await moveTo(of, '2026-04-15', zone);
    expect(await periods(of, zone)).toEqual([
      ['2026-01-29', '2026-02-28', 310],
      ['2026-02-05', '2026-03-05', 280],
      // 15 of the 28 days from 15 February on
      ['2026-02-28', '2026-03-15', 166.07],
      // 10 of the 28 days from 15 February on
      ['2026-03-05', '2026-03-15', 100],
      ...[310, 280].map((amount) => ['2026-03-15', '2026-04-15', amount]),
      ...[310, 280].map((amount) => ['2026-04-15', '2026-05-15', amount]),
    ]);
    const numbers = (await linesOf(of.world)).map(({ number }) => number);
    expect(numbers.slice(4)).toEqual(['INV-1005', 'INV-1005', 'INV-1006', 'INV-1006']);
  });

  test('after the billing day of an account is removed, services keep the day on which they are billed', async () => {
    const of = await billed('2026-01-10', 'UTC');
    await setBillingDay(of, 20);
    await provision(of);
    await setBillingDay(of, null);
    await moveTo(of, '2026-02-20', 'UTC');
    expect(await periods(of, 'UTC')).toEqual([
      ['2026-01-10', '2026-01-20', 100],
      ['2026-01-20', '2026-02-20', 310],
      ['2026-02-20', '2026-03-20', 310],
    ]);
  });

  test.each([1, 29, 30, 31])(
    'the preview of the next invoice of an account with a new billing day %i contains the share until this day',
    async (day) => {
      const zone = 'America/Santiago';
      const of = await billed('2027-12-25', zone);
      await provision(of);
      await setBillingDay(of, day);
      const query =
        'query ($id: ID!) { billingAccount(accountId: $id) { nextInvoice { date estimate } } invoicePreview(accountId: $id) { date amount } }';
      const { billingAccount, invoicePreview } = await run(of, query, { id: of.service.accountId });
      await moveTo(of, '2028-01-25', zone);
      const [, next] = await linesOf(of.world);
      expect(billingAccount.nextInvoice.estimate).toBe(Number(next?.amount));
      expect(invoicePreview).toEqual([{ date: billingAccount.nextInvoice.date, amount: Number(next?.amount) }]);
    },
  );
});

describe('the preview of a change of a subscription', () => {
  const PREVIEW = `query ($id: ID!, $input: SubscriptionUpdateInput!) {
    subscriptionChangePreview(id: $id, input: $input) { date currency subtotal amount creditApplied lines { serviceId quantity unitPrice amount } }
  }`;
  const CHANGE = 'mutation ($id: ID!, $input: SubscriptionUpdateInput!) { updateSubscription(id: $id, input: $input) { revision } }';

  test('a preview of a subscription change shows the next invoice with the credit of the replaced period, and stores nothing', async () => {
    const of = await billed('2026-03-01', 'UTC');
    await provision(of);
    await payFirst(of);
    const { id: serviceId, accountId } = of.service;
    of.world.services.set(serviceId, { accountId, currency: 'USD' });
    const { createRecurringBilling: agreed } = await run(
      of,
      'mutation ($input: RecurringBillingInput!) { createRecurringBilling(input: $input) { id revision } }',
      { input: { accountId, services: [{ serviceId }], startDate: new Date('2026-03-16T00:00:00Z') } },
    );
    const input = { services: [{ serviceId, billingCycle: 'QUARTERLY' }] };
    const before = await state(of.world);
    const [preview, ...others] = (await run(of, PREVIEW, { id: agreed.id, input })).subscriptionChangePreview;
    expect(await state(of.world)).toEqual(before);
    expect(others).toEqual([]);
    expect(preview).toMatchObject({
      ...{ date: '2026-03-16T00:00:00.000Z', currency: 'USD', subtotal: 930, amount: 930, creditApplied: 160 },
      lines: [{ serviceId, quantity: 3, unitPrice: 310, amount: 930 }],
    });
    const { updateSubscription } = await run(of, CHANGE, { id: agreed.id, input });
    expect(updateSubscription.revision).toBe(agreed.revision + 1);
    await moveTo(of, '2026-03-16', 'UTC');
    const [issued] = await of.world.rows<object>(
      'select "amount"::float as "amount", "credit_applied"::float as "creditApplied" from "billing"."invoice" order by "number" desc limit 1',
    );
    expect(preview).toMatchObject(issued as object);
  });

  test('a preview of a subscription change is refused with the same error as the change', async () => {
    const of = await billed('2026-03-01', 'UTC');
    await provision(of);
    const [automatic] = await of.world.rows<{ id: string }>('select "id" from "billing"."subscription"');
    const refused = async (id: string | undefined, input: object): Promise<unknown> =>
      (await of.process.execute(PREVIEW, { id, input })).errors?.[0]?.extensions.code;
    expect(await refused(automatic?.id, { autoRenew: false })).toBe('INVALID_STATE');
    expect(await refused(automatic?.id, { services: [{ serviceId: newId('service') }] })).toBe('RESOURCE_NOT_FOUND');
    expect(await refused(newId('subscription'), { autoRenew: true })).toBe('RESOURCE_NOT_FOUND');
  });
});

/** Pays the first invoice, so that a credit note for it becomes credit of the account. */
async function payFirst(of: Billed): Promise<void> {
  const [invoice] = await of.world.rows<{ id: string }>('select "id" from "billing"."invoice"');
  const input = { invoiceId: invoice?.id, amount: 310, paymentMethod: { cardToken: 'tok_visa' } };
  await run(of, 'mutation ($input: PaymentInput!) { createPayment(input: $input) { id } }', { input });
}

/** Returns all billing records that a preview could change. */
async function state(world: SubscriptionWorld): Promise<object[][]> {
  const tables = [
    'subscription',
    'subscription_item',
    'subscription_charge',
    'invoice',
    'credit_note',
    'account_balance',
    'ledger_transfer',
  ];
  return Promise.all(
    [...tables, 'invoice_counter', 'outbox'].map((table) => world.rows<object>(`select * from "billing"."${table}" order by 1`)),
  );
}
