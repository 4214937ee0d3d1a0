import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scratchFolder } from '../../bench/scratch-folder.ts';
import { Secrets } from '../../kernel/access/secrets.ts';
import { TestClock } from '../../kernel/clock.ts';
import type { Attached, Database, Orm } from '../../kernel/database/database.ts';
import type { LoggedEvent, Reaction } from '../../kernel/events/events.ts';
import { FolderFiles } from '../../kernel/files/files.ts';
import { Graph } from '../../kernel/graph.ts';
import { Jobs } from '../../kernel/jobs/jobs.ts';
import { newId } from '../../kernel/records/ids.ts';
import { alertConsumer } from '../../subgraphs/monitoring/alert-effects/alert-consumer.ts';
import { alertTicketSweeper } from '../../subgraphs/monitoring/alert-tickets/alert-ticket.sweeper.ts';
import { ticketOpened } from '../../subgraphs/monitoring/alert-tickets/ticket-opened.reaction.ts';
import { incidentSweeper } from '../../subgraphs/monitoring/incidents/incident.sweeper.ts';
import { ServiceAccounts } from '../../subgraphs/monitoring/services/service-accounts.ts';
import { monitoring } from '../../subgraphs/monitoring/subgraph.ts';
import { support } from '../../subgraphs/support/subgraph.ts';
import { SECRET_KEY, silent } from '../support/domain-world.ts';
import { emptyDatabase } from '../support/empty-database.ts';
import { dyingAt, Killed } from './bulk-world.ts';

const CALM_MS = 5 * 60_000;

let database: Database;
let ofMonitoring: Attached;
let ofSupport: Attached;
let drop: () => Promise<void>;
/** The reactions of the support domain, of the process that runs at the moment. */
let reactions: readonly Reaction[];
let ormOfProcess: Orm;
const clock = new TestClock();
beforeAll(async () => {
  ({ database, drop } = await emptyDatabase(silent));
  ofMonitoring = await database.attach({ ...monitoring, schema: 'monitoring' });
  ofSupport = await database.attach({ ...support, schema: 'support' });
  ormOfProcess = ofSupport.orm;
  const graph = new Graph();
  const account = { id: 'acc_own', customerId: 'cust_own', tier: null, name: 'Own', email: '' };
  graph.bind(async () => ({ data: { organization: { plan: 'BUSINESS' }, defaultAccount: account, accounts: { nodes: [account] } } }));
  const started = support.start({
    ...ofSupport,
    ...{ database, jobs: new Jobs(database, silent), clock, graph, log: silent, origin: 'http://127.0.0.1' },
    orm: new Proxy(ofSupport.orm, {
      get(target, name) {
        if (name === 'em') return ormOfProcess.em;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }),
    secrets: new Secrets([SECRET_KEY]),
    allowPrivateUrls: true,
    mailer: { send: async () => undefined, close: async () => undefined },
    sms: { send: async () => undefined, close: async () => undefined },
    files: new FolderFiles(scratchFolder()),
    notificationRetentionDays: 90,
  });
  reactions = started.reactions ?? [];
});
afterAll(() => drop());

/** An instance of an alert fires, or is resolved. The first two alerts open incidents, and the third does not. */
interface Step {
  alert: number;
  instance: number;
  fires: boolean;
}

/** How a process is killed: before or after its n-th commit. */
interface Kill {
  n: number;
  when: 'before' | 'after';
}

const steps: fc.Arbitrary<Step[]> = fc.array(fc.record({ alert: fc.nat(2), instance: fc.nat(1), fires: fc.boolean() }), {
  minLength: 1,
  maxLength: 8,
});
const kill: fc.Arbitrary<Kill> = fc.record({ n: fc.integer({ min: 1, max: 4 }), when: fc.constantFrom('before', 'after') });

type Through = (orm: Orm) => Orm;
const alive: Through = (orm) => orm;

/** An organization with three alerts, and the processes of the two domains, which exchange events. */
class World {
  readonly organizationId = newId('organization');
  readonly #alerts = [0, 1, 2].map(() => newId('alert'));
  readonly #instances = new Map<string, string>();

  async open(): Promise<void> {
    const now = clock.now();
    for (const id of this.#alerts)
      await this.#of(
        ofMonitoring,
        `insert into "monitoring"."alert" ("id", "organization_id", "name", "metric", "labels", "group_by", "condition", "window_seconds",
           "for_seconds", "recover_for_seconds", "interval_seconds", "no_data", "severity", "notify", "state_since", "due_at", "created_at", "updated_at")
         values ($2, $1, 'High load', 'load', '[]', '["host"]', 'above', 60, 0, 0, 60, 'ok', 'info', '[]', $3, 'infinity', $3, $3)`,
        [id, now],
      );
  }

  /** Stores the new state of an instance, as the evaluation does, and returns the event. Undefined if the state is the same. */
  async event({ alert, instance, fires }: Step): Promise<LoggedEvent | undefined> {
    const key = `${alert} ${instance}`;
    const alertId = this.#alerts[alert] as string;
    if (this.#instances.has(key) === fires) return undefined;
    const id = this.#instances.get(key) ?? newId('alertInstance');
    const now = clock.now();
    if (fires) {
      this.#instances.set(key, id);
      await this.#of(
        ofMonitoring,
        `insert into "monitoring"."alert_instance" ("id", "organization_id", "alert_id", "digest", "labels", "state", "since", "fired_at", "notified_at",
           "sequence", "created_at") values ($2, $1, $3, $4, '{}', 'firing', $5, $5, $5, 1, $5)`,
        [id, alertId, String(instance), now],
      );
    } else {
      this.#instances.delete(key);
      await this.#of(ofMonitoring, `delete from "monitoring"."alert_instance" where "organization_id" = $1 and "id" = $2`, [id]);
    }
    const named = { name: 'High load', metric: 'load', severity: 'info', service_id: null, account_id: null, description: null };
    const data = {
      alert: { ...named, id: alertId, open_incident: alert < 2, open_ticket: 'high' },
      instance: { id, service_id: null, labels: {}, since: now, fired_at: fires ? now : null },
    };
    return this.#logged(newId('event'), fires ? 'alert.firing' : 'alert.resolved', JSON.stringify({ data }));
  }

  /** Lets processes consume an event, and all events that follow from it. The first process of each kind is killed. */
  async consume(event: LoggedEvent, { n, when }: Kill): Promise<void> {
    const services = new ServiceAccounts(new Graph(), silent);
    await killedOnce(n, when, (by) => alertConsumer({ orm: by(ofMonitoring.orm), clock, services }).consume([event]));
    await this.exchange({ n, when });
  }

  /** Delivers the recorded events to the reactions of both domains, each at least twice, until there are no new ones. */
  async exchange({ n, when }: Kill): Promise<void> {
    const done = new Set<string>();
    for (;;) {
      const waiting = (await this.#outboxes()).filter(({ id }) => !done.has(id));
      if (waiting.length === 0) return;
      for (const event of waiting) {
        done.add(event.id);
        await killedOnce(n, when, async (by) => {
          for (const reaction of this.#reactions(by)) if (reaction.on === event.event) await reaction.handle(event);
        });
      }
    }
  }

  /** Moves the clock beyond the time after which incidents and tickets without a firing alert end. */
  async calm({ n, when }: Kill): Promise<void> {
    clock.advance(CALM_MS + 1);
    await killedOnce(n, when, async (by) => {
      const deps = { ...ofMonitoring, orm: by(ofMonitoring.orm), database, clock, log: silent };
      await alertTicketSweeper(deps).handle(this.organizationId);
      await incidentSweeper(deps).handle(this.organizationId);
    });
    // a sweep postpones what it could not handle
    clock.advance(60_001);
    const deps = { ...ofMonitoring, database, clock, log: silent };
    await alertTicketSweeper(deps).handle(this.organizationId);
    await incidentSweeper(deps).handle(this.organizationId);
    await this.exchange({ n, when });
  }

  /** Returns the tickets in the order of their creation, each with what it was opened for, its links and its comments. */
  async tickets(): Promise<object[]> {
    const found = await this.#of<{ id: string; status: string; metadata: { alert_id: string; incident_id?: string }; comments: string[] }>(
      ofSupport,
      `select t."id", t."status", t."metadata", array(select c."content" from "support"."comment" c where c."ticket_id" = t."id" order by c."created_at", c."id") as "comments"
       from "support"."ticket" t where t."organization_id" = $1 order by t."created_at", t."id"`,
    );
    const links = await this.#of<{ ticket_id: string; number: string }>(
      ofMonitoring,
      `select l."ticket_id", i."number" from "monitoring"."incident_ticket" l join "monitoring"."incident" i on i."id" = l."incident_id" where i."organization_id" = $1`,
    );
    const known = await this.#of<{ ticket_id: string; alert_id: string }>(
      ofMonitoring,
      `select "ticket_id", "alert_id" from "monitoring"."alert_ticket" where "organization_id" = $1`,
    );
    expect(known.map(({ ticket_id }) => ticket_id).toSorted()).toEqual(found.map(({ id }) => id).toSorted());
    return found.map(({ id, status, metadata, comments }) => ({
      alert: this.#alerts.indexOf(metadata.alert_id),
      status,
      incidents: links.filter(({ ticket_id }) => ticket_id === id).map(({ number }) => number),
      hasIncident: metadata.incident_id !== undefined,
      alerts: known.filter(({ ticket_id }) => ticket_id === id).map(({ alert_id }) => this.#alerts.indexOf(alert_id)),
      comments,
    }));
  }

  #reactions(by: Through): readonly Reaction[] {
    ormOfProcess = by(ofSupport.orm);
    return [...reactions, ticketOpened({ orm: by(ofMonitoring.orm), clock })];
  }

  async #outboxes(): Promise<LoggedEvent[]> {
    const events: LoggedEvent[] = [];
    for (const [store, schema] of [
      [ofMonitoring, 'monitoring'],
      [ofSupport, 'support'],
    ] as const) {
      const sql = `select "id", "event", "payload" from "${schema}"."outbox" where "organization_id" = $1 order by "sequence"`;
      const found = await this.#of<{ id: string; event: string; payload: string }>(store, sql);
      events.push(...found.map(({ id, event, payload }) => this.#logged(id, event, payload)));
    }
    return events;
  }

  #logged(id: string, event: string, payload: string): LoggedEvent {
    const { organizationId } = this;
    const subject = { type: 'Alert', id: 'alrt_1' };
    return { id, sequence: '1', organizationId, event, subject, accountId: null, occurredAt: clock.now(), payload };
  }

  #of<R extends object>(store: Attached, sql: string, values: readonly unknown[] = []): Promise<R[]> {
    return store.rows.query<R>(sql, [this.organizationId, ...values]);
  }
}

/** Runs `act` in a process that is killed at its n-th commit, then in two other processes, as after a repeated delivery. */
async function killedOnce(n: number, when: 'before' | 'after', act: (by: Through) => Promise<void>): Promise<void> {
  await act(dyingAt(n, when)).catch((error: unknown) => {
    if (!(error instanceof Killed)) throw error;
  });
  await act(alive);
  await act(alive);
}

test('each incident, and each alert without an incident, has one ticket and one comment at its end, if events are repeated and processes are killed', async () => {
  await fc.assert(
    fc.asyncProperty(steps, kill, async (history, death) => {
      const world = new World();
      await world.open();
      const expected: object[] = [];
      const firing = [new Set<number>(), new Set<number>(), new Set<number>()];
      const opened = [false, false, false];
      let incidents = 0;
      for (const step of history) {
        const event = await world.event(step);
        if (!event) continue;
        await world.consume(event, death);
        const its = firing[step.alert] as Set<number>;
        if (!step.fires) its.delete(step.instance);
        else its.add(step.instance);
        if (!step.fires || opened[step.alert]) continue;
        opened[step.alert] = true;
        const hasIncident = step.alert < 2;
        if (hasIncident) incidents += 1;
        const common = { alert: step.alert, status: 'open', hasIncident, alerts: [step.alert] };
        expected.push({ ...common, incidents: hasIncident ? [`INC-${1000 + incidents}`] : [], comments: [] as string[] });
      }
      const byAlert = (all: readonly object[]): object[] =>
        all.toSorted((one, other) => (one as { alert: number }).alert - (other as { alert: number }).alert);
      expect(byAlert(await world.tickets())).toEqual(byAlert(expected));
      await world.calm(death);
      const ended = expected.map((ticket) => {
        const { alert, incidents: numbers } = ticket as { alert: number; incidents: string[] };
        if ((firing[alert]?.size ?? 0) > 0) return ticket;
        const [number] = numbers;
        const content = number
          ? `The incident ${number} (High load) was resolved.`
          : 'The alert that opened this ticket has not fired for five minutes.';
        return { ...ticket, comments: [content] };
      });
      expect(byAlert(await world.tickets())).toEqual(byAlert(ended));
    }),
    { numRuns: 15 },
  );
}, 120_000);
