import type { Orm } from '../../kernel/database/database.ts';
import { bulkHandler } from '../../subgraphs/services/bulk/bulk.job.ts';
import { Converger } from '../../subgraphs/services/changes/converge.job.ts';
import type { BulkJob, ConvergeJob } from '../../subgraphs/services/changes/converge-queue.ts';
import {
  type Applied,
  type ApplyOrder,
  OrderRejected,
  type Released,
  type ReleaseOrder,
  type ServiceProvider,
} from '../../subgraphs/services/providers/service.provider.ts';
import { services } from '../../subgraphs/services/subgraph.ts';
import { LOCATION } from '../billing.setup.ts';
import type { ServicesAlone } from '../services-alone.ts';
import type { Json } from '../tenant.ts';

/** Word that selects the behaviour of the provider for an item. The name and the address of the item contain this word. */
export type Fate = 'good' | 'REFUSED' | 'LOST' | 'STUCK';

/** A provider that records which lines exist, and how often each line was built and released. */
export class BookingProvider implements ServiceProvider {
  readonly name = 'booking';
  readonly simulated = true;
  /** The ids of the services whose lines exist: built, and not released. */
  readonly lines = new Set<string>();
  readonly built = new Map<string, number>();
  readonly released = new Map<string, number>();
  /** If true, the provider refuses to release lines. */
  keeps = false;
  readonly #failed = new Map<string, number>();

  async apply({ serviceId, spec }: ApplyOrder): Promise<Applied> {
    const address = spec.places[0]?.address ?? '';
    if (address.includes('REFUSED')) throw new OrderRejected('There is no duct.');
    if (!this.lines.has(serviceId)) this.built.set(serviceId, (this.built.get(serviceId) ?? 0) + 1);
    this.lines.add(serviceId);
    if (address.includes('LOST') && this.#fails(`build ${serviceId}`, 1)) throw new Error('socket hang up');
    return { state: 'completed', reference: `line-${serviceId}` };
  }

  async release({ serviceId, name }: ReleaseOrder): Promise<Released> {
    if (this.keeps) throw new OrderRejected('The line is still in use.');
    if (name.includes('STUCK') && this.#fails(`release ${serviceId}`, 2)) throw new Error('connect ECONNREFUSED 10.0.0.7:443');
    if (this.lines.delete(serviceId)) this.released.set(serviceId, (this.released.get(serviceId) ?? 0) + 1);
    return { state: 'released' };
  }

  async observe(): Promise<null> {
    return null;
  }

  #fails(key: string, times: number): boolean {
    const count = (this.#failed.get(key) ?? 0) + 1;
    this.#failed.set(key, count);
    return count <= times;
  }
}

/** Thrown at the point where the simulated process is killed, and by each transaction that it starts after this point. */
export class Killed extends Error {}

/** Returns a function that wraps an ORM, so that it throws `Killed` before or after the n-th commit, as if the process were killed. */
export function dyingAt(n: number, when: 'before' | 'after'): (orm: Orm) => Orm {
  let commits = 0;
  const transactional =
    (run: (act: (tx: never) => Promise<unknown>) => Promise<unknown>) =>
    async (act: (tx: never) => Promise<unknown>): Promise<unknown> => {
      if (commits >= n) throw new Killed('This process is dead.');
      commits += 1;
      const isLast = commits === n;
      const result = await run(async (tx) => {
        const inner = await act(tx);
        if (isLast && when === 'before') throw new Killed('Killed before a commit.');
        return inner;
      });
      if (isLast) throw new Killed('Killed after a commit.');
      return result;
    };
  const fork = (orm: Orm) => {
    const em = orm.em.fork();
    return Object.assign(em, { transactional: transactional(em.transactional.bind(em) as never) });
  };
  const em = (orm: Orm) => new Proxy(orm.em, { get: (target, name) => (name === 'fork' ? () => fork(orm) : bound(target, name)) });
  return (orm) => new Proxy(orm, { get: (target, name) => (name === 'em' ? em(target) : bound(target, name)) });
}

function bound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name, target);
  return typeof value === 'function' ? value.bind(target) : value;
}

export interface Orchestration {
  parallel: boolean;
  rollbackOnFailure: boolean;
}

const PROVISION = 'mutation ($input: BulkProvisionInput!) { provisionInBulk(input: $input) { id } }';

/** Orders a bulk through a new instance of the services subgraph, as a separate process would. Returns the id of the bulk. */
export async function ordered(
  alone: ServicesAlone,
  fates: readonly Fate[],
  orchestration: Orchestration,
  through?: (orm: Orm) => Orm,
): Promise<string> {
  const { subgraph } = services.start(alone.ports(new BookingProvider(), through));
  const items = fates.map((fate, index) => ({
    template: 'business_fiber',
    name: `${index} ${fate}`,
    location: { ...LOCATION, address: `${index} ${fate} Street` },
    customizations: { bandwidth: '500mbps' },
  }));
  return (await alone.query(subgraph, PROVISION, { input: { services: items, orchestration } })).provisionInBulk.id;
}

interface JobRow {
  id: string;
  name: string;
  data: Json;
  isDue: boolean;
}

/** Ways to run the waiting jobs. */
export interface Running {
  through?: (orm: Orm) => Orm;
  /** Runs each job twice at the same time, as two processes would. */
  twice?: boolean;
  /** Returns the position of the job to run next. Default: the oldest job. */
  pick?: (count: number) => number;
  /** Called before each job. If it returns true, no more jobs run. By default, all waiting jobs run. */
  until?: () => Promise<boolean>;
}

const MAX_RUNS = 2_000;
const MINUTE_MS = 60_000;

/**
 * Runs the waiting jobs, as a process would, until no job is left. If no job is due, moves the clock forward. A job that
 * fails stays in the queue.
 * @throws Killed if the process dies
 */
export async function drain(alone: ServicesAlone, provider: ServiceProvider, running: Running = {}): Promise<void> {
  const { through, twice = false, pick = () => 0, until = async () => false } = running;
  const ports = { ...alone.ports(provider, through), connectivity: provider };
  const converger = new Converger(ports);
  const advance = bulkHandler(ports);
  const run = async ({ name, data }: JobRow): Promise<void> => {
    if (name === 'services.bulk') return advance(data as BulkJob);
    const { organizationId, serviceId, number } = data as ConvergeJob;
    return converger.run(organizationId, serviceId, number);
  };
  for (let runs = 0; runs < MAX_RUNS; runs += 1) {
    const waiting = await waitingJobs(alone);
    const due = waiting.filter(({ isDue }) => isDue);
    if (waiting.length === 0 || (await until())) return;
    if (due.length === 0) {
      alone.clock.advance(MINUTE_MS);
      continue;
    }
    const job = due[pick(due.length)] as JobRow;
    const results = await Promise.allSettled(twice ? [run(job), run(job)] : [run(job)]);
    const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
    const killed = errors.find((error) => error instanceof Killed);
    if (killed) throw killed;
    if (errors.length === 0) await alone.sql('delete from pgboss.job where id = $1', [job.id]);
  }
  throw new Error('The jobs never end.');
}

async function waitingJobs(alone: ServicesAlone): Promise<JobRow[]> {
  const text = `select id, name, data, start_after <= $1 as "isDue" from pgboss.job where name like 'services.%' order by created_on, id`;
  return alone.sql<JobRow>(text, [alone.clock.now()]);
}
