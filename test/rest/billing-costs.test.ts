import fc from 'fast-check';
import { DateTime } from 'luxon';
import { beforeAll, describe, expect, test } from 'vitest';
import { startOfDay } from '../../kernel/values/local-time.ts';
import { Decimal } from '../../kernel/values/money.ts';
import { type BilledTenant, billedTenant, createAccount, createInvoice, orderService } from '../billing.setup.ts';
import { clock, eventually, rig } from '../rig.ts';
import { onlyTable, rows } from '../support/tables.ts';
import type { Json } from '../tenant.ts';

let billed: BilledTenant;
beforeAll(async () => {
  billed = await billedTenant();
});

const analysis = async (query = '', by = billed.tenant): Promise<Json> =>
  (await by.rest('GET', `/billing/cost-analysis?${query}`)).body.data;
const monthOf = (count = 0): string => DateTime.fromJSDate(clock.now(), { zone: 'utc' }).plus({ months: count }).toFormat('yyyy-MM');

/** Adds a line to an invoice, as the recurring run does. Only the costs depend on this line. */
async function addLine(
  invoiceId: string,
  position: number,
  line: { amount: number; start: string; end: string; category?: string },
): Promise<void> {
  const values = [
    invoiceId,
    position,
    billed.tenant.organizationId,
    billed.serviceId,
    line.amount,
    line.start,
    line.end,
    line.category ?? 'cloud',
  ];
  await (await rows()).query(
    `insert into billing.invoice_line (invoice_id, position, organization_id, service_id, description, quantity, unit_price, amount, period_start, period_end, category)
     values ($1, $2, $3, $4, 'A period', 1, $5, $5, $6, $7, $8)`,
    values,
  );
}

const recurringOf = async ({ tenant }: BilledTenant): Promise<object[]> =>
  (await rows()).query('select 1 from billing.recurring_day where organization_id = $1', [tenant.organizationId]);

const costsOf = async (filter: Json, groupBy: string[] = [], step = 'MONTH'): Promise<Json> => {
  const { data, errors } = await billed.tenant.graphql(
    `query($filter: CostFilter, $groupBy: [CostDimension!]) { costs(filter: $filter, groupBy: $groupBy, step: ${step}) { month currency amount accountId serviceId category } }`,
    { filter, groupBy },
  );
  return errors ?? data.costs;
};

describe('costs of services', () => {
  test('the breakdown of the current month adds up to its total, and to the invoices of the month', async () => {
    const before = await analysis();
    await createInvoice(billed, { quantity: 1, unit_price: 12.34 });
    const after = await analysis();
    expect(after.current_month.total - before.current_month.total).toBeCloseTo(12.34, 6);
    expect(after.year_to_date - before.year_to_date).toBeCloseTo(12.34, 6);
    const { breakdown } = after.current_month;
    expect(Object.keys(breakdown).sort()).toEqual(['ai', 'cloud', 'connectivity', 'other', 'security', 'voice']);
    expect(Object.values<number>(breakdown).reduce((total, one) => total + one, 0)).toBeCloseTo(after.current_month.total, 6);
    expect(breakdown.connectivity).toBe(after.current_month.total);
    expect(after).toMatchObject({ currency: 'USD', other_currencies: [], trends: { monthly_growth: null, cost_optimization_savings: 0 } });
  });

  test('a cancelled invoice and replaced lines cost nothing', async () => {
    const before = (await analysis()).current_month.total;
    const invoice = await createInvoice(billed, { quantity: 1, unit_price: 100 });
    const put = (body: object) => billed.tenant.rest('PUT', `/billing/invoices/${invoice.id}`, { body });
    await put({ services: [{ service_id: billed.serviceId, quantity: 2, unit_price: 30 }] });
    expect((await analysis()).current_month.total).toBeCloseTo(before + 60, 6);
    await put({ status: 'cancelled' });
    expect((await analysis()).current_month.total).toBeCloseTo(before, 6);
  });

  test('costs in another currency are reported separately and never added', async () => {
    const before = await analysis();
    await createInvoice(billed, { quantity: 1, unit_price: 7000 }, { currency: 'JPY' });
    expect(await analysis('currency=USD')).toMatchObject({ current_month: before.current_month, other_currencies: ['JPY'] });
    expect(await analysis('currency=JPY')).toMatchObject({ currency: 'JPY', current_month: { total: 7000 }, other_currencies: ['USD'] });
    expect((await analysis()).currency).toBe('JPY');
  });

  test('costs of an account belong to months in its time zone, and another organization cannot read them', async () => {
    const { body } = await billed.tenant.rest('GET', `/billing/cost-analysis?account_id=${billed.accountId}&currency=USD`);
    expect(body.data.current_month).toEqual((await analysis('currency=USD')).current_month);
    const stranger = await (await rig()).organization({ plan: 'custom' });
    expect((await stranger.rest('GET', `/billing/cost-analysis?account_id=${billed.accountId}`)).status).toBe(404);
    expect(await analysis('', stranger)).toMatchObject({ year_to_date: 0, current_month: { total: 0 } });
  });

  test('the cost of a line with a period is divided among the months of the period in local time, and the shares add up to the line', async () => {
    const invoice = await createInvoice(billed, { quantity: 1, unit_price: 0 }, { currency: 'EUR' });
    await addLine(invoice.id, 1, { amount: 100, start: '2026-01-31T00:00:00Z', end: '2026-03-03T00:00:00Z' });
    const found = await costsOf({ currency: 'EUR', from: '2026-01', to: '2026-12' });
    expect(found.map(({ month, amount }: Json) => [month, amount])).toEqual([
      ['2026-01', 3.23],
      ['2026-02', 90.32],
      ['2026-03', 6.45],
    ]);
    expect(await costsOf({ currency: 'EUR', from: '2026-01', to: '2026-12' }, ['CATEGORY', 'SERVICE'], 'YEAR')).toEqual([
      { month: '2026-01', currency: 'EUR', amount: 100, accountId: null, serviceId: billed.serviceId, category: 'CLOUD' },
    ]);
    await billed.tenant.rest('PUT', `/billing/invoices/${invoice.id}`, { body: { status: 'cancelled' } });
  });

  test('the monthly shares of random invoice lines are in proportion to the days, and add up to the lines', async () => {
    const database = await rows();
    // in Santiago, Havana and Beirut, the clocks skip the first hour of a day
    const zones = ['UTC', 'America/New_York', 'Asia/Kolkata', 'Pacific/Apia', 'America/Santiago', 'America/Havana', 'Asia/Beirut'];
    const lines = fc.record({
      cents: fc.integer({ min: 1, max: 10_000_000 }),
      currency: fc.constantFrom('USD', 'JPY', 'BHD'),
      zone: fc.constantFrom(...zones),
      first: fc.integer({ min: 0, max: 1500 }),
      days: fc.integer({ min: 1, max: 800 }),
    });
    await fc.assert(
      fc.asyncProperty(lines, async ({ cents, currency, zone, first, days }) => {
        const digits = { USD: 2, JPY: 0, BHD: 3 }[currency] as number;
        const amount = new Decimal(cents).div(10 ** digits);
        const dayAt = (index: number) => DateTime.fromISO('2024-01-15', { zone: 'utc' }).plus({ days: first + index });
        const at = (index: number) => startOfDay(dayAt(index).toISODate() as string, zone);
        const found = await database.query<{ month: string; share: string }>(
          `select to_char(month, 'YYYY-MM') as month, share::text as share from billing.cost_months($1::numeric, $2, $3, now(), $4, $5) where share <> 0 order by 1`,
          [amount.toFixed(), currency, zone, at(0), at(days)],
        );
        const expected: Record<string, Decimal> = {};
        const upTo = (index: number) => amount.times(index).div(days).toDecimalPlaces(digits, Decimal.ROUND_HALF_UP);
        for (let index = 0; index < days; index += 1) {
          const month = dayAt(index).toFormat('yyyy-MM');
          expected[month] = (expected[month] ?? new Decimal(0)).plus(upTo(index + 1).minus(upTo(index)));
        }
        const shares = Object.entries(expected).filter(([, share]) => !share.isZero());
        expect(found.map(({ month, share }) => [month, Number(share)])).toEqual(shares.map(([month, share]) => [month, share.toNumber()]));
      }),
      {
        numRuns: Number(process.env.COST_RUNS ?? 60),
        examples: [[{ cents: 687, currency: 'USD' as const, zone: 'America/Santiago', first: 1329, days: 407 }]],
      },
    );
  });

  test('an invoice with an unknown time zone, or with a period that a clock change skips, is issued, and its costs use UTC', async () => {
    const [row] = await (await rows()).query<{ sum: string; months: number }>(
      `select sum(share)::text as sum, count(*)::int as months from billing.cost_months(9.99, 'USD', 'Mars/Olympus', '2026-03-31T23:30:00Z', null, null)`,
      [],
    );
    expect(row).toEqual({ sum: '9.99', months: 1 });
    const backwards = await (await rows()).query<{ month: string; share: string }>(
      `select month::text, share::text from billing.cost_months(5, 'USD', 'America/New_York', now(), '2026-11-01T05:30:00Z', '2026-11-01T06:15:00Z')`,
      [],
    );
    expect(backwards).toEqual([{ month: '2026-11-01', share: '5' }]);
  });

  test('services and accounts have a field for their costs, which includes all invoices that were issued concurrently', async () => {
    const account = await createAccount(billed.tenant, 'Second');
    const { service } = await orderService(billed.tenant, account.id);
    const of = { tenant: billed.tenant, accountId: account.id, serviceId: service.id, firstInvoice: null };
    await Promise.all(Array.from({ length: 8 }, () => createInvoice(of, { quantity: 1, unit_price: 1.11 }, { currency: 'CHF' })));
    const { data } = await billed.tenant.graphql(
      'query($service: ID!, $account: ID!) { service(id: $service) { costs(months: 1) { month currency amount } } account(id: $account) { costs { currency amount } } }',
      { service: service.id, account: account.id },
    );
    expect(data.service.costs).toContainEqual({ month: monthOf(), currency: 'CHF', amount: 8.88 });
    expect(data.account.costs).toContainEqual({ currency: 'CHF', amount: 8.88 });
    expect(await costsOf({ currency: 'CHF' }, ['ACCOUNT'])).toMatchObject([{ accountId: account.id, amount: 8.88 }]);
    expect(await costsOf({ currency: 'CHF', accountId: billed.accountId })).toEqual([]);
  });

  test('the savings are the difference to the catalog prices, and the growth is the change of the monthly prices', async () => {
    const fresh = await billedTenant();
    const read = async () => (await analysis('', fresh.tenant)).trends;
    await eventually(async () => (await recurringOf(fresh)).length > 0);
    expect(await read()).toEqual({ monthly_growth: null, cost_optimization_savings: 0 });
    const { amount } = fresh.firstInvoice.services.find(({ kind }: Json) => kind === 'recurring');
    await (await onlyTable('services.service')).set('monthly_price', String(amount + 12.5), 'id', fresh.serviceId);
    const values = [fresh.tenant.organizationId, `${monthOf(-1)}-15`, amount * 4];
    await (await rows()).query(
      `insert into billing.recurring_day (organization_id, account_id, currency, day, added) values ($1, '', 'USD', $2::date, $3)`,
      values,
    );
    expect(await read()).toEqual({ monthly_growth: 25, cost_optimization_savings: 12.5 });
  });

  test('a cost filter with impossible months is refused with the reason', async () => {
    const [error] = await costsOf({ from: '2026-13', to: '2020-01' });
    expect(error.extensions.details.errors).toMatchObject([{ field: 'from', reason: 'must be a month such as 2026-01' }]);
    const [long] = await costsOf({ from: '2020-01', to: '2026-01' });
    expect(long.extensions.details.reason).toBe('must be at most 60 months from the first month');
    expect((await costsOf({ from: monthOf(-80) }))[0].extensions.code).toBe('INVALID_PARAMETERS');
  });
});
