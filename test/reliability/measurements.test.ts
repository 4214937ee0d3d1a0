import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestClock } from '../../kernel/clock.ts';
import type { Attached, Orm } from '../../kernel/database/database.ts';
import type { LoggedEvent } from '../../kernel/events/events.ts';
import { Graph } from '../../kernel/graph.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { newId } from '../../kernel/records/ids.ts';
import { measurementConsumer } from '../../subgraphs/monitoring/measurements/measurement-consumer.ts';
import { DEFAULT_KEPT } from '../../subgraphs/monitoring/samples/sample.retention.ts';
import { SampleStore } from '../../subgraphs/monitoring/samples/sample.store.ts';
import { samplePartitions } from '../../subgraphs/monitoring/samples/sample-partitions.ts';
import { SeriesStore } from '../../subgraphs/monitoring/series/series.store.ts';
import { SeriesRegistry } from '../../subgraphs/monitoring/series/series-registry.ts';
import { ServiceAccounts } from '../../subgraphs/monitoring/services/service-accounts.ts';
import { monitoring } from '../../subgraphs/monitoring/subgraph.ts';
import type { Observation } from '../../subgraphs/services/providers/service.provider.ts';
import { eventually, onRig, start } from '../rig.ts';
import { minutesPass, serviceThatIs, tenantWithAccount } from '../services.setup.ts';
import { ScriptedProvider, ServicesAlone } from '../services-alone.ts';
import { emptyDatabase } from '../support/empty-database.ts';
import type { Json } from '../tenant.ts';
import { dyingAt, Killed } from './bulk-world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const log = createLogger({ level: 'silent' });
const ignoreDeath = (error: unknown): void => {
  if (!(error instanceof Killed)) throw error;
};

describe('the event about measurements', () => {
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

  const link = { siteId: null, isUp: true, bandwidthUtilization: 10, packetLoss: 0, jitterMs: 1, securityIncidents: 0 };
  const observation = (latencyMs: number): Observation => ({
    ...{ measuredAt: alone.clock.now(), transferredBytes: 1000, counter: null },
    links: [{ ...link, latencyMs }],
  });

  test('the event about measurements is recorded exactly if the measurements are stored, even if processes are killed or measure the same service', async () => {
    for (const [index, when] of (['before', 'after', 'before', 'after'] as const).entries()) {
      alone.clock.advance(MINUTE_MS);
      provider.measured = async () => observation(index + 1);
      await alone.measure(provider, dyingAt(1, when)).catch(ignoreDeath);
      alone.clock.advance(MINUTE_MS);
      const both = observation(index + 10);
      provider.measured = async () => both;
      await Promise.all([alone.measure(provider), alone.measure(provider)]);
    }
    const stored = await alone.sql<{ at: Date; latency_ms: number }>(
      'select "at", "latency_ms" from "services"."service_sample" order by "at"',
    );
    expect(stored.length).toBeGreaterThanOrEqual(6);
    const events = await alone.sql<{ payload: string }>(
      `select "payload" from "services"."outbox" where "event" = 'services.measured' order by "sequence"`,
    );
    const told = events.flatMap(({ payload }) => JSON.parse(payload).data.samples as Json[]);
    expect(told.map(([service, , , at, up, latency]) => [service, at, up, latency])).toEqual(
      stored.map(({ at, latency_ms: latency }) => [id, new Date(at).toISOString(), 1, latency]),
    );
  });

  test('the event about measurements contains null instead of values that are not finite numbers', async () => {
    provider.measured = async () => ({ ...observation(Number.NaN), transferredBytes: Number.POSITIVE_INFINITY });
    await alone.measure(provider).catch(() => undefined);
    provider.measured = async () => observation(Number.NaN);
    alone.clock.advance(MINUTE_MS);
    await alone.measure(provider);
    const [event] = await alone.sql<{ payload: string }>(`select "payload" from "services"."outbox" where "event" = 'services.measured'`);
    expect(JSON.parse(event?.payload ?? '{}').data.samples[0].slice(4, 7)).toEqual([1, null, 1]);
  });
});

describe('the consumer of measurements', () => {
  let store: Attached;
  let drop: () => Promise<void>;
  const clock = new TestClock();
  beforeAll(async () => {
    const opened = await emptyDatabase(log);
    drop = opened.drop;
    store = await opened.database.attach({ ...monitoring, schema: 'monitoring' });
  });
  afterAll(() => drop());

  /** Returns a process that consumes measurements. `through` may wrap the ORM, to kill the process. */
  function consumer(through: (orm: Orm) => Orm = (orm) => orm) {
    const orm = through(store.orm);
    const series = new SeriesRegistry({
      store: new SeriesStore({ ...store, orm }),
      services: new ServiceAccounts(new Graph(), log),
      clock,
    });
    return measurementConsumer({ store: new SampleStore(orm, samplePartitions(orm)), series, clock, log, kept: DEFAULT_KEPT });
  }

  const eventOf = (organizationId: string, samples: readonly Json[], sequence: number): LoggedEvent => ({
    ...{ id: newId('event'), sequence: String(sequence), organizationId, event: 'services.measured', accountId: null },
    subject: { type: 'Organization', id: organizationId },
    occurredAt: clock.now(),
    payload: JSON.stringify({ data: { samples } }),
  });
  const stored = (organizationId: string): Promise<Json[]> =>
    store.rows.query<Json>(
      `select m."name", s."service_id" as "service", s."account_id" as "account", s."labels" ->> 'site' as "site", x."at", x."value"
       from "monitoring"."sample" x join "monitoring"."series" s on s."id" = x."series_id" join "monitoring"."metric" m on m."id" = s."metric_id"
       where s."organization_id" = $1 order by s."service_id", m."name", x."at"`,
      [organizationId],
    );

  test('each measurement is stored once, even if batches are repeated, processes are killed, and two processes consume at the same time', async () => {
    const one = fc.record({
      service: fc.nat(3),
      site: fc.constantFrom('', 'hq'),
      minute: fc.nat(90),
      latency: fc.integer({ min: 1, max: 500 }),
    });
    const batches = fc.uniqueArray(one, {
      minLength: 1,
      maxLength: 12,
      selector: ({ service, site, minute }) => `${service} ${site} ${minute}`,
    });
    await fc.assert(
      fc.asyncProperty(batches, fc.integer({ min: 1, max: 3 }), fc.constantFrom('before', 'after'), async (measured, n, when) => {
        const organizationId = newId('organization');
        const now = clock.now().getTime();
        const at = (minute: number): string => new Date(now - minute * MINUTE_MS).toISOString();
        const events = measured.map(({ service, site, minute, latency }, index) =>
          eventOf(organizationId, [[`svc_${service}`, 'acc_1', site, at(minute), 1, latency, null, null, null, 0, null]], index),
        );
        await consumer(dyingAt(n, when as 'before' | 'after'))
          .consume(events)
          .catch(ignoreDeath);
        await Promise.all([consumer().consume(events), consumer().consume(events.slice(0, 3))]);
        const found = await stored(organizationId);
        expect(found).toHaveLength(measured.length * 3);
        const expected = measured.map(({ service, site, minute, latency }) =>
          JSON.stringify([`svc_${service}`, 'acc_1', site ? 'site_latency_ms' : 'latency_ms', site || null, at(minute), latency]),
        );
        const latencies = found.filter(({ name }) => name.endsWith('latency_ms'));
        expect(
          latencies
            .map(({ service, account, name, site, at: time, value }) =>
              JSON.stringify([service, account, name, site, new Date(time).toISOString(), value]),
            )
            .toSorted(),
        ).toEqual(expected.toSorted());
      }),
      { numRuns: 25 },
    );
  });

  test('measurements that arrive a day late are stored, and measurements that are about to be deleted are not stored', async () => {
    const organizationId = newId('organization');
    const now = clock.now().getTime();
    const at = (hours: number): string => new Date(now - hours * HOUR_MS).toISOString();
    const samples = [24, 47].map((hours) => ['svc_1', 'acc_1', '', at(hours), 1, null, null, null, null, 0, null]);
    await consumer().consume([eventOf(organizationId, samples, 1)]);
    expect((await stored(organizationId)).map(({ name, at: time }) => [name, new Date(time).toISOString()])).toEqual([
      ['security_incidents', at(24)],
      ['up', at(24)],
    ]);
  });
});

test('while the monitoring database is unavailable, services are measured and change their status, and the samples are stored later', async () => {
  const clock = new TestClock();
  const platform = await start({}, clock);
  try {
    await onRig(platform, async () => {
      const { tenant, accountId } = await tenantWithAccount();
      const { id } = await serviceThatIs('operational', tenant, accountId, { name: 'Office SIM-DOWN' });
      const { rows } = platform.assembly.stores.services;
      // every statement of monitoring fails
      await rows.query('alter schema "monitoring" rename to "lost"', []);
      await minutesPass(3, tenant, id);
      expect((await tenant.rest('GET', `/services/${id}/status`)).body.data.status).toBe('down');
      await rows.query('alter schema "lost" rename to "monitoring"', []);
      const [count] = await rows.query<{ count: number }>(
        `select count(*)::int as "count" from "services"."service_sample" where "service_id" = $1`,
        [id],
      );
      expect(count?.count).toBeGreaterThanOrEqual(3);
      await eventually(async () => {
        const { body } = await tenant.rest('GET', `/monitoring/metrics/up?service_id=${id}&period=24h&aggregation=count`);
        const values: (number | null)[] = body.data?.series?.[0]?.values ?? [];
        return values.reduce<number>((sum, value) => sum + (value ?? 0), 0) === count?.count;
      });
    });
  } finally {
    await platform.close();
  }
});
