import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Attached, Database, Orm } from '../../kernel/database/database.ts';
import { Graph } from '../../kernel/graph.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { newId } from '../../kernel/records/ids.ts';
import { AlertEvaluation } from '../../subgraphs/monitoring/alert-evaluation/alert-evaluation.ts';
import { progressOf, type Verdict } from '../../subgraphs/monitoring/alert-evaluation/alert-progress.ts';
import { MaintainedServices } from '../../subgraphs/monitoring/alert-evaluation/maintained-services.ts';
import { Alert } from '../../subgraphs/monitoring/alerts/alert.entity.ts';
import { AlertCondition, AlertNoData, AlertSeverity, AlertState } from '../../subgraphs/monitoring/alerts/alert.states.ts';
import type { AlertMailJob, AlertMails } from '../../subgraphs/monitoring/alerts/alert-mail.job.ts';
import { Aggregation } from '../../subgraphs/monitoring/charts/chart.states.ts';
import { SampleStore } from '../../subgraphs/monitoring/samples/sample.store.ts';
import { samplePartitions } from '../../subgraphs/monitoring/samples/sample-partitions.ts';
import { SeriesStore } from '../../subgraphs/monitoring/series/series.store.ts';
import { monitoring } from '../../subgraphs/monitoring/subgraph.ts';
import { emptyDatabase } from '../support/empty-database.ts';
import { dyingAt } from './bulk-world.ts';

const log = createLogger({ level: 'silent' });
const SECOND_MS = 1000;
const START = Date.parse('2026-03-01T12:00:00.000Z');
const WINDOW = 60;

interface Settings {
  forSeconds: number;
  recoverForSeconds: number;
  noData: AlertNoData;
}

/** Result of the evaluation of an alert, `at` seconds after the start. */
interface Evaluation {
  at: number;
  verdict: Verdict;
}

const settings: fc.Arbitrary<Settings> = fc.record({
  forSeconds: fc.constantFrom(0, 60, 150),
  recoverForSeconds: fc.constantFrom(0, 60, 150),
  noData: fc.constantFrom(...Object.values(AlertNoData)),
});
/** Generates evaluations, including late evaluations. A verdict often stays the same for some evaluations. */
const evaluations = (gap: fc.Arbitrary<number>, maxLength: number): fc.Arbitrary<Evaluation[]> =>
  fc
    .array(
      fc.record({
        verdict: fc.constantFrom<Verdict>('breach', 'between', 'clear', 'unknown'),
        gaps: fc.array(gap, { minLength: 1, maxLength: 4 }),
      }),
      { minLength: 1, maxLength },
    )
    .map((runs) => {
      let at = 0;
      return runs.flatMap(({ verdict, gaps }) =>
        gaps.map((after) => {
          at += after;
          return { at, verdict };
        }),
      );
    });

/**
 * Returns the expected state after each evaluation. This model stores no times: at each evaluation, it looks back at all evaluations so
 * far. An alert fires when the condition was met in all evaluations for `forSeconds`. It resolves when the condition was not met for the
 * recovery time, or when there were no samples for two windows.
 */
function expectedStates({ forSeconds, recoverForSeconds, noData }: Settings, all: readonly Evaluation[]): AlertState[] {
  const meaning: Record<AlertNoData, Verdict> = { ok: 'clear', no_data: 'unknown', firing: 'breach' };
  const known = all.map(({ at, verdict }) => ({ at, verdict: verdict === 'unknown' ? meaning[noData] : verdict }));
  /**
   * Returns the number of seconds until the last evaluation during which only these verdicts were found. Undefined if the last evaluation
   * has another verdict.
   */
  const lasting = (past: readonly Evaluation[], ...verdicts: Verdict[]): number | undefined => {
    const other = past.findLastIndex(({ verdict }) => !verdicts.includes(verdict));
    const first = past[other + 1];
    return first && (past.at(-1) as Evaluation).at - first.at;
  };
  let alarmFrom: number | null = null;
  return known.map(({ verdict }, index) => {
    const past = known.slice(0, index + 1);
    if (alarmFrom === null) {
      if (verdict === 'unknown') return AlertState.NO_DATA;
      if (verdict !== 'breach') return AlertState.OK;
      if ((lasting(past, 'breach') ?? -1) < forSeconds) return AlertState.PENDING;
      alarmFrom = index;
      return AlertState.FIRING;
    }
    const since = known.slice(alarmFrom, index + 1);
    if ((lasting(since, 'unknown') ?? -1) >= 2 * WINDOW) {
      alarmFrom = null;
      return AlertState.NO_DATA;
    }
    // what is not known does not interrupt a recovery
    const seen = since.filter((one) => one.verdict !== 'unknown');
    const clearFrom = seen[seen.findLastIndex((one) => one.verdict !== 'clear') + 1];
    if (!clearFrom) return AlertState.FIRING;
    if (verdict === 'clear' && (past.at(-1) as Evaluation).at - clearFrom.at >= recoverForSeconds) {
      alarmFrom = null;
      return AlertState.OK;
    }
    return AlertState.RECOVERING;
  });
}

test('the states of random alert evaluations equal the states that follow from the definition of the states', () => {
  fc.assert(
    fc.property(settings, evaluations(fc.integer({ min: 15, max: 120 }), 20), (set, all) => {
      let progress: ReturnType<typeof progressOf> = null;
      const states = all.map(({ at, verdict }) => {
        progress = progressOf({ ...set, windowSeconds: WINDOW }, progress, verdict, new Date(START + at * SECOND_MS));
        return progress?.state ?? AlertState.OK;
      });
      expect(states).toEqual(expectedStates(set, all));
    }),
    { numRuns: 3000 },
  );
});

let database: Database;
let store: Attached;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ database, drop } = await emptyDatabase(log));
  store = await database.attach({ ...monitoring, schema: 'monitoring' });
});
afterAll(() => drop());

const VALUES: Readonly<Record<Exclude<Verdict, 'unknown'>, number>> = { breach: 20, between: 8, clear: 1 };

/** An organization with a metric, and the processes that evaluate its alerts. */
class World {
  readonly organizationId = newId('organization');
  readonly #graph = new Graph();
  /** The mails that were enqueued. */
  readonly mails: AlertMailJob[] = [];

  constructor(readonly settings: Settings) {
    this.#graph.bind(async () => ({ data: { maintenanceWindows: { nodes: [], pageInfo: { nextCursor: null } } } }));
  }

  /** Stores a sample shortly before each evaluation that must find a value. Creates alerts that are due at the first evaluation. */
  async fill(all: readonly Evaluation[], alerts = 1, serviceId: string | null = null, notify: string[] = []): Promise<void> {
    const { organizationId, settings: set } = this;
    const named = { metric: 'load', serviceId, labels: {}, type: null, isDelta: null, unit: null, description: null };
    const series = { ...named, accountId: serviceId && 'acc_1' };
    const created = await new SeriesStore(store).create(organizationId, [series], { limit: 10 }, new Date(START));
    const [{ id: seriesId } = { id: 0 }] = created.values();
    const samples = all.flatMap(({ at, verdict }) =>
      verdict === 'unknown' ? [] : [{ seriesId, at: START + (at - 11) * SECOND_MS, value: VALUES[verdict] }],
    );
    if (samples.length > 0) await new SampleStore(store.orm, samplePartitions(store.orm)).write(samples);
    const now = new Date(START);
    await store.orm.em.fork().transactional(async (tx) => {
      for (let n = 0; n < alerts; n += 1) {
        const limits = { condition: AlertCondition.ABOVE, threshold: 10, recoveryThreshold: 5, aggregation: Aggregation.LAST };
        const times = { windowSeconds: WINDOW, intervalSeconds: 60, stateSince: now, dueAt: now, createdAt: now, updatedAt: now };
        const known = {
          id: newId('alert'),
          organizationId,
          name: `Alert ${n}`,
          metric: 'load',
          severity: AlertSeverity.WARNING,
          serviceId,
          notify,
        };
        tx.persist(Object.assign(new Alert(), known, limits, set, times));
      }
    });
  }

  /** Makes only the alerts of this organization due. */
  async due(at: number): Promise<void> {
    const time = new Date(START + at * SECOND_MS);
    await store.rows.query(
      `update "monitoring"."alert" set "due_at" = case when "organization_id" = $1 then $2::timestamptz else 'infinity' end`,
      [this.organizationId, time],
    );
  }

  /** Runs the alert sweeper as one process would. */
  async sweep(at: number, through: (orm: Orm) => Orm = (orm) => orm): Promise<void> {
    const clock = { now: () => new Date(START + at * SECOND_MS) };
    const mails = { enqueue: async (_: unknown, jobs: AlertMailJob[]) => void this.mails.push(...jobs) } as unknown as AlertMails;
    const maintained = new MaintainedServices({ graph: this.#graph, clock, log });
    const evaluation = new AlertEvaluation({ ...store, orm: through(store.orm), clock, log, maintained, mails });
    while ((await evaluation.sweep(clock.now(), 200)) >= 200);
  }

  /** Returns the transitions of each alert, in their order. */
  async transitions(): Promise<string[][]> {
    const found = await store.rows.query<{ states: string[] | null }>(
      `select (select json_agg(t."from_state" || ' ' || t."to_state" order by t."created_at", t."sequence") from "monitoring"."alert_transition" t
         where t."alert_id" = a."id") as "states"
       from "monitoring"."alert" a where a."organization_id" = $1 order by a."name"`,
      [this.organizationId],
    );
    return found.map(({ states }) => states ?? []);
  }

  /** Returns the transitions that the events of an alert report. */
  async events(): Promise<string[]> {
    const found = await store.rows.query<{ change: string }>(
      `select ("payload"::json #>> '{data,instance,previous_state}') || ' ' || ("payload"::json #>> '{data,instance,state}') as "change"
       from "monitoring"."outbox" where "organization_id" = $1 order by "sequence"`,
      [this.organizationId],
    );
    return found.map(({ change }) => change);
  }

  async notified(): Promise<string[]> {
    const sql = `select "event" from "monitoring"."outbox" where "organization_id" = $1 and "event" <> 'alert.updated' order by "sequence"`;
    return (await store.rows.query<{ event: string }>(sql, [this.organizationId])).map(({ event }) => event);
  }
}

/** Returns the transitions that follow from a list of states. */
const transitionsOf = (states: readonly AlertState[]): string[] =>
  [AlertState.OK, ...states].flatMap((state, index) => {
    const next = states[index];
    return next === undefined || next === state ? [] : [`${state} ${next}`];
  });
// a window later than the one before, so that each evaluation finds its own sample
const few = evaluations(fc.integer({ min: WINDOW + 1, max: 200 }), 5);
const every = fc.record({ set: settings, all: few });

describe('the evaluation of alerts', () => {
  test('an alert transition is stored once with its event, even if processes are killed before or after a commit', async () => {
    await fc.assert(
      fc.asyncProperty(every, fc.nat(20), fc.constantFrom<'before' | 'after'>('before', 'after'), async ({ set, all }, n, when) => {
        const world = new World(set);
        await world.fill(all);
        for (const [index, { at }] of all.entries()) {
          await world.due(at);
          if (index % 3 === n % 3) await world.sweep(at, dyingAt(1, when));
          // also after a commit: the next process finds that nothing has changed
          await world.due(at);
          await world.sweep(at);
        }
        const expected = transitionsOf(expectedStates(set, all));
        expect(await world.transitions()).toEqual([expected]);
        expect(await world.events()).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });

  test('an alert transition is stored once with its event, even if several processes evaluate many alerts at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(every, async ({ set, all }) => {
        const world = new World(set);
        await world.fill(all, 30);
        for (const { at } of all) {
          await world.due(at);
          await Promise.all([1, 2, 3].map(() => world.sweep(at)));
        }
        const expected = transitionsOf(expectedStates(set, all));
        expect(await world.transitions()).toEqual(Array.from({ length: 30 }, () => expected));
        expect((await world.events()).length).toBe(expected.length * 30);
      }),
      { numRuns: 10 },
    );
  });

  test('the start and the end of an alert each cause one notification, even if the maintenance of the service must be looked up first', async () => {
    const immediate = { forSeconds: 0, recoverForSeconds: 0, noData: AlertNoData.NO_DATA };
    const world = new World(immediate);
    const all: Evaluation[] = (['breach', 'breach', 'clear', 'breach', 'clear'] as const).map((verdict, n) => ({
      at: (n + 1) * 61,
      verdict,
    }));
    await world.fill(all, 1, 'svc_1');
    for (const { at } of all) {
      await world.due(at);
      await Promise.all([1, 2].map(() => world.sweep(at)));
    }
    expect(await world.notified()).toEqual(['alert.firing', 'alert.resolved', 'alert.firing', 'alert.resolved']);
  });

  test('sends ten mails of each flapping alert to each address in an hour, if several processes evaluate many alerts at the same time', async () => {
    const [alerts, flaps] = [30, 8];
    const world = new World({ forSeconds: 0, recoverForSeconds: 0, noData: AlertNoData.NO_DATA });
    const all = Array.from({ length: 2 * flaps }, (_, n): Evaluation => ({ at: (n + 1) * 61, verdict: n % 2 === 0 ? 'breach' : 'clear' }));
    await world.fill(all, alerts, null, ['a@example.com', 'b@example.com']);
    for (const { at } of all) {
      await world.due(at);
      await Promise.all([1, 2, 3].map(() => world.sweep(at)));
    }
    const byAddress = Map.groupBy(world.mails, ({ alertId, to }) => `${alertId} ${to}`);
    expect(byAddress.size).toBe(2 * alerts);
    for (const mails of byAddress.values()) {
      expect(mails.map(({ kind }) => kind)).toEqual(Array(5).fill(['firing', 'resolved']).flat());
      expect(mails.findIndex(({ pausedUntil }) => pausedUntil !== undefined)).toBe(9);
    }
    expect(await world.notified()).toHaveLength(2 * flaps * alerts);
    // after the hour, one mail to each address says that nothing fires any more
    const later = (all.at(-1)?.at ?? 0) + 3600;
    world.mails.length = 0;
    await world.due(later);
    await Promise.all([1, 2, 3].map(() => world.sweep(later)));
    expect(world.mails).toHaveLength(2 * alerts);
    for (const mail of world.mails) expect(mail).toMatchObject({ kind: 'resolved', held: 6, total: 0 });
  });

  test('needs as many statements for fifty alerts that send mails as for one', async () => {
    const statements = async (alerts: number): Promise<number> => {
      const world = new World({ forSeconds: 0, recoverForSeconds: 0, noData: AlertNoData.NO_DATA });
      await world.fill([{ at: 61, verdict: 'breach' }], alerts, null, ['a@example.com']);
      await world.due(61);
      let count = 0;
      database.onStatement = () => {
        count += 1;
      };
      await world.sweep(61);
      database.onStatement = undefined;
      expect(world.mails).toHaveLength(alerts);
      return count;
    };
    expect(await statements(50)).toBe(await statements(1));
  });
});
