import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bulkHandler } from '../../subgraphs/services/bulk/bulk.job.ts';
import { services } from '../../subgraphs/services/subgraph.ts';
import { eventually } from '../rig.ts';
import { ServicesAlone } from '../services-alone.ts';
import type { Json } from '../tenant.ts';
import { BookingProvider, drain, dyingAt, type Fate, Killed, type Orchestration, ordered } from './bulk-world.ts';

let alone: ServicesAlone;
beforeAll(async () => {
  alone = await ServicesAlone.open();
  alone.subgraph(new BookingProvider());
  // the tests run the jobs themselves
  await alone.jobs.start({ work: false });
});
afterAll(() => alone[Symbol.asyncDispose]());

const TOGETHER: Orchestration = { parallel: true, rollbackOnFailure: true };
const MODES: Orchestration[] = [true, false].flatMap((parallel) =>
  [true, false].map((rollbackOnFailure) => ({ parallel, rollbackOnFailure })),
);

/** Returns the result that a bulk must have at its end. Does not use the code of the platform. */
function expectedOf(fates: readonly Fate[], { parallel, rollbackOnFailure }: Orchestration) {
  const stop = fates.indexOf('REFUSED');
  const isBuilt = (fate: Fate, index: number): boolean => {
    if (fate === 'REFUSED' || (rollbackOnFailure && stop >= 0)) return false;
    return parallel || stop < 0 || index < stop;
  };
  const built = fates.map(isBuilt);
  const all = built.every(Boolean);
  const status = rollbackOnFailure ? (all ? 'completed' : 'rolled_back') : all ? 'completed' : built.some(Boolean) ? 'partial' : 'failed';
  return { built, status };
}

interface ItemRow {
  service_id: string;
  status: string;
  service: string;
  provider_reference: string | null;
}

/** Checks that a bulk that has ended has the expected rows and events, and that the provider has the expected lines. */
async function check(id: string, fates: readonly Fate[], orchestration: Orchestration, provider: BookingProvider): Promise<void> {
  const { built, status } = expectedOf(fates, orchestration);
  const [bulk] = await alone.sql<{ status: string; due_at: unknown }>('select status, due_at from services.bulk where id = $1', [id]);
  expect(bulk).toEqual({ status, due_at: null });
  const items = await alone.sql<ItemRow>(
    `select i.service_id, i.status, s.status as service, s.provider_reference
     from services.bulk_item i join services.service s on s.id = i.service_id where i.bulk_id = $1 order by i.position`,
    [id],
  );
  expect(items.map(({ service }) => service)).toEqual(built.map((is) => (is ? 'operational' : 'failed')));
  expect(items.map((item) => item.status === 'completed')).toEqual(built);
  for (const [index, item] of items.entries()) {
    if (fates[index] === 'REFUSED' && orchestration.parallel && !orchestration.rollbackOnFailure) expect(item.status).toBe('failed');
    expect(provider.lines.has(item.service_id), `line of item ${index}`).toBe(built[index]);
    expect(item.provider_reference !== null).toBe(built[index]);
    expect(provider.built.get(item.service_id) ?? 0).toBeLessThanOrEqual(1);
    expect(provider.released.get(item.service_id) ?? 0).toBeLessThanOrEqual(1);
    const events = (await alone.events(item.service_id)).map(({ event }) => event);
    expect(events.filter((event) => event === 'service.provisioned')).toHaveLength(built[index] ? 1 : 0);
    expect(events).not.toContain('service.decommissioned');
  }
  const finished = (await alone.events(id)).filter(({ event }) => event === 'bulk.finished');
  expect(finished.map(({ data }) => data.bulk.status)).toEqual([status]);
}

/** Returns a generator of pseudo-random numbers, which are the same in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

describe('a bulk whose process is killed', () => {
  test.each(
    MODES.flatMap((mode) => [
      [mode, ['good', 'good', 'good', 'good', 'good']] as [Orchestration, Fate[]],
      [mode, ['good', 'LOST', 'good', 'REFUSED', 'good']] as [Orchestration, Fate[]],
    ]),
  )(
    'a bulk with the options %j and the provider behavior %j has the expected result if its process is killed before or after any commit',
    async (mode, fates) => {
      for (const when of ['before', 'after'] as const) {
        for (let n = 1; ; n += 1) {
          const provider = new BookingProvider();
          const through = dyingAt(n, when);
          const before = await bulkIds();
          let isDead = false;
          try {
            await ordered(alone, fates, mode, through);
            await drain(alone, provider, { through });
          } catch (error) {
            if (!isKilled(error)) throw error;
            isDead = true;
          }
          const id = (await bulkIds()).find((one) => !before.includes(one));
          await drain(alone, provider);
          if (id) await check(id, fates, mode, provider);
          else expect([n, when]).toEqual([1, 'before']);
          if (!isDead) break;
        }
      }
    },
    120_000,
  );
});

describe('a bulk of which every job is delivered twice, in any order', () => {
  const FATES: Fate[] = ['good', 'good', 'good', 'LOST', 'STUCK', 'REFUSED'];

  test.each(Array.from({ length: 20 }, (_, seed) => [seed]))('a bulk handles duplicate and reordered jobs (seed %i)', async (seed) => {
    const random = numbers(seed + 1);
    const fates = Array.from({ length: 1 + random(7) }, () => FATES[random(FATES.length)] as Fate);
    const mode = MODES[random(MODES.length)] as Orchestration;
    const provider = new BookingProvider();
    const id = await ordered(alone, fates, mode);
    await drain(alone, provider, { twice: true, pick: random });
    await check(id, fates, mode, provider);
  });
});

describe('the rollback of a bulk', () => {
  const statusOf = async (id: string): Promise<Json> =>
    (await alone.sql<Json>('select status, counts, status_reason from services.bulk where id = $1', [id]))[0];

  test('if the 57th of 100 services of a bulk is refused, no service is provisioned, and each built service is released once', async () => {
    const fates = Array.from({ length: 100 }, (_, index): Fate => (index === 56 ? 'REFUSED' : 'good'));
    const provider = new BookingProvider();
    const mode = { parallel: false, rollbackOnFailure: true };
    const id = await ordered(alone, fates, mode);
    await drain(alone, provider);
    await check(id, fates, mode, provider);
    expect([...provider.released.values()]).toEqual(Array.from({ length: 56 }, () => 1));
    expect((await statusOf(id)).counts).toMatchObject({ released: 56, failed: 1, skipped: 43 });
  }, 60_000);

  test('a rollback goes on after the provider refused to end one of its services, and ends only when that service is released', async () => {
    const fates: Fate[] = ['good', 'REFUSED'];
    const mode = { parallel: false, rollbackOnFailure: true };
    const provider = new BookingProvider();
    const id = await ordered(alone, fates, mode);
    const [{ service_id: serviceId }] = (await alone.sql<Json>(
      'select service_id from services.bulk_item where bulk_id = $1 order by position',
      [id],
    )) as [Json];
    const item = async (): Promise<string> =>
      (await alone.sql<Json>('select status from services.bulk_item where service_id = $1', [serviceId]))[0]?.status;
    provider.keeps = true;
    await drain(alone, provider, { until: async () => (await item()) === 'releasing' });
    const { subgraph } = services.start(alone.ports(provider));
    await alone.query(subgraph, 'mutation ($id: ID!) { decommissionService(id: $id, input: {}) { id } }', { id: serviceId });
    await drain(alone, provider, { until: async () => (await alone.row(serviceId)).status === 'failed' });
    await bulkHandler({ ...alone.ports(provider) })({ organizationId: 'org_test', bulkId: id });
    expect(await item()).toBe('releasing');
    expect((await statusOf(id)).status).not.toBe('rolled_back');
    expect(provider.lines.has(serviceId)).toBe(true);
    provider.keeps = false;
    await drain(alone, provider);
    expect([provider.lines.has(serviceId), await item(), (await statusOf(id)).status]).toEqual([false, 'released', 'rolled_back']);
  });

  test('a rollback retries the release of a service until the provider releases it', async () => {
    const fates: Fate[] = ['STUCK', 'good', 'REFUSED'];
    const provider = new BookingProvider();
    const mode = { parallel: false, rollbackOnFailure: true };
    const id = await ordered(alone, fates, mode);
    await drain(alone, provider);
    await check(id, fates, mode, provider);
  });

  test('a service that is being built when the bulk fails is released by its own job, only once', async () => {
    let finish: () => void = () => undefined;
    const provider = new BookingProvider();
    const apply = provider.apply.bind(provider);
    let isWaiting = false;
    const waiting = new Promise<void>((resolve) => (finish = resolve));
    provider.apply = async (order) => {
      const outcome = await apply(order);
      if (order.name.startsWith('0')) {
        isWaiting = true;
        await waiting;
      }
      return outcome;
    };
    const id = await ordered(alone, ['good', 'REFUSED'], TOGETHER);
    const [slow] = await alone.sql<{ data: Json }>(
      "select data from pgboss.job where name = 'services.converge-bulk' order by data ->> 'serviceId'",
    );
    const building = alone.provision(slow?.data.serviceId, provider, 1);
    await eventually(() => isWaiting);
    await alone.sql(`delete from pgboss.job where data ->> 'serviceId' = $1`, [slow?.data.serviceId]);
    await drain(alone, provider);
    expect((await statusOf(id)).status).toBe('rolling_back');
    finish();
    await building;
    await drain(alone, provider);
    await check(id, ['good', 'REFUSED'], TOGETHER, provider);
    expect(provider.released.size).toBe(1);
  });

  test('a bulk whose rollback takes over an hour is failed and lists its unreleased services, until they are released', async () => {
    const provider = new BookingProvider();
    let isDown = true;
    const release = provider.release.bind(provider);
    provider.release = async (order) => {
      if (isDown && alone.clock.now().getTime() < deadline) throw new Error('connect ECONNREFUSED 10.0.0.7:443');
      return release(order);
    };
    const deadline = alone.clock.now().getTime() + 5 * 60 * 60 * 1000;
    const id = await ordered(alone, ['good', 'REFUSED'], { parallel: false, rollbackOnFailure: true });
    await drain(alone, provider, { until: async () => (await statusOf(id)).status === 'rolling_back' });
    alone.clock.advance(61 * 60 * 1000);
    await sweep(id);
    const subgraph = alone.subgraph(provider);
    const query = 'query ($id: ID!) { bulk(id: $id) { status leftovers items { serviceId } } }';
    const { bulk } = await alone.query(subgraph, query, { id });
    expect(bulk).toMatchObject({ status: 'FAILED', leftovers: [bulk.items[0].serviceId] });
    isDown = false;
    await drain(alone, provider);
    expect((await alone.query(subgraph, query, { id })).bulk).toMatchObject({ status: 'ROLLED_BACK', leftovers: [] });
    const finished = (await alone.events(id)).filter(({ event }) => event === 'bulk.finished');
    expect(finished.map(({ data }) => data.bulk.status)).toEqual(['failed', 'rolled_back']);
  });
});

test.each(['before', 'after'] as const)(
  'if the process is killed %s the commit of a bulk change, either all existing services are changed or none',
  async (when) => {
    const provider = new BookingProvider();
    const id = await ordered(alone, ['good', 'good', 'good'], TOGETHER);
    await drain(alone, provider);
    const ids = (await alone.sql<ItemRow>('select service_id from services.bulk_item where bulk_id = $1', [id])).map(
      (row) => row.service_id,
    );
    const { subgraph } = services.start(alone.ports(provider, dyingAt(1, when)));
    const change = 'mutation ($input: BulkChangeInput!) { changeInBulk(input: $input) { id } }';
    const input = { serviceIds: [...ids, 'svc_unknown'], bandwidth: '1gbps' };
    await expect(alone.query(subgraph, change, { input })).rejects.toSatisfy(isKilled);
    await drain(alone, provider);
    const changed = await alone.sql('select 1 from services.service where id = any($1) and bandwidth_mbps = 1000', [ids]);
    expect(changed).toHaveLength(when === 'after' ? 3 : 0);
    const ended = await alone.sql<Json>(`select status, counts from services.bulk where kind = 'modify' order by created_at desc limit 1`);
    expect(ended).toMatchObject(when === 'after' ? [{ status: 'partial', counts: { completed: 3, failed: 1 } }] : []);
  },
);

/** Updates a bulk, as the sweeper does when the bulk is due. */
const sweep = (id: string): Promise<void> => bulkHandler(alone.ports(new BookingProvider()))({ organizationId: 'org_test', bulkId: id });

/** Returns true for the error of a killed process, which GraphQL may have wrapped. */
const isKilled = (error: unknown): boolean => error instanceof Killed || (error as Json)?.originalError instanceof Killed;
const bulkIds = async (): Promise<string[]> => (await alone.sql<{ id: string }>('select id from services.bulk')).map(({ id }) => id);
