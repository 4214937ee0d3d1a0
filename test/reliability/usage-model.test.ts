import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Attached, EntityManager } from '../../kernel/database/database.ts';
import { newId } from '../../kernel/records/ids.ts';
import { DAY_MS } from '../../kernel/values/days.ts';
import { startOfDay } from '../../kernel/values/local-time.ts';
import { Decimal, sum } from '../../kernel/values/money.ts';
import { localDay, type Period } from '../../subgraphs/billing/calculation/billing-periods.ts';
import { migrations } from '../../subgraphs/billing/migrations/index.ts';
import { markBilled } from '../../subgraphs/billing/usage/metered-lines.store.ts';
import { type MeteredBill, meteredLines } from '../../subgraphs/billing/usage/metered-lines.ts';
import type { MeteredService } from '../../subgraphs/billing/usage/metered-services.ts';
import { type UsageEvent, UsageStore } from '../../subgraphs/billing/usage/usage.store.ts';
import { usagePartitions } from '../../subgraphs/billing/usage/usage-partitions.ts';
import { UsageMetric, UsagePriceModel } from '../../subgraphs/billing/usage-prices/usage-metric.states.ts';
import { UsagePrice } from '../../subgraphs/billing/usage-prices/usage-price.entity.ts';
import { silent } from '../support/domain-world.ts';
import { emptyDatabase } from '../support/empty-database.ts';

let store: Attached;
let drop: () => Promise<void>;
beforeAll(async () => {
  const empty = await emptyDatabase(silent);
  drop = empty.drop;
  store = await empty.database.attach({ schema: 'billing', entities: [UsagePrice], migrations });
});
afterAll(() => drop());

const NOW = new Date('2026-04-20T12:00:00Z');
const ZONES = ['UTC', 'America/New_York', 'Asia/Kolkata', 'America/Santiago'];
const METRICS = [UsageMetric.VOICE_MINUTES, UsageMetric.DATA_GB];

const serviceOf = (organizationId: string, index: number): MeteredService => ({
  serviceId: `svc_${organizationId.slice(4)}${index}`,
  ...{ accountId: 'acc_1', type: 'internet', serviceType: 'fiber', category: 'connectivity', currency: 'USD' },
  zone: ZONES[index % ZONES.length] ?? 'UTC',
});

/** Generates usage events. Ids repeat often, and repeated ids may have other values. */
const drawn = fc.record({
  id: fc.integer({ min: 0, max: 30 }),
  service: fc.integer({ min: 0, max: 3 }),
  metric: fc.constantFrom(...METRICS),
  quantity: fc.integer({ min: 0, max: 10_000_000 }),
  minutesAgo: fc.integer({ min: 0, max: 59 * 24 * 60 }),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never;

const eventsOf = (organizationId: string, batch: readonly Drawn[]): UsageEvent[] =>
  batch.map(({ id, service, metric, quantity, minutesAgo }) => ({
    ...{ source: 'model', id: `e${id}`, service: serviceOf(organizationId, service), metric },
    quantity: new Decimal(quantity).div(10_000),
    occurredAt: new Date(NOW.getTime() - minutesAgo * 60_000),
  }));

interface EventRow {
  id: string;
  service_id: string;
  metric: string;
  quantity: string;
  occurred_at: Date | string;
}

test('random batches with repeated ids that are stored concurrently count each event once and result in exact daily sums', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(drawn, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 6 }), async (batches) => {
      const organizationId = newId('organization');
      const usage = new UsageStore(usagePartitions(store.orm));
      const accepted = await Promise.all(batches.map((batch) => usage.write(organizationId, eventsOf(organizationId, batch), NOW)));
      const distinct = new Set(batches.flat().map(({ id }) => id));
      expect(accepted.reduce((total, count) => total + count, 0)).toBe(distinct.size);

      const stored = await store.rows.query<EventRow>(
        `select "id", "service_id", "metric", "quantity"::text, "occurred_at" from "billing"."usage_event" where "organization_id" = $1`,
        [organizationId],
      );
      expect(new Set(stored.map(({ id }) => id))).toEqual(new Set([...distinct].map((id) => `e${id}`)));
      expect(stored).toHaveLength(distinct.size);
      const zones = new Map([0, 1, 2, 3].map((index) => serviceOf(organizationId, index)).map(({ serviceId, zone }) => [serviceId, zone]));
      const expected = Map.groupBy(
        stored,
        (row) => `${row.service_id} ${row.metric} ${localDay(new Date(row.occurred_at), zones.get(row.service_id) ?? '')}`,
      );
      const days = await store.rows.query<{ key: string; quantity: string; events: number }>(
        `select "service_id" || ' ' || "metric" || ' ' || "day" as "key", "quantity"::text, "events"::int from "billing"."usage_day" where "organization_id" = $1`,
        [organizationId],
      );
      const shown = (key: string, quantity: Decimal, events: number): string => `${key}: ${quantity.toFixed()} of ${events}`;
      expect(days.map(({ key, quantity, events }) => shown(key, new Decimal(quantity), events)).sort()).toEqual(
        [...expected].map(([key, rows]) => shown(key, sum(rows.map(({ quantity }) => new Decimal(quantity))), rows.length)).sort(),
      );
    }),
    { numRuns: 25 },
  );
});

const forOrganization = (organizationId: string): EntityManager => {
  const em = store.orm.em.fork();
  em.setFilterParams('organization', { id: organizationId, accounts: null });
  return em;
};

async function priced(organizationId: string, more: Partial<UsagePrice>): Promise<void> {
  const price = Object.assign(new UsagePrice(), {
    ...{ id: newId('usagePrice'), organizationId, scope: 'organization', metric: UsageMetric.VOICE_MINUTES, currency: 'USD' },
    ...{ model: UsagePriceModel.PER_UNIT, validFrom: new Date('2026-01-01'), createdBy: 'test', createdAt: NOW, ...more },
  });
  const em = forOrganization(organizationId);
  em.persist(price);
  await em.flush();
}

const monthOf = (month: number, zone: string): Period => ({
  start: startOfDay(`2026-0${month}-01`, zone),
  end: startOfDay(`2026-0${month + 1}-01`, zone),
});

const bill = (organizationId: string, service: MeteredService, period: Period): Promise<MeteredBill> =>
  forOrganization(organizationId).transactional(async (tx) => {
    const { serviceId, zone, currency } = service;
    const found = await meteredLines(tx, { organizationId, serviceId, period, zone, currency });
    await markBilled(tx, [found]);
    return found;
  });

const spoken = (service: MeteredService, quantity: number, at: string): UsageEvent => ({
  ...{ source: 'model', id: newId('event'), service, metric: UsageMetric.VOICE_MINUTES },
  ...{ quantity: new Decimal(quantity), occurredAt: new Date(at) },
});

test('the billed amounts of each period add up to the price of its usage, regardless of when usage events arrive', async () => {
  const arrival = fc.record({
    month: fc.constantFrom(1, 2, 3),
    day: fc.integer({ min: 1, max: 28 }),
    minutes: fc.integer({ min: 1, max: 80 }),
    after: fc.integer({ min: 0, max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(arrival, { maxLength: 25 }), async (arrivals) => {
      const organizationId = newId('organization');
      const service = serviceOf(organizationId, 1);
      const usage = new UsageStore(usagePartitions(store.orm));
      const tiers = [
        { upTo: '100', unitPrice: '0.0333' },
        { upTo: null, unitPrice: '0.0111' },
      ];
      await priced(organizationId, { model: UsagePriceModel.GRADUATED, storedTiers: tiers, included: new Decimal(10) });
      const amounts: Decimal[] = [];
      for (const month of [1, 2, 3, 4]) {
        // the events that have arrived before the bill of this month
        const arrived = arrivals.filter((one) => Math.min(4, Math.max(one.month, one.month + one.after)) === month);
        const at = ({ month: of, day }: { month: number; day: number }): string => `2026-0${of}-${String(day).padStart(2, '0')}T16:00:00Z`;
        await usage.write(
          organizationId,
          arrived.map((one) => spoken(service, one.minutes, at(one))),
          NOW,
        );
        amounts.push(...(await bill(organizationId, service, monthOf(month, service.zone))).lines.map(({ amount }) => amount));
      }
      const whole = [1, 2, 3].map((month) => {
        const minutes = arrivals.filter((one) => one.month === month).reduce((total, one) => total + one.minutes, 0);
        const paid = Math.max(0, minutes - 10);
        return new Decimal(Math.min(paid, 100))
          .times('0.0333')
          .plus(new Decimal(Math.max(0, paid - 100)).times('0.0111'))
          .toDecimalPlaces(2);
      });
      expect(sum(amounts).toFixed(2)).toBe(sum(whole).toFixed(2));
      const open = await store.rows.query(
        `select 1 from "billing"."usage_day" where "organization_id" = $1 and "quantity" <> "billed_quantity"`,
        [organizationId],
      );
      expect(open).toEqual([]);
    }),
    { numRuns: 20 },
  );
});

test('the usage of a period is summed and priced once, and late usage is on the next invoice with its own day', async () => {
  const organizationId = newId('organization');
  const service = serviceOf(organizationId, 1);
  const usage = new UsageStore(usagePartitions(store.orm));
  await priced(organizationId, { unitPrice: new Decimal('0.0008') });
  const events = Array.from({ length: 10 }, () => spoken(service, 3, '2026-03-05T10:00:00Z'));
  await usage.write(organizationId, events, NOW);
  const march = await bill(organizationId, service, monthOf(3, service.zone));
  expect(march.lines).toMatchObject([
    { metric: 'voice_minutes', unit: 'minutes', description: 'Telephone calls, 2026-03-05: 30 minutes', isLate: false },
  ]);
  expect(march.lines.map(({ amount, quantity }) => [amount.toFixed(), quantity.toFixed()])).toEqual([['0.02', '30']]);
  // 04:30 UTC on 1 April is still the last hour of March in New York minus four hours
  await usage.write(organizationId, [spoken(service, 20, '2026-04-01T03:30:00Z'), spoken(service, 1000, '2026-04-01T04:30:00Z')], NOW);
  const april = await bill(organizationId, service, monthOf(4, service.zone));
  expect(april.lines.map(({ amount, quantity, description }) => [amount.toFixed(), quantity.toFixed(), description])).toEqual([
    // 50 × 0.0008 = 0.04, of which 0.02 are billed
    ['0.02', '20', 'Telephone calls, 2026-03-31: 20 minutes, reported late'],
    ['0.8', '1000', 'Telephone calls, 2026-04-01: 1000 minutes'],
  ]);
  expect((await forOrganization(organizationId).transactional((tx) => meteredLines(tx, april.of))).lines).toEqual([]);
});

test('a period that two transactions bill at the same time is billed once', async () => {
  const organizationId = newId('organization');
  const service = serviceOf(organizationId, 0);
  await priced(organizationId, { unitPrice: new Decimal(1) });
  await new UsageStore(usagePartitions(store.orm)).write(organizationId, [spoken(service, 5, '2026-03-05T10:00:00Z')], NOW);
  const results = await Promise.allSettled([1, 2, 3].map(() => bill(organizationId, service, monthOf(3, 'UTC'))));
  const billed = results.flatMap((result) => (result.status === 'fulfilled' ? result.value.lines : []));
  expect(billed.map(({ amount }) => amount.toFixed())).toEqual(['5']);
});

test('usage without a price is free, even if a price is set later', async () => {
  const organizationId = newId('organization');
  const service = serviceOf(organizationId, 0);
  await new UsageStore(usagePartitions(store.orm)).write(organizationId, [spoken(service, 5, '2026-03-05T10:00:00Z')], NOW);
  expect((await bill(organizationId, service, monthOf(3, 'UTC'))).lines).toEqual([]);
  await priced(organizationId, { unitPrice: new Decimal(1), validFrom: new Date(NOW.getTime() + DAY_MS) });
  expect((await bill(organizationId, service, monthOf(4, 'UTC'))).lines).toEqual([]);
});

test('later periods are billed after two periods with a common day were stored, and late usage of this day is billed once', async () => {
  const organizationId = newId('organization');
  const service = serviceOf(organizationId, 0);
  const usage = new UsageStore(usagePartitions(store.orm));
  await priced(organizationId, { unitPrice: new Decimal(1) });
  // earlier releases ended a period at a change of the service's price, and both parts contained the day of the change
  for (const [first, last] of [
    ['2026-03-01', '2026-03-11'],
    ['2026-03-11', '2026-03-31'],
  ])
    await store.rows.query(
      `insert into "billing"."usage_period" values ($1, $2, $3::date, $4::date, 'USD', '{"voice_minutes": {"quantity": "10", "amount": "10"}}')`,
      [organizationId, service.serviceId, first, last],
    );
  await usage.write(organizationId, [spoken(service, 10, '2026-03-11T10:00:00Z'), spoken(service, 3, '2026-04-02T10:00:00Z')], NOW);
  await store.rows.query(`update "billing"."usage_day" set "billed_quantity" = 10 where "organization_id" = $1 and "day" = '2026-03-11'`, [
    organizationId,
  ]);
  await usage.write(organizationId, [spoken(service, 7, '2026-03-11T09:00:00Z')], NOW);
  const { lines } = await bill(organizationId, service, monthOf(4, 'UTC'));
  expect(lines.map(({ amount, firstDay, isLate }) => [amount.toFixed(), firstDay, isLate])).toEqual([
    ['7', '2026-03-11', true],
    ['3', '2026-04-02', false],
  ]);
});

test('late usage of a year is priced with the usage of the whole year', async () => {
  const organizationId = newId('organization');
  const service = serviceOf(organizationId, 0);
  const usage = new UsageStore(usagePartitions(store.orm));
  await priced(organizationId, { unitPrice: new Decimal(1), included: new Decimal(100), validFrom: new Date('2024-01-01') });
  await usage.write(organizationId, [spoken(service, 120, '2025-02-05T10:00:00Z')], NOW);
  const year = (start: string, end: string): Period => ({ start: new Date(start), end: new Date(end) });
  await bill(organizationId, service, year('2025-01-01', '2026-01-01'));
  await usage.write(organizationId, [spoken(service, 9, '2025-12-30T10:00:00Z')], NOW);
  const { lines } = await bill(organizationId, service, year('2026-01-01', '2027-01-01'));
  expect(lines.map(({ amount, quantity }) => [amount.toFixed(), quantity.toFixed()])).toEqual([['9', '9']]);
});

test('usage between two periods belongs to the next period, even if more of this usage arrives later', async () => {
  const organizationId = newId('organization');
  const service = serviceOf(organizationId, 0);
  const usage = new UsageStore(usagePartitions(store.orm));
  await priced(organizationId, { unitPrice: new Decimal(1) });
  const amounts: string[] = [];
  const billed = async (period: Period): Promise<void> => {
    const { lines } = await bill(organizationId, service, period);
    amounts.push(...lines.map(({ amount }) => amount.toFixed()));
  };
  await billed(monthOf(1, 'UTC'));
  await usage.write(organizationId, [spoken(service, 10, '2026-02-05T10:00:00Z')], NOW);
  await billed(monthOf(3, 'UTC'));
  await usage.write(organizationId, [spoken(service, 4, '2026-02-05T11:00:00Z')], NOW);
  await billed(monthOf(4, 'UTC'));
  expect(amounts).toEqual(['10', '4']);
});
