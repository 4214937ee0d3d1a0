import { graphql } from 'graphql';
import { Principal } from '../kernel/access/principal.ts';
import { TestClock } from '../kernel/clock.ts';
import type { Attached, Database, Orm } from '../kernel/database/database.ts';
import { Graph } from '../kernel/graph.ts';
import { Jobs } from '../kernel/jobs/jobs.ts';
import { createLogger } from '../kernel/log/log.ts';
import { newId } from '../kernel/records/ids.ts';
import { organizationEm } from '../kernel/records/organization-filter.ts';
import type { Subgraph } from '../kernel/subgraph.ts';
import { BillingCycle } from '../kernel/values/billing-cycle.ts';
import { Decimal } from '../kernel/values/money.ts';
import { Converger } from '../subgraphs/services/changes/converge.job.ts';
import { createCore, type ServicesPorts } from '../subgraphs/services/core.ts';
import { Service } from '../subgraphs/services/inventory/service.entity.ts';
import { type ServiceStatus, ServiceType } from '../subgraphs/services/inventory/service.states.ts';
import type {
  Applied,
  ApplyOrder,
  Observation,
  ObservedService,
  Released,
  ReleaseOrder,
  ServiceProvider,
} from '../subgraphs/services/providers/service.provider.ts';
import { statusChange, transition } from '../subgraphs/services/status/service-transition.ts';
import { services } from '../subgraphs/services/subgraph.ts';
import { TelemetryPoll } from '../subgraphs/services/telemetry/telemetry.sweeper.ts';
import { LOCATION } from './billing.setup.ts';
import { emptyDatabase } from './support/empty-database.ts';
import type { Json } from './tenant.ts';

const ORGANIZATION = 'org_test';
const log = createLogger({ level: 'silent' });

/** A provider whose behaviour a test sets, and which records its calls. */
export class ScriptedProvider implements ServiceProvider {
  readonly name = 'scripted';
  readonly simulated = true;
  readonly orders: ApplyOrder[] = [];
  readonly releases: ReleaseOrder[] = [];
  released: (order: ReleaseOrder) => Promise<Released> = async () => ({ state: 'released' });
  measured: (service: ObservedService) => Promise<Observation | null> = () => Promise.resolve(null);

  constructor(private readonly answer: (order: ApplyOrder) => Promise<Applied>) {}

  apply(order: ApplyOrder): Promise<Applied> {
    this.orders.push(order);
    return this.answer(order);
  }

  release(order: ReleaseOrder): Promise<Released> {
    this.releases.push(order);
    return this.released(order);
  }

  observe(service: ObservedService): Promise<Observation | null> {
    return this.measured(service);
  }
}

interface ServiceRow {
  status: string;
  status_reason: string | null;
  provider_reference: string | null;
  last_incident_at: Date | string | null;
}

/** The services domain without other domains, on its own database. For tests of situations that no API operation can cause. */
export class ServicesAlone implements AsyncDisposable {
  readonly clock = new TestClock();
  readonly jobs: Jobs;
  #stopped: Promise<void> | undefined;

  private constructor(
    private readonly database: Database,
    private readonly store: Attached,
    private readonly drop: () => Promise<void>,
  ) {
    this.jobs = new Jobs(database, log);
  }

  static async open(): Promise<ServicesAlone> {
    const { database, drop } = await emptyDatabase(log);
    return new ServicesAlone(database, await database.attach({ ...services, schema: 'services' }), drop);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopJobs();
    await this.drop();
  }

  /** Waits for the running jobs, and starts no more. */
  stopJobs(): Promise<void> {
    this.#stopped ??= this.jobs.stop();
    return this.#stopped;
  }

  /** The domain's subgraph. Its jobs run only when the test starts them. */
  subgraph(connectivity: ServiceProvider): Subgraph {
    return services.start(this.ports(connectivity)).subgraph;
  }

  /** Returns the ports with which a process starts the services domain. `through` may wrap or replace the ORM of these ports. */
  ports(connectivity: ServiceProvider, through: (orm: Orm) => Orm = (orm) => orm): ServicesPorts {
    const { database, store, jobs, clock } = this;
    const graph = new Graph();
    graph.bind(async () => ({ data: { account: { id: 'acc_1', status: 'ACTIVE' } } }));
    return { ...store, orm: through(store.orm), database, jobs, clock, graph, log, origin: 'http://localhost', connectivity };
  }

  /** Runs SQL on the database of the domain. */
  sql<T extends object>(text: string, values: readonly unknown[] = []): Promise<T[]> {
    return this.store.rows.query<T>(text, [...values]);
  }

  async query({ schema, createContext }: Subgraph, source: string, variableValues: Record<string, unknown>): Promise<Json> {
    const principal = Principal.system('test', ORGANIZATION);
    const { data, errors } = await graphql({
      schema,
      source,
      variableValues,
      contextValue: createContext({ requestId: 'req_test', principal, log }),
    });
    if (errors?.[0]) throw errors[0];
    return data;
  }

  /** Stores a new service as an order would, but without enqueueing a job for it. Returns the id of the service. */
  async ordered(): Promise<string> {
    const now = this.clock.now();
    const service = new Service();
    Object.assign(service, { id: newId('service'), organizationId: ORGANIZATION, accountId: 'acc_1', createdAt: now, updatedAt: now });
    Object.assign(service, { type: ServiceType.INTERNET, serviceType: 'fiber', catalogId: 'business_fiber', name: 'Headquarters' });
    Object.assign(service, { bandwidthMbps: 1000, location: LOCATION, billingCycle: BillingCycle.MONTHLY });
    Object.assign(service, { monthlyPrice: new Decimal(299), currency: 'USD' });
    await this.store.orm.em
      .fork()
      .persist([service, statusChange(service, null)])
      .flush();
    return service.id;
  }

  /** Runs the job of a service. */
  provision(id: string, connectivity: ServiceProvider, jobNumber?: number): Promise<void> {
    const { store, jobs, clock } = this;
    return new Converger({ ...store, jobs, clock, log, connectivity }).run(ORGANIZATION, id, jobNumber);
  }

  /** Measures all services that are due. `through` may wrap or replace the ORM. */
  async measure(connectivity: ServiceProvider, through?: (orm: Orm) => Orm): Promise<void> {
    const core = createCore(this.ports(connectivity, through));
    await new TelemetryPoll({ ...core.ports, samples: core.samples, everyMs: 60_000 }).run(this.clock.now(), 1000);
  }

  /** Deletes all records whose retention time has passed. */
  async prune(connectivity: ServiceProvider): Promise<void> {
    for (const one of createCore(this.ports(connectivity)).retained) await one.delete();
  }

  /** The enqueued jobs of a service, sorted by number, with their delays in seconds. */
  async jobsOf(id: string): Promise<{ number: number; delay: number }[]> {
    const sql = `select data, extract(epoch from start_after - created_on)::float8 as seconds from pgboss.job
      where data ->> 'serviceId' = $1 order by (data ->> 'number')::int`;
    const rows = await this.store.rows.query<{ data: Json; seconds: number }>(sql, [id]);
    // the database has created the jobs by its own clock
    const ahead = (this.clock.now().getTime() - Date.now()) / 1000;
    return rows.map(({ data, seconds }) => ({ number: data.number, delay: Math.max(0, Math.round(seconds - ahead)) }));
  }

  /** Sets `asked_at` to null, as if a process of the previous release, which does not set this column, had ordered the service. */
  async forgetAsked(id: string): Promise<void> {
    await this.store.rows.query('update "services"."service" set "asked_at" = null where "id" = $1', [id]);
  }

  async move(id: string, status: ServiceStatus): Promise<void> {
    await organizationEm(this.store.orm, ORGANIZATION).transactional(async (tx) => {
      await transition(tx, await tx.findOneOrFail(Service, { id }), status, this.clock.now());
    });
  }

  async row(id: string): Promise<ServiceRow> {
    const [row] = await this.store.rows.query<ServiceRow>('select * from "services"."service" where "id" = $1', [id]);
    if (!row) throw new Error(`There is no service ${id}.`);
    return row;
  }

  /** The events of a service with their data, oldest first. */
  async events(id: string): Promise<{ event: string; data: Json }[]> {
    const sql = 'select "event", "payload" from "services"."outbox" where "subject_id" = $1 order by "sequence"';
    const rows = await this.store.rows.query<{ event: string; payload: string }>(sql, [id]);
    return rows.map(({ event, payload }) => ({ event, data: JSON.parse(payload).data }));
  }
}
