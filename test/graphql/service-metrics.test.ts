import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCore } from '../../subgraphs/services/core.ts';
import { ServiceStatus } from '../../subgraphs/services/inventory/service.states.ts';
import { type Sample, SampleState } from '../../subgraphs/services/samples/sample.ts';
import { uptimePercentage } from '../../subgraphs/services/status/uptime.ts';
import { ScriptedProvider, ServicesAlone } from '../services-alone.ts';
import type { Json } from '../tenant.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const STATES = [SampleState.UP, SampleState.DEGRADED, SampleState.DOWN];
const METRICS = ['latencyMs', 'bandwidthUtilization', 'packetLoss', 'jitterMs'] as const;

const FIGURES = '{ min avg max p95 }';
const QUERY = `query ($id: ID!, $period: MeasuredPeriod, $from: DateTime, $to: DateTime) {
  serviceMetrics(id: $id, period: $period, from: $from, to: $to) {
    period from to intervalSeconds
    summary { samples transferredBytes latencyMs ${FIGURES} bandwidthUtilization ${FIGURES} packetLoss ${FIGURES} jitterMs ${FIGURES} }
    series { timestamp state latencyMs bandwidthUtilization packetLoss jitterMs transferredBytes }
  }
}`;
const ANALYTICS = `query ($id: ID!, $period: MeasuredPeriod!) {
  serviceAnalytics(id: $id, period: $period) {
    usageMetrics { totalDataTransferred totalDataTransferredBytes peakBandwidthUsage averageLatency }
    costAnalysis { totalCost costPerGb optimizationPotential currency } trends { usageGrowth performanceImprovement }
  }
}`;
const SUMMARY = `query ($accountId: ID) {
  servicesSummary(period: LAST_7_DAYS, accountId: $accountId) {
    from totalServices byStatus { status count } byCategory { category count } monthlyPrices { currency amount }
    uptimePercentage totalDataTransferredBytes leastAvailable { serviceId uptimePercentage }
  }
}`;

let alone: ServicesAlone;
const provider = new ScriptedProvider(async () => ({ state: 'completed', reference: 'line-1' }));
const samples: Sample[] = [];
let id: string;

/** Pseudorandom numbers from 0 to 1, the same in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

beforeAll(async () => {
  alone = await ServicesAlone.open();
  id = await alone.ordered();
  await alone.provision(id, provider);
  alone.clock.advance(15 * DAY_MS);
  const random = numbers(11);
  const now = alone.clock.now().getTime();
  const { samples: store } = createCore(alone.ports(provider));
  let previousAt: Date | null = null;
  // fourteen days with a sample about every eleven minutes, and a hole of a day
  for (let at = now - 14 * DAY_MS; at < now; at += Math.ceil(random() * 22) * MINUTE_MS) {
    if (at > now - 9 * DAY_MS && at < now - 8 * DAY_MS) continue;
    const value = (most: number): number | null => (random() < 0.05 ? null : random() * most);
    const sample: Sample = {
      ...{ serviceId: id, siteId: '', at: new Date(at), state: STATES[Math.floor(random() * 3)] as SampleState, securityIncidents: 0 },
      ...{ latencyMs: value(50), bandwidthUtilization: value(30), packetLoss: value(1), jitterMs: value(5) },
      transferredBytes: random() < 0.1 ? null : Math.floor(random() * 1e9),
    };
    await store.write([
      { organizationId: 'org_test', accountId: 'acc_1', serviceId: id, at: sample.at, previousAt, counter: null, samples: [sample] },
    ]);
    previousAt = sample.at;
    samples.push(sample);
  }
});
afterAll(() => alone[Symbol.asyncDispose]());

const iso = (ms: number): string => new Date(ms).toISOString();
const ask = (query: string, variables: Record<string, unknown>): Promise<Json> => alone.query(alone.subgraph(provider), query, variables);
const within = (from: string, to: string): Sample[] => samples.filter(({ at }) => at >= new Date(from) && at < new Date(to));
const valuesOf = (of: readonly Sample[], metric: (typeof METRICS)[number]): number[] => of.flatMap((sample) => sample[metric] ?? []);
const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
const bytesOf = (of: readonly Sample[]): number => of.reduce((sum, { transferredBytes }) => sum + (transferredBytes ?? 0), 0);
const near = (one: number | null, other: number | null): boolean =>
  one === other || (one !== null && other !== null && Math.abs(one - other) < 1e-4);

describe('the metrics of a service', () => {
  test.each(['LAST_HOUR', 'LAST_24_HOURS', 'LAST_7_DAYS', 'LAST_30_DAYS'])(
    'the metrics of a service for %s are computed from its stored measurements',
    async (period) => {
      const { serviceMetrics: metrics } = await ask(QUERY, { id, period });
      const all = within(metrics.from, metrics.to);
      expect(metrics.summary.samples).toBe(all.length);
      expect(metrics.summary.transferredBytes ?? 0).toBe(bytesOf(all));
      for (const metric of METRICS) {
        const values = valuesOf(all, metric).toSorted((one, other) => one - other);
        const { min, avg, max, p95 } = metrics.summary[metric];
        expect(near(min, values[0] ?? null) && near(max, values.at(-1) ?? null)).toBe(true);
        expect(near(avg, mean(values))).toBe(true);
        expect(near(p95, values[Math.ceil(0.95 * values.length) - 1] ?? null)).toBe(true);
      }
      expect(metrics.series.length).toBeLessThanOrEqual(400);
      const intervalMs = metrics.intervalSeconds * 1000;
      let counted = 0;
      for (const [index, point] of metrics.series.entries()) {
        const start = Date.parse(point.timestamp);
        expect(start % intervalMs).toBe(0);
        if (index > 0) expect(start - Date.parse(metrics.series[index - 1].timestamp)).toBe(intervalMs);
        const inside = all.filter(({ at }) => at.getTime() >= start && at.getTime() < start + intervalMs);
        counted += inside.length;
        for (const metric of METRICS) expect(near(point[metric], mean(valuesOf(inside, metric)))).toBe(true);
        expect(point.transferredBytes ?? 0).toBe(bytesOf(inside));
        const worst = STATES.findLast((state) => inside.some((sample) => sample.state === state));
        expect(point.state).toBe(worst?.toUpperCase() ?? null);
      }
      expect(counted).toBe(all.length);
    },
  );

  test('metrics with the arguments from and to contain only the samples of this period, and end now if to is in the future', async () => {
    const now = alone.clock.now().getTime();
    const range = { from: iso(now - 8.5 * DAY_MS), to: iso(now - 7.5 * DAY_MS) };
    const { serviceMetrics: metrics } = await ask(QUERY, { id, ...range });
    expect(metrics).toMatchObject({ period: null, ...range });
    expect(metrics.summary.samples).toBe(within(metrics.from, metrics.to).length);
    const { serviceMetrics: later } = await ask(QUERY, { id, from: range.from, to: iso(now + 20 * DAY_MS) });
    expect(Date.parse(later.to)).toBeLessThanOrEqual(alone.clock.now().getTime());
  });
});

describe('the analytics of a service', () => {
  test('the usage, costs and trends of a service agree with its metrics in the period and in the previous period', async () => {
    const { serviceAnalytics: found } = await ask(ANALYTICS, { id, period: 'LAST_7_DAYS' });
    const now = alone.clock.now().getTime();
    const figures = async (from: number, to: number): Promise<Json> =>
      (await ask(QUERY, { id, from: iso(from), to: iso(to) })).serviceMetrics.summary;
    const [present, before] = [await figures(now - 7 * DAY_MS, now), await figures(now - 14 * DAY_MS, now - 7 * DAY_MS)];
    expect(found.usageMetrics).toMatchObject({
      totalDataTransferredBytes: present.transferredBytes,
      totalDataTransferred: `${Number((present.transferredBytes / 1e9).toFixed(2))} GB`,
      peakBandwidthUsage: `${Number((present.bandwidthUtilization.max * 10).toFixed(1))} Mbps`,
      averageLatency: `${Number(present.latencyMs.avg.toFixed(1))} ms`,
    });
    const total = Number(found.costAnalysis.totalCost);
    expect(total).toBeCloseTo((299 * 7) / 30, 2);
    expect(Number(found.costAnalysis.costPerGb)).toBeCloseTo(total / (present.transferredBytes / 1e9), 3);
    expect(found.trends.usageGrowth).toBeCloseTo((present.transferredBytes / before.transferredBytes - 1) * 100, 1);
    expect(found.trends.performanceImprovement).toBeCloseTo((1 - present.latencyMs.avg / before.latencyMs.avg) * 100, 1);
    // at most 30 % of 1000 Mbit/s are used, so 500 Mbit/s are enough
    expect(Number(found.costAnalysis.optimizationPotential)).toBe(100);
  });

  test('the analytics of a service without measurements have null for each value that needs measurements', async () => {
    const other = await alone.ordered();
    const { serviceAnalytics: found } = await ask(ANALYTICS, { id: other, period: 'LAST_30_DAYS' });
    expect(found).toMatchObject({
      usageMetrics: { totalDataTransferred: null, peakBandwidthUsage: null, averageLatency: null },
      costAnalysis: { costPerGb: null, optimizationPotential: null },
      trends: { usageGrowth: null, performanceImprovement: null },
    });
    expect(Number(found.costAnalysis.totalCost)).toBe(0);
    await alone.sql('delete from "services"."service" where "id" = $1', [other]);
  });
});

describe('the summary of all services', () => {
  test('the counts, prices, uptime and traffic of the summary match the records of all services', async () => {
    const random = numbers(23);
    const moves = [ServiceStatus.DOWN, ServiceStatus.DEGRADED, ServiceStatus.OPERATIONAL, ServiceStatus.MAINTENANCE];
    const ids = [id];
    for (let count = 0; count < 6; count += 1) {
      ids.push(await alone.ordered());
      if (count < 5) await alone.provision(ids.at(-1) as string, provider);
    }
    for (let step = 0; step < 60; step += 1) {
      alone.clock.advance(Math.ceil(random() * 300) * MINUTE_MS);
      const moved = ids[Math.floor(random() * 6)] as string;
      await alone.move(moved, moves[Math.floor(random() * moves.length)] as ServiceStatus).catch(() => {});
    }
    const { servicesSummary: summary } = await ask(SUMMARY, {});
    const now = alone.clock.now();
    const from = new Date(summary.from);
    expect([from.getTime() % DAY_MS, Math.floor((now.getTime() - from.getTime()) / DAY_MS)]).toEqual([0, 6]);
    let [up, all] = [0, 0];
    const expected: { serviceId: string; uptimePercentage: number }[] = [];
    for (const one of ids.slice(0, 6)) {
      const changes = await alone.sql<{ from: ServiceStatus; to: ServiceStatus; created_at: string }>(
        'select "from", "to", "created_at" from "services"."service_status_change" where "service_id" = $1 and "created_at" >= $2 order by "created_at", "id"',
        [one, from],
      );
      const [row] = await alone.sql<{ status: ServiceStatus; provisioned_at: string }>(
        'select * from "services"."service" where "id" = $1',
        [one],
      );
      const since = new Date(Math.max(from.getTime(), new Date(row?.provisioned_at as string).getTime()));
      const history = changes.map(({ to, created_at: at }) => ({ to, at: new Date(at) }));
      const share = uptimePercentage(changes[0]?.from ?? (row?.status as ServiceStatus), history, since, now);
      if (share !== null && share < 100) expected.push({ serviceId: one, uptimePercentage: share });
      // the time that counts, minute by minute
      let status = changes[0]?.from ?? row?.status;
      for (let at = since.getTime(), next = 0; at < now.getTime(); at += MINUTE_MS) {
        while (history[next] && (history[next]?.at.getTime() ?? 0) <= at) status = history[next++]?.to;
        if (status === 'operational' || status === 'degraded') up += 1;
        if (status === 'operational' || status === 'degraded' || status === 'down') all += 1;
      }
    }
    expect(summary.uptimePercentage).toBeCloseTo((up / all) * 100, 0);
    const worst = expected.toSorted((one, other) => one.uptimePercentage - other.uptimePercentage).slice(0, 5);
    expect(summary.leastAvailable.map(({ uptimePercentage: share }: Json) => share)).toEqual(
      worst.map(({ uptimePercentage: share }) => share),
    );
    const statuses = await alone.sql<{ status: string }>('select "status" from "services"."service"');
    const counts = [...Map.groupBy(statuses, ({ status }) => status.toUpperCase())].map(([status, found]) => ({
      status,
      count: found.length,
    }));
    expect(summary.byStatus.toSorted((one: Json, other: Json) => one.status.localeCompare(other.status))).toEqual(
      counts.toSorted((one, other) => one.status.localeCompare(other.status)),
    );
    expect(summary.totalServices).toBe(7);
    expect(summary.byCategory).toEqual([{ category: 'connectivity', count: 7 }]);
    expect(summary.monthlyPrices.map(({ currency, amount }: Json) => [currency, Number(amount)])).toEqual([['USD', 6 * 299]]);
    expect(summary.totalDataTransferredBytes).toBe(bytesOf(within(summary.from, now.toISOString())));
  });

  test('the summary of an account without services is empty', async () => {
    const { servicesSummary: summary } = await ask(SUMMARY, { accountId: 'acc_other' });
    expect(summary).toMatchObject({
      totalServices: 0,
      byStatus: [],
      monthlyPrices: [],
      uptimePercentage: null,
      totalDataTransferredBytes: 0,
    });
  });
});
