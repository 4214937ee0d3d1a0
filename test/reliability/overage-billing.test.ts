import { expect, test } from 'vitest';
import type { LoggedEvent } from '../../kernel/events/events.ts';
import { newId } from '../../kernel/records/ids.ts';
import { DAY_MS, HOUR_MS } from '../../kernel/values/days.ts';
import { eventually } from '../rig.ts';
import { seeded } from '../support/random-values.ts';
import type { Json } from '../tenant.ts';
import type { BillingProcess } from './billing-world.ts';
import { linesOf, react, revenueOf, SubscriptionWorld } from './subscription-world.ts';

const at = (text: string): Date => new Date(text);
let sources = 0;

interface Overage {
  quantity: number;
  unitPrice?: string;
  usedAt?: Date;
}

/** Returns the event with which the identity domain charges an account for overage, in the form of the event log. */
function overage(world: SubscriptionWorld, accountId: string, { quantity, unitPrice = '0.001', usedAt }: Overage): LoggedEvent {
  sources += 1;
  const { organizationId } = world;
  const data = {
    ...{ account_id: accountId, metric: 'api_calls', quantity, unit_price: unitPrice, currency: 'USD' },
    ...{ used_at: (usedAt ?? world.clock.now()).toISOString(), source: `org_1/2026-03/${sources}` },
  };
  const event = 'overage.recorded';
  const id = newId('event');
  const occurredAt = world.clock.now();
  const payload = JSON.stringify({ id, event, timestamp: occurredAt, organization_id: organizationId, data });
  return { id, sequence: '1', organizationId, event, subject: { type: 'Organization', id: 'org_1' }, accountId, occurredAt, payload };
}

async function opened(now = '2026-03-10T12:00:00Z'): Promise<{ world: SubscriptionWorld; process: BillingProcess }> {
  const world = await SubscriptionWorld.open();
  world.clock.set(at(now));
  return { world, process: await world.start() };
}

/** Moves the clock, and waits until no billing work is due. */
async function moveTo(world: SubscriptionWorld, time: Date): Promise<void> {
  world.clock.set(time);
  const due = 'select from "billing"."subscription" where "bill_due_at" <= $1';
  await eventually(async () => (await world.rows(due, world.clock.now())).length === 0);
}

const amounts = async (world: SubscriptionWorld): Promise<number[]> => (await linesOf(world)).map(({ amount }) => Number(amount));

test('overage events that two processes handle repeatedly and at the same time are each on one invoice once', async () => {
  const { world, process } = await opened();
  const other = await world.start();
  const accounts = [world.account(), world.account('America/New_York'), world.account('Asia/Tokyo')];
  const events = accounts.flatMap((id) => [
    overage(world, id, { quantity: 700 }),
    overage(world, id, { quantity: 805, unitPrice: '0.0008' }),
  ]);
  await Promise.all([...events, ...events, ...events].map((event, index) => react(index % 2 ? process : other, event)));
  const items = await world.rows('select from "billing"."subscription_item"');
  expect(items).toHaveLength(accounts.length);
  await moveTo(world, at('2026-04-02T00:00:00Z'));
  // 0.7 and 0.644, rounded together
  expect(await amounts(world)).toEqual([1.34, 1.34, 1.34]);
  for (const id of accounts) expect(await revenueOf(world, id)).toBe('1.34');
});

test('a reaction that was killed after it stored the overage usage bills it when it runs again', async () => {
  const { world, process } = await opened();
  const id = world.account();
  const event = overage(world, id, { quantity: 2_000 });
  await world.rows('alter table "billing"."subscription_charge" rename to "charge_away"');
  await expect(react(process, event)).rejects.toThrow();
  await world.rows('alter table "billing"."charge_away" rename to "subscription_charge"');
  expect(await world.rows('select from "billing"."usage_event"')).toHaveLength(1);
  expect(await world.rows('select from "billing"."subscription"')).toEqual([]);
  await react(process, event);
  await moveTo(world, at('2026-04-01T01:01:00Z'));
  expect(await amounts(world)).toEqual([2]);
});

const set = async (process: BillingProcess, input: object): Promise<void> => {
  const api = { metric: 'API_CALLS', model: 'PER_UNIT', ...input };
  const { errors } = await process.execute('mutation ($input: UsagePriceInput!) { setUsagePrice(input: $input) { id } }', { input: api });
  expect(errors).toBeUndefined();
};
const prefer = async (process: BillingProcess, id: string, currency: string): Promise<void> => {
  const source = `mutation ($id: ID!) { updateBillingPreferences(accountId: $id, input: { currency: "${currency}" }) { currency } }`;
  expect((await process.execute(source, { id })).errors).toBeUndefined();
};
/** Returns the invoices of an account, oldest first. */
const invoicesOf = async (world: SubscriptionWorld, id: string): Promise<[string, number][]> => {
  const rows = await world.rows<{ currency: string; amount: string }>(
    'select "currency", "amount"::text from "billing"."invoice" where "account_id" = $1 order by "created_at"',
    id,
  );
  return rows.map(({ currency, amount }) => [currency, Number(amount)]);
};

test('overage is invoiced in the currency of the account if this currency has a usage price for overage, and otherwise in USD', async () => {
  const { world, process } = await opened();
  const other = await world.start();
  await set(process, { serviceType: 'api', currency: 'EUR', unitPrice: 0.002 });
  await set(process, { serviceType: 'api_business', currency: 'EUR', unitPrice: 0.0009 });
  // these prices are not known when a request is recorded, not for all plans, or not for overage
  await set(process, { serviceType: 'api', currency: 'GBP', unitPrice: 0.002, included: 5 });
  await set(process, { serviceType: 'api_business', currency: 'GBP', unitPrice: 0.0009 });
  await set(process, { currency: 'GBP', unitPrice: 0.002 });
  const [euro, pound, dollar] = [world.account(), world.account('Asia/Tokyo'), world.account()];
  await prefer(process, euro, 'EUR');
  await prefer(process, pound, 'GBP');
  const events = [euro, pound, dollar].flatMap((id) => [
    overage(world, id, { quantity: 1_000 }),
    overage(world, id, { quantity: 1_000, unitPrice: '0.0008' }),
  ]);
  await Promise.all([...events, ...events].map((event, index) => react(index % 2 ? process : other, event)));
  await moveTo(world, at('2026-04-02T00:00:00Z'));
  expect(await invoicesOf(world, euro)).toEqual([['EUR', 2.9]]);
  expect(await invoicesOf(world, pound)).toEqual([['USD', 1.8]]);
  expect(await invoicesOf(world, dollar)).toEqual([['USD', 1.8]]);
});

test('the currency of overage stays the same if the preferred currency changes or its usage price ends', async () => {
  const { world, process } = await opened();
  await set(process, { serviceType: 'api', currency: 'EUR', unitPrice: 0.002 });
  const [euro, dollar] = [world.account(), world.account()];
  await prefer(process, euro, 'EUR');
  for (const id of [euro, dollar]) await react(process, overage(world, id, { quantity: 1_000 }));
  await prefer(process, euro, 'USD');
  await prefer(process, dollar, 'EUR');
  const prices = (await world.rows<{ id: string }>('select "id" from "billing"."usage_price"')).map(({ id }) => id);
  const end = await process.execute('mutation ($id: ID!) { endUsagePrice(id: $id) { id } }', { id: prices[0] });
  expect(end.errors).toBeUndefined();
  world.clock.set(at('2026-03-12T12:00:00Z'));
  for (const id of [euro, dollar]) await react(process, overage(world, id, { quantity: 500 }));
  await moveTo(world, at('2026-04-02T00:00:00Z'));
  expect(await invoicesOf(world, euro)).toEqual([['EUR', 3]]);
  expect(await invoicesOf(world, dollar)).toEqual([['USD', 1.5]]);
});

test('overage of an account that an earlier release has begun to charge in USD stays in USD', async () => {
  const { world, process } = await opened();
  const id = world.account();
  await react(process, overage(world, id, { quantity: 1_000 }));
  // the earlier release does not know the column
  await world.rows('update "billing"."billing_account" set "overage_currency" = null');
  await set(process, { serviceType: 'api', currency: 'EUR', unitPrice: 0.002 });
  await prefer(process, id, 'EUR');
  await react(process, overage(world, id, { quantity: 1_000 }));
  await moveTo(world, at('2026-04-02T00:00:00Z'));
  expect(await invoicesOf(world, id)).toEqual([['USD', 2]]);
});

test('overage that arrives after the invoice of its month is on the next invoice, and both amounts add up to the rounded total', async () => {
  const { world, process } = await opened();
  const id = world.account();
  await react(process, overage(world, id, { quantity: 1_004 }));
  await moveTo(world, at('2026-04-01T02:00:00Z'));
  await react(process, overage(world, id, { quantity: 2, usedAt: at('2026-03-31T23:59:59.999Z') }));
  await react(process, overage(world, id, { quantity: 500 }));
  await moveTo(world, at('2026-05-01T02:00:00Z'));
  await moveTo(world, at('2026-08-01T02:00:00Z'));
  // 1,006 requests cost 1.006
  expect(await amounts(world)).toEqual([1, 0.01, 0.5]);
});

test('overage of an account that no longer exists is not billed, and overage of other accounts is billed', async () => {
  const { world, process } = await opened();
  await react(process, overage(world, newId('account'), { quantity: 1_000 }));
  const id = world.account();
  await react(process, overage(world, id, { quantity: 1_000 }));
  expect(await world.rows('select from "billing"."usage_event"')).toHaveLength(1);
  // the account is deleted before its month ends
  world.zones.delete(id);
  await moveTo(world, at('2026-04-01T02:00:00Z'));
  expect(await amounts(world)).toEqual([]);
  expect(await world.rows(`select from "billing"."subscription" where "status" = 'active'`)).toEqual([]);
});

test('the services of an account are billed as before, and are on the same invoice as overage of the same day', async () => {
  const { world, process } = await opened('2026-03-01T00:00:00Z');
  const accountId = world.account();
  const service = { id: newId('service'), accountId, price: 310, provisionedAt: world.clock.now() };
  await react(process, world.event('provisioned', service, service.provisionedAt));
  await moveTo(world, at('2026-03-11T12:00:00Z'));
  await react(process, overage(world, accountId, { quantity: 4_000 }));
  await moveTo(world, at('2026-03-20T00:00:00Z'));
  await react(process, world.event('decommissioned', service, world.clock.now()));
  await moveTo(world, at('2026-04-01T02:00:00Z'));
  const lines = await linesOf(world);
  expect(lines.map(({ kind, amount, service_id: of }) => [kind, Number(amount), of])).toEqual([
    ['recurring', 310, service.id],
    ['usage', 4, accountId],
  ]);
  const [{ count } = { count: 0 }] = await world.rows<{ count: number }>(
    `select count(*)::int as "count" from "billing"."subscription" where "status" = 'active'`,
  );
  expect(count).toBe(1);
});

test('the next invoice of an account is the invoice of its service if no overage is left to bill', async () => {
  const { world, process } = await opened('2026-03-20T00:00:00Z');
  const accountId = world.account();
  const service = { id: newId('service'), accountId, price: 310, provisionedAt: world.clock.now() };
  await react(process, world.event('provisioned', service, service.provisionedAt));
  await react(process, overage(world, accountId, { quantity: 4_000 }));
  const next = async (): Promise<object> => {
    const { data, errors } = await process.execute('query ($id: ID!) { invoicePreview(accountId: $id) { date amount } }', {
      id: accountId,
    });
    expect(errors).toBeUndefined();
    return (data as Json).invoicePreview;
  };
  expect(await next()).toMatchObject([{ date: '2026-04-01T01:00:00.000Z', amount: 4 }]);
  await moveTo(world, at('2026-04-21T00:00:00Z'));
  // the run of 1 May will find no overage
  expect(await next()).toMatchObject([{ date: '2026-05-20T01:00:00.000Z', amount: 310 }]);
});

test('overage that a process of the previous release has billed as free is billed again', async () => {
  const { world, process } = await opened();
  const id = world.account();
  await react(process, overage(world, id, { quantity: 3_000 }));
  // what the previous release stores when it bills the period
  await world.rows(
    `insert into "billing"."usage_period" values ($1, $2, '2026-03-01', '2026-03-31', 'USD', '{"api_calls": {"quantity": "3000", "amount": "0"}}')`,
    world.organizationId,
    id,
  );
  await world.rows('update "billing"."usage_day" set "billed_quantity" = "quantity"');
  await world.rows(
    `update "billing"."subscription_item" set "metered_until" = '2026-04-01T00:00:00Z', "billed_until" = '2026-04-01T00:00:00Z'`,
  );
  await moveTo(world, at('2026-05-01T02:00:00Z'));
  await moveTo(world, at('2026-06-01T02:00:00Z'));
  const lines = await linesOf(world);
  expect(lines.map(({ amount }) => Number(amount))).toEqual([3]);
});

test.each([1, 2, 3])(
  'in random histories of prices, delays, processes and repetitions, each period costs its overage, rounded once (seed %i)',
  async (seed) => {
    const random = seeded(seed);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    const { world, process } = await opened('2026-01-03T07:00:00Z');
    const processes = [process, await world.start()];
    const zones = ['UTC', 'America/New_York', 'Pacific/Auckland', 'Asia/Kolkata'];
    const accounts = zones.map((zone) => ({ id: world.account(zone), exact: 0 }));
    const handled: LoggedEvent[] = [];
    for (let step = 0; step < 24; step += 1) {
      await moveTo(world, new Date(world.clock.now().getTime() + Math.ceil(random() * 6 * 24) * HOUR_MS));
      const account = pick(accounts);
      const unitPrice = pick(['0.001', '0.0008', '0.0005']);
      const quantity = 1 + Math.floor(random() * 5_000);
      // some overage is of the end of the month before
      const usedAt = random() < 0.3 ? new Date(world.clock.now().getTime() - random() * 30 * DAY_MS) : world.clock.now();
      account.exact += quantity * Number(unitPrice) * 10_000;
      handled.push(overage(world, account.id, { quantity, unitPrice, usedAt }));
      const repeated = [handled.at(-1), pick(handled)] as LoggedEvent[];
      await Promise.all(repeated.flatMap((event) => processes.map((one) => react(one, event))));
    }
    for (let month = 0; month < 3; month += 1) await moveTo(world, new Date(world.clock.now().getTime() + 32 * DAY_MS));
    const unbilled = await world.rows('select from "billing"."usage_day" where "quantity" <> "billed_quantity"');
    expect(unbilled).toEqual([]);
    // by period: the exact amounts of its days, rounded, are what its lines sum up to
    const wrong = await world.rows(
      `select p."service_id", p."first_day", p."billed", sum(d."amount") as "exact" from "billing"."usage_period" p
         join "billing"."usage_day" d on d."service_id" = p."service_id" and d."day" between p."first_day" and p."last_day"
       group by p."service_id", p."first_day", p."billed"
       having round(sum(d."amount"), 2) <> (p."billed" -> 'api_calls' ->> 'amount')::numeric`,
    );
    expect(wrong).toEqual([]);
    for (const { id, exact } of accounts) {
      const [row] = await world.rows<{ days: string; billed: string }>(
        `select (select sum("amount") from "billing"."usage_day" where "service_id" = $1)::text as "days",
           (select sum(("billed" -> 'api_calls' ->> 'amount')::numeric) from "billing"."usage_period" where "service_id" = $1)::text as "billed"`,
        id,
      );
      expect(Number(row?.days ?? 0) * 10_000).toBeCloseTo(exact, 3);
      expect(Number(await revenueOf(world, id))).toBe(Number(row?.billed ?? 0));
    }
  },
  60_000,
);
