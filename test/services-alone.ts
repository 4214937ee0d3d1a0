import { graphql } from 'graphql';
import { Principal } from '../kernel/access/principal.ts';
import { TestClock } from '../kernel/clock.ts';
import type { Attached, Database } from '../kernel/database/database.ts';
import { Graph } from '../kernel/graph.ts';
import { Jobs } from '../kernel/jobs/jobs.ts';
import { createLogger } from '../kernel/log/log.ts';
import { newId } from '../kernel/records/ids.ts';
import { organizationEm } from '../kernel/records/organization-filter.ts';
import type { Subgraph } from '../kernel/subgraph.ts';
import { BillingCycle } from '../kernel/values/billing-cycle.ts';
import { Decimal } from '../kernel/values/money.ts';
import { Converger } from '../subgraphs/services/changes/converge.job.ts';
import { Service } from '../subgraphs/services/inventory/service.entity.ts';
import { type ServiceStatus, ServiceType } from '../subgraphs/services/inventory/service.states.ts';
import type {
  ConnectivityOrder,
  ConnectivityProvider,
  Provisioning,
  Release,
  ReleaseOrder,
  Telemetry,
} from '../subgraphs/services/providers/connectivity.provider.ts';
import { statusChange, transition } from '../subgraphs/services/status/service-transition.ts';
import { services } from '../subgraphs/services/subgraph.ts';
import { LOCATION } from './billing.setup.ts';
import { emptyDatabase } from './support/empty-database.ts';
import type { Json } from './tenant.ts';

const ORGANIZATION = 'org_test';
const log = createLogger({ level: 'silent' });

/** A provider that behaves as the test says and records its calls. */
export class ScriptedProvider implements ConnectivityProvider {
  readonly name = 'scripted';
  readonly simulated = true;
  readonly orders: ConnectivityOrder[] = [];
  readonly releases: ReleaseOrder[] = [];
  released: (order: ReleaseOrder) => Promise<Release> = async () => ({ state: 'released' });
  measured: () => Promise<Telemetry | null> = () => Promise.resolve(null);

  constructor(private readonly answer: (order: ConnectivityOrder) => Promise<Provisioning>) {}

  provision(order: ConnectivityOrder): Promise<Provisioning> {
    this.orders.push(order);
    return this.answer(order);
  }

  release(order: ReleaseOrder): Promise<Release> {
    this.releases.push(order);
    return this.released(order);
  }

  telemetry(): Promise<Telemetry | null> {
    return this.measured();
  }
}

interface ServiceRow {
  status: string;
  status_reason: string | null;
  provider_reference: string | null;
  last_incident_at: Date | string | null;
}

/** The services domain on its own database, for cases that need no other domain and that no operation can cause. */
export class ServicesAlone implements AsyncDisposable {
  readonly clock = new TestClock();
  readonly jobs: Jobs;

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

  [Symbol.asyncDispose](): Promise<void> {
    return this.drop();
  }

  /** The domain's subgraph. Its jobs run only when the test starts them. */
  subgraph(connectivity: ConnectivityProvider): Subgraph {
    const { database, store, jobs, clock } = this;
    const graph = new Graph();
    graph.bind(async () => ({ data: { account: { id: 'acc_1', status: 'ACTIVE' } } }));
    return services.start({ ...store, database, jobs, clock, graph, log, origin: 'http://localhost', connectivity }).subgraph;
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

  /** Orders a service without running its job. */
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
  provision(id: string, connectivity: ConnectivityProvider, jobNumber?: number): Promise<void> {
    const { store, jobs, clock } = this;
    return new Converger({ ...store, jobs, clock, log, connectivity }).run(ORGANIZATION, id, jobNumber);
  }

  /** The numbers of the enqueued jobs of a service, with their delays in seconds. The first job is first. */
  async jobsOf(id: string): Promise<{ number: number; delay: number }[]> {
    const sql = `select data, start_after from pgboss.job where data ->> 'serviceId' = $1 order by (data ->> 'number')::int`;
    const rows = await this.store.rows.query<{ data: Json; start_after: Date | string }>(sql, [id]);
    const now = this.clock.now().getTime();
    const delayOf = (at: Date | string): number => Math.max(0, Math.round((new Date(at).getTime() - now) / 1000));
    return rows.map(({ data, start_after }) => ({ number: data.number, delay: delayOf(start_after) }));
  }

  /** Removes the time at which the provider was asked to build a service, which the previous release does not store. */
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
