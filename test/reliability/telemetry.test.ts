import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ServiceStatus } from '../../subgraphs/services/inventory/service.states.ts';
import type { Observation, ObservedService } from '../../subgraphs/services/providers/service.provider.ts';
import { ScriptedProvider, ServicesAlone } from '../services-alone.ts';
import type { Json } from '../tenant.ts';
import { dyingAt } from './bulk-world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LINK = { siteId: null, isUp: true, latencyMs: 5, bandwidthUtilization: 10, packetLoss: 0, jitterMs: 1, securityIncidents: 0 };

let alone: ServicesAlone;
let provider: ScriptedProvider;
let id: string;
beforeEach(async () => {
  alone = await ServicesAlone.open();
  provider = new ScriptedProvider(async () => ({ state: 'completed', reference: 'line-1' }));
  id = await alone.ordered();
  await alone.provision(id, provider);
});
afterEach(() => alone[Symbol.asyncDispose]());

const observation = (transferredBytes: number | null): Observation => ({
  measuredAt: alone.clock.now(),
  links: [LINK],
  transferredBytes,
  counter: null,
});
const measure = (): Promise<void> => alone.measure(provider);
const usageOf = async (serviceId: string): Promise<Json[]> =>
  (await alone.events(serviceId)).filter(({ event }) => event === 'usage.recorded').map(({ data }) => data);
const hourOf = (at: Date): string => new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS).toISOString();
/** Pseudorandom numbers from 0 to 1, the same in each run. */
const numbers = (seed: number) => (): number => {
  seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
  return seed / 2 ** 31;
};

describe('the usage that is recorded from measurements', () => {
  test('the exact traffic of each hour with samples is recorded once, including the last hour of a service that ended', async () => {
    const random = numbers(7);
    const expected = new Map<string, number>();
    for (let minute = 0; minute < 300; minute += 1) {
      // sometimes the provider is silent, or a process is off for a while
      const bytes = random() < 0.1 ? null : Math.floor(random() * 1e9);
      // some measurements are made exactly at the beginning of an hour
      const measuredAt = new Date(Math.floor(alone.clock.now().getTime() / MINUTE_MS) * MINUTE_MS);
      provider.measured = async () => (bytes === null ? null : { ...observation(bytes), measuredAt });
      if (bytes !== null) expected.set(hourOf(measuredAt), (expected.get(hourOf(measuredAt)) ?? 0) + bytes);
      await measure();
      alone.clock.advance(random() < 0.02 ? 90 * MINUTE_MS : MINUTE_MS);
    }
    await alone.move(id, ServiceStatus.DECOMMISSIONING);
    alone.clock.advance(MINUTE_MS);
    await measure();
    await alone.move(id, ServiceStatus.DECOMMISSIONED);
    alone.clock.advance(MINUTE_MS);
    await measure();
    const usage = await usageOf(id);
    expect(usage.map(({ from }) => from)).toEqual([...expected.keys()]);
    for (const { from, to, quantity, source, metric, unit, service_id } of usage) {
      expect(quantity * 1e9).toBeCloseTo(expected.get(from) ?? Number.NaN, 0);
      expect(Date.parse(to) - Date.parse(from)).toBe(HOUR_MS);
      expect({ source, metric, unit, service_id }).toEqual({
        source: `${id}/data_gb/${from}`,
        metric: 'data_gb',
        unit: 'GB',
        service_id: id,
      });
    }
    const days = await alone.sql<{ bytes: string }>(
      `select sum("transferred_bytes")::text as bytes from "services"."service_sample_day" where "service_id" = $1`,
      [id],
    );
    expect(Number(days[0]?.bytes)).toBe([...expected.values()].reduce((sum, bytes) => sum + bytes, 0));
    expect(await alone.sql(`select 1 as one from "services"."service_measurement" where "service_id" = $1`, [id])).toEqual([]);
  });

  test('traffic that two processes observe at the same time is counted once', async () => {
    provider.measured = async () => observation(null);
    await measure();
    alone.clock.advance(MINUTE_MS);
    let waiting = 0;
    const both = Promise.withResolvers<void>();
    provider.measured = async () => {
      waiting += 1;
      const turn = waiting;
      if (turn === 2) both.resolve();
      await both.promise;
      const now = observation(1000);
      return { ...now, measuredAt: new Date(now.measuredAt.getTime() + turn * 1000) };
    };
    const first = measure();
    // the first process is slower than the interval, so the second one measures the service too
    while (waiting === 0) await new Promise((resolve) => setImmediate(resolve));
    alone.clock.advance(MINUTE_MS);
    await Promise.all([first, measure()]);
    const rows = await alone.sql<{ bytes: string }>(
      `select "transferred_bytes"::text as bytes from "services"."service_sample" where "service_id" = $1 and "transferred_bytes" is not null`,
      [id],
    );
    expect(rows.map(({ bytes }) => bytes)).toEqual(['1000']);
  });

  test('the provider gets the time and the counter of the previous observation', async () => {
    const seen: (ObservedService['previous'] | undefined)[] = [];
    provider.measured = async (service) => {
      seen.push(service.previous);
      return { ...observation(null), counter: 4200 };
    };
    const first = alone.clock.now();
    await measure();
    alone.clock.advance(MINUTE_MS);
    await measure();
    expect(seen).toEqual([null, { measuredAt: expect.any(Date), counter: 4200 }]);
    expect(Math.abs((seen[1]?.measuredAt.getTime() ?? 0) - first.getTime())).toBeLessThan(1000);
  });
});

describe('the usage of a suspended service', () => {
  const { SUSPENDED, OPERATIONAL, DECOMMISSIONING, DECOMMISSIONED } = ServiceStatus;
  let counter: number;
  let hour: number;

  beforeEach(async () => {
    counter = 1e9;
    hour = alone.clock.now().getTime() - (alone.clock.now().getTime() % HOUR_MS) + HOUR_MS;
    provider.measured = async ({ previous }) => ({
      ...observation(previous?.counter == null ? null : counter - previous.counter),
      counter,
    });
    await measuredAt(5);
    counter += 2e9;
    await measuredAt(10);
    await alone.move(id, SUSPENDED);
    // the provider needs a moment until the service is blocked
    counter += 1e9;
  });

  /** Measures a number of minutes after the beginning of the hour. */
  async function measuredAt(minute: number): Promise<void> {
    alone.clock.set(new Date(hour + minute * MINUTE_MS));
    await measure();
  }
  const usage = async (): Promise<[number, number][]> =>
    (await usageOf(id)).map(({ from, quantity }) => [(Date.parse(from) - hour) / HOUR_MS, quantity]);

  test('if the suspension ends in the hour in which it began, the usage of this hour is recorded once and includes all traffic', async () => {
    await measuredAt(20);
    await alone.move(id, OPERATIONAL);
    counter += 4e9;
    await measuredAt(30);
    await measuredAt(61);
    expect(await usage()).toEqual([[0, 7]]);
  });

  test('the usage of the hour in which a long suspension began is recorded when the hour has ended, and later traffic belongs to the hour after the suspension', async () => {
    await measuredAt(20);
    expect(await usage()).toEqual([]);
    await measuredAt(61);
    await measuredAt(130);
    expect(await usage()).toEqual([[0, 2]]);
    await alone.move(id, OPERATIONAL);
    counter += 4e9;
    await measuredAt(140);
    await measuredAt(181);
    expect(await usage()).toEqual([
      [0, 2],
      [2, 5],
    ]);
  });

  test.each([30, 130])(
    'a service that is ended %i minutes later, while it is suspended, has one record of its last usage',
    async (minute) => {
      await measuredAt(20);
      await measuredAt(minute);
      await alone.move(id, DECOMMISSIONING);
      await measuredAt(minute + 1);
      await alone.move(id, DECOMMISSIONED);
      await measuredAt(minute + 2);
      await measuredAt(minute + 3);
      expect(await usage()).toEqual([[0, 2]]);
      expect(await alone.sql(`select 1 as one from "services"."service_measurement" where "service_id" = $1`, [id])).toEqual([]);
    },
  );
});

describe('a process that is killed while it measures', () => {
  const cases = [1, 2, 3, 4].flatMap((n) => (['before', 'after'] as const).map((when) => [n, when] as const));

  test.each(cases)(
    'commit %i of a measurement: if the process is killed %s this commit, traffic is counted once and the outage is reported once',
    async (n, when) => {
      const began = alone.clock.now().getTime();
      let isUp = true;
      // one byte in a millisecond since the previous observation, so that a lost observation loses nothing
      provider.measured = async ({ previous }) => {
        const now = observation(null);
        const transferredBytes = previous && now.measuredAt.getTime() - previous.measuredAt.getTime();
        return { ...now, transferredBytes, links: [{ ...LINK, isUp }] };
      };
      await measure();
      const first = await lastSample();
      alone.clock.advance(HOUR_MS);
      isUp = false;
      const dying = dyingAt(n, when);
      for (let minute = 0; minute < 3; minute += 1) {
        await alone.measure(provider, dying).catch(() => {});
        alone.clock.advance(MINUTE_MS);
      }
      for (let minute = 0; minute < 70; minute += 1) {
        await measure();
        alone.clock.advance(MINUTE_MS);
      }
      await alone.move(id, ServiceStatus.DECOMMISSIONING);
      await alone.move(id, ServiceStatus.DECOMMISSIONED);
      await measure();
      expect((await alone.row(id)).status).toBe('decommissioned');
      const events = await alone.events(id);
      expect(events.filter(({ event }) => event === 'service.down')).toHaveLength(1);
      const usage = await usageOf(id);
      expect(new Set(usage.map(({ source }) => source)).size).toBe(usage.length);
      const total = usage.reduce((sum, { quantity }) => sum + quantity * 1e9, 0);
      expect(Math.round(total)).toBe((await lastSample()) - first);
      expect(first).toBeGreaterThanOrEqual(began);
    },
  );

  const lastSample = async (): Promise<number> => {
    const [row] = await alone.sql<{ at: string }>('select max("at") as at from "services"."service_sample"');
    return new Date(row?.at as string).getTime();
  };
});

test('measurements during maintenance record usage, but do not change the status and send no alert', async () => {
  await alone.move(id, ServiceStatus.MAINTENANCE);
  for (let minute = 0; minute < 130; minute += 1) {
    provider.measured = async () => ({ ...observation(1000), links: [{ ...LINK, isUp: minute % 20 < 10, latencyMs: 500 }] });
    await measure();
    alone.clock.advance(MINUTE_MS);
  }
  expect((await alone.row(id)).status).toBe('maintenance');
  const names = new Set((await alone.events(id)).map(({ event }) => event));
  expect(names).toContain('usage.recorded');
  expect([...names].filter((name) => ['service.down', 'service.performance_alert'].includes(name))).toEqual([]);
});

test('if the status of a service changes while the service is measured, the change by the measurements has a later time', async () => {
  provider.measured = async () => ({ ...observation(null), links: [{ ...LINK, isUp: false }] });
  await measure();
  alone.clock.advance(MINUTE_MS);
  provider.measured = async () => {
    const observed = { ...observation(null), links: [{ ...LINK, isUp: false }] };
    alone.clock.advance(10_000);
    await alone.move(id, ServiceStatus.DEGRADED);
    return observed;
  };
  await measure();
  const history = await alone.sql<{ to: string }>(
    'select "to" from "services"."service_status_change" where "service_id" = $1 order by "created_at", "id"',
    [id],
  );
  expect(history.map(({ to }) => to).slice(-3)).toEqual(['operational', 'degraded', 'down']);
});

describe('measuring', () => {
  test('a service is measured even if a process of the previous release provisioned it', async () => {
    await alone.sql('delete from "services"."service_measurement"');
    // the previous release knows nothing of measurements, and only changes the status
    await alone.sql(`update "services"."service" set "status" = 'degraded' where "id" = $1`, [id]);
    provider.measured = async () => observation(null);
    await measure();
    expect(await alone.sql('select 1 as one from "services"."service_sample" where "service_id" = $1', [id])).toHaveLength(1);
  });

  test('a provider failure for one service does not prevent the measuring of other services', async () => {
    const other = await alone.ordered();
    await alone.provision(other, provider);
    provider.measured = async ({ serviceId }) => {
      if (serviceId === id) throw new Error('connect ECONNREFUSED');
      return observation(null);
    };
    await measure();
    const rows = await alone.sql<{ service_id: string }>('select "service_id" from "services"."service_sample"');
    expect(rows.map(({ service_id }) => service_id)).toEqual([other]);
  });

  test.each([
    ['an observation of the distant past', -48 * HOUR_MS],
    ['an observation of the distant future', 48 * HOUR_MS],
  ])('%s is ignored', async (_, offset) => {
    provider.measured = async () => ({ ...observation(1), measuredAt: new Date(alone.clock.now().getTime() + offset) });
    await measure();
    expect(await alone.sql('select 1 as one from "services"."service_sample"')).toEqual([]);
  });

  test('samples are deleted after their retention time, and their daily sums are kept', async () => {
    provider.measured = async () => observation(1000);
    await measure();
    alone.clock.advance(63 * 24 * HOUR_MS);
    await measure();
    await alone.prune(provider);
    const count = async (table: string): Promise<number> =>
      (await alone.sql<{ count: number }>(`select count(*)::int as count from "services"."${table}"`))[0]?.count ?? 0;
    expect([await count('service_sample'), await count('service_sample_day')]).toEqual([1, 2]);
  });
});
