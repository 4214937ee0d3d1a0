import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestClock } from '../../kernel/clock.ts';
import type { Attached, Database, Orm } from '../../kernel/database/database.ts';
import type { LoggedEvent } from '../../kernel/events/events.ts';
import { Graph } from '../../kernel/graph.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { newId } from '../../kernel/records/ids.ts';
import { incidentSweeper } from '../../subgraphs/monitoring/incidents/incident.sweeper.ts';
import { healthConsumer } from '../../subgraphs/monitoring/incidents/incident-health.ts';
import { monitoring } from '../../subgraphs/monitoring/subgraph.ts';
import { emptyDatabase } from '../support/empty-database.ts';
import { dyingAt, Killed } from './bulk-world.ts';

const log = createLogger({ level: 'silent' });
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const START = Date.parse('2026-03-01T12:00:00.000Z');

let database: Database;
let store: Attached;
let drop: () => Promise<void>;
beforeAll(async () => {
  ({ database, drop } = await emptyDatabase(log));
  store = await database.attach({ ...monitoring, schema: 'monitoring' });
});
afterAll(() => drop());

/** A status event of a service, `at` seconds after the start. Services with even numbers are in New York, the others in Boston. */
interface Step {
  service: number;
  to: 'down' | 'degraded' | 'operational' | 'maintenance' | 'suspended';
  at: number;
}

const step = fc.record({
  service: fc.nat(3),
  to: fc.constantFrom('down', 'degraded', 'operational', 'maintenance', 'suspended') as fc.Arbitrary<Step['to']>,
  after: fc.nat(200),
});
/** Generates lists of status events with increasing times. */
const history = fc.array(step, { minLength: 1, maxLength: 14 }).map((steps) => {
  let at = 0;
  return steps.map(({ after, ...rest }): Step => {
    at += after;
    return { ...rest, at };
  });
});

/** An organization with its own location, and the processes that consume the status events of its services. */
class World {
  readonly organizationId = newId('organization');
  readonly clock = new TestClock();
  #sequence = 0;

  events(steps: readonly Step[]): LoggedEvent[] {
    return steps.map(({ service, to, at }) => {
      this.#sequence += 1;
      const data = {
        service: { id: `svc_${service}`, account_id: `acc_${service % 3}` },
        changes: { status: { from: 'operational', to } },
        reason: null,
      };
      const subject = { type: 'Service', id: `svc_${service}` };
      return {
        id: newId('event'),
        sequence: String(this.#sequence),
        organizationId: this.organizationId,
        event: 'service.status_changed',
        subject,
        accountId: data.service.account_id,
        occurredAt: new Date(START + at * SECOND_MS),
        payload: JSON.stringify({ data }),
      };
    });
  }

  /** Consumes a batch of events, as a process would. `through` may wrap the ORM, to kill the process. */
  async consume(batch: readonly LoggedEvent[], through: (orm: Orm) => Orm = (orm) => orm): Promise<void> {
    const graph = new Graph();
    const nodes = [0, 1, 2, 3].map((service) => ({
      id: `svc_${service}`,
      provider: 'carrier',
      location: { city: service % 2 === 0 ? 'New York' : 'Boston', state: 'NY' },
    }));
    graph.bind(async () => ({ data: { services: { nodes } } }));
    await healthConsumer({ ...store, orm: through(store.orm), clock: this.clock, graph, log }).consume(batch);
  }

  /** Runs the incident sweeper at the time `at`, in milliseconds since 1970. */
  async sweep(at: number): Promise<number> {
    const clock = { now: () => new Date(at) };
    return incidentSweeper({ ...store, database, clock, log }).handle(this.organizationId);
  }

  /** Returns the incidents that the events have caused, without ids and times of the processes. */
  async state(): Promise<object> {
    const of = <T extends object>(sql: string): Promise<T[]> => store.rows.query<T>(sql, [this.organizationId]);
    return {
      incidents: await of(`select i."number", i."title", i."status", i."severity", i."cause", i."started_at", i."resolve_due_at",
          (select json_agg(json_build_array(s."service_id", s."impact", s."began_at", s."ended_at") order by s."service_id")
           from "monitoring"."incident_service" s where s."incident_id" = i."id") as "services",
          (select json_agg(u."message" order by u."created_at", u."id") from "monitoring"."incident_update" u where u."incident_id" = i."id") as "updates"
        from "monitoring"."incident" i where i."organization_id" = $1 order by i."number"`),
      events: await of(`select "event", "account_id", ("payload"::json -> 'data' -> 'incident' ->> 'number') as "number"
        from "monitoring"."outbox" where "organization_id" = $1 order by "sequence"`),
    };
  }
}

/** Returns the incidents after one process has consumed the events one after the other. */
async function expected(steps: readonly Step[]): Promise<object> {
  const world = new World();
  for (const event of world.events(steps)) await world.consume([event]);
  return world.state();
}

describe('the incidents of random histories', () => {
  test('incidents of random histories are the same if batches are repeated and processes are killed before or after any commit', async () => {
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.integer({ min: 1, max: 14 }),
        fc.constantFrom('before', 'after'),
        fc.nat(13),
        async (steps, n, when, back) => {
          const world = new World();
          const events = world.events(steps);
          await world.consume(events, dyingAt(n, when as 'before' | 'after')).catch((error: unknown) => {
            if (!(error instanceof Killed)) throw error;
          });
          await world.consume(events);
          // a process whose lock was lost consumes an old batch again
          await world.consume(events.slice(0, back));
          expect(await world.state()).toEqual(await expected(steps));
        },
      ),
      { numRuns: 40 },
    );
  });

  test('each cause has one open incident if several processes consume the same batch at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const world = new World();
        const events = world.events(steps);
        for (const event of events) await Promise.all([1, 2, 3].map(() => world.consume([event])));
        expect(await world.state()).toEqual(await expected(steps));
      }),
      { numRuns: 25 },
    );
  });

  test('each failing service has an open incident, and no incident stays open for five minutes without a failing service', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const world = new World();
        await world.consume(world.events(steps));
        const failing = new Set<string>();
        for (const { service, to } of steps) {
          if (to === 'down' || to === 'degraded') failing.add(`svc_${service}`);
          else if (to !== 'maintenance') failing.delete(`svc_${service}`);
        }
        const end = START + (steps.at(-1)?.at ?? 0) * SECOND_MS + 5 * MINUTE_MS;
        await world.sweep(end);
        const open = await store.rows.query<{ service_id: string | null }>(
          `select s."service_id" from "monitoring"."incident" i
           left join "monitoring"."incident_service" s on s."incident_id" = i."id" and s."impact" is not null
           where i."organization_id" = $1 and i."resolved_at" is null`,
          [world.organizationId],
        );
        expect(open.map(({ service_id }) => service_id).toSorted()).toEqual([...failing].toSorted());
      }),
      { numRuns: 40 },
    );
  });
});

describe('the end of an incident', () => {
  const down: Step = { service: 0, to: 'down', at: 0 };
  const up: Step = { service: 0, to: 'operational', at: 60 };
  const calmAt = START + 60 * SECOND_MS + 5 * MINUTE_MS;
  const resolved = async (world: World): Promise<number> => {
    const sql = `select count(*)::int as "count" from "monitoring"."outbox" where "organization_id" = $1 and "event" = 'incident.resolved'`;
    return (await store.rows.query<{ count: number }>(sql, [world.organizationId]))[0]?.count ?? 0;
  };

  test('an incident is resolved after five minutes and not earlier, even if the clock was moved back and forth in between', async () => {
    const world = new World();
    await world.consume(world.events([down, up]));
    for (const at of [calmAt - 1, calmAt - 3_600_000]) await world.sweep(at);
    expect(await resolved(world)).toBe(0);
    await world.sweep(calmAt);
    await world.sweep(calmAt - 1);
    expect(await resolved(world)).toBe(1);
  });

  test('the resolution of an incident is recorded once, even if several processes resolve it at the same time', async () => {
    const world = new World();
    await world.consume(world.events([down, up]));
    await Promise.all([1, 2, 3, 4].map(() => world.sweep(calmAt)));
    expect(await resolved(world)).toBe(1);
  });

  test('an incident is not resolved between a failure and its event if both have the same time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const world = new World();
      await world.consume(world.events([down, up]));
      await Promise.all([world.consume(world.events([{ ...down, at: 70 }])), world.sweep(calmAt)]);
      const open = await store.rows.query<{ impact: string | null }>(
        `select s."impact" from "monitoring"."incident" i join "monitoring"."incident_service" s on s."incident_id" = i."id"
         where i."organization_id" = $1 and i."resolved_at" is null`,
        [world.organizationId],
      );
      expect(open).toEqual([{ impact: 'down' }]);
    }
  });
});
