import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Orm } from '../../kernel/database/database.ts';
import { changeApplicationSweeper } from '../../subgraphs/services/changes/service-change.sweeper.ts';
import { maintenanceSweeper } from '../../subgraphs/services/maintenance/maintenance.sweeper.ts';
import type { Applied, ApplyOrder, Released, ServiceProvider } from '../../subgraphs/services/providers/service.provider.ts';
import { services } from '../../subgraphs/services/subgraph.ts';
import { ServicesAlone } from '../services-alone.ts';
import type { Json } from '../tenant.ts';
import { drain, dyingAt, Killed } from './bulk-world.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** A number that is greater than the number of commits of a dated change with a maintenance window. */
const COMMITS = 9;

/** A provider that records the orders that it has carried out. A repeated order has no second effect. */
class Provider implements ServiceProvider {
  readonly name = 'booking';
  readonly simulated = true;
  readonly book = new Map<string, unknown>();
  #isLost = false;

  /** Makes the provider carry out the next order, but lose its response. */
  loseNext(): void {
    this.#isLost = true;
  }

  async apply({ orderId, serviceId, spec }: ApplyOrder): Promise<Applied> {
    this.book.set(orderId, spec.characteristics.bandwidth);
    if (this.#isLost) {
      this.#isLost = false;
      throw new Error('socket hang up');
    }
    return { state: 'completed', reference: `line-${serviceId}` };
  }

  async release(): Promise<Released> {
    return { state: 'released' };
  }

  async observe(): Promise<null> {
    return null;
  }
}

let alone: ServicesAlone;
beforeAll(async () => {
  alone = await ServicesAlone.open();
  alone.subgraph(new Provider());
  // the tests run the jobs themselves
  await alone.jobs.start({ work: false });
});
afterAll(() => alone[Symbol.asyncDispose]());

const SCALE = 'mutation ($id: ID!, $input: ScalingInput!) { scaleService(id: $id, input: $input) { id } }';

async function operational(provider: Provider): Promise<string> {
  const id = await alone.ordered();
  await alone.provision(id, provider);
  return id;
}

/** Orders a scaling that takes effect in three hours. Its maintenance window starts in two hours and takes two hours. */
async function scale(id: string, provider: Provider, through?: (orm: Orm) => Orm): Promise<void> {
  const { subgraph } = services.start(alone.ports(provider, through));
  const at = (hours: number): string => new Date(alone.clock.now().getTime() + hours * HOUR_MS).toISOString();
  const maintenanceWindow = { start: at(2), duration: '2 hours' };
  await alone.query(subgraph, SCALE, {
    id,
    input: { scalingAction: 'SCALE_UP', newBandwidth: '2gbps', effectiveDate: at(3), maintenanceWindow },
  });
}

/**
 * Runs all due work, as a running process would.
 * @throws Killed if the process dies
 */
async function work(provider: Provider, through?: (orm: Orm) => Orm): Promise<void> {
  const ports = alone.ports(provider, through);
  await maintenanceSweeper(ports).once();
  await changeApplicationSweeper(ports).once();
  await drain(alone, provider, through ? { through } : {});
}

async function check(id: string, provider: Provider): Promise<void> {
  const [row] = await alone.sql<Json>('select status, bandwidth_mbps, monthly_price from services.service where id = $1', [id]);
  expect(row).toMatchObject({ status: 'operational', bandwidth_mbps: 2000 });
  const changes = await alone.sql<Json>('select id, status from services.service_change where service_id = $1', [id]);
  expect(changes.map(({ status }) => status)).toEqual(['completed']);
  expect([...provider.book]).toEqual([
    [id, '1000mbps'],
    [changes[0]?.id, '2000mbps'],
  ]);
  const windows = await alone.sql<Json>('select status, due_at from services.maintenance_window where service_id = $1', [id]);
  expect(windows).toEqual([{ status: 'completed', due_at: null }]);
  const events = (await alone.events(id)).map(({ event }) => event);
  expect(events.filter((event) => event === 'service.modified')).toHaveLength(1);
  expect(events.filter((event) => event === 'service.maintenance_scheduled')).toHaveLength(1);
  const statuses = await alone.sql<{ to: string }>(
    'select "to" from services.service_status_change where service_id = $1 order by created_at, id',
    [id],
  );
  const seen = statuses.map(({ to }) => to).slice(3);
  expect([[], ['maintenance', 'operational']]).toContainEqual(seen);
}

describe('a dated change with a maintenance window', () => {
  const POINTS = (['before', 'after'] as const).flatMap((when) => Array.from({ length: COMMITS }, (_, n) => [when, n + 1] as const));

  test.each(POINTS)('a dated change has the same result if the process is killed %s commit %i', async (when, n) => {
    const provider = new Provider();
    const id = await operational(provider);
    const through = dyingAt(n, when);
    try {
      await scale(id, provider, through);
      for (let hours = 0; hours < 5; hours += 1) {
        alone.clock.advance(HOUR_MS);
        await work(provider, through);
      }
    } catch (error) {
      if (!(error instanceof Killed) && !(error as Error).message.startsWith('Killed')) throw error;
    }
    const [change] = await alone.sql<Json>('select id from services.service_change where service_id = $1', [id]);
    // the process died before it accepted the change
    if (!change) return expect([when, n]).toEqual(['before', 1]);
    for (let hours = 0; hours < 6; hours += 1) {
      alone.clock.advance(HOUR_MS + MINUTE_MS);
      await work(provider);
    }
    await check(id, provider);
  });

  test.each([2, 3, 4, 10])('a dated change has the same result if the platform is off until hour %i', async (hours) => {
    const provider = new Provider();
    const id = await operational(provider);
    await scale(id, provider);
    alone.clock.advance(hours * HOUR_MS);
    for (let passed = 0; passed < 4; passed += 1) {
      await work(provider);
      alone.clock.advance(HOUR_MS);
    }
    await check(id, provider);
  });

  test('a dated change has the same result if two processes do all work at the same time', async () => {
    const provider = new Provider();
    const id = await operational(provider);
    await scale(id, provider);
    for (let passed = 0; passed < 5; passed += 1) {
      alone.clock.advance(HOUR_MS);
      const ports = alone.ports(provider);
      const twice = <T>(act: () => Promise<T>): Promise<T[]> => Promise.all([act(), act()]);
      await twice(() => maintenanceSweeper(ports).once());
      await twice(() => changeApplicationSweeper(ports).once());
      await drain(alone, provider, { twice: true });
    }
    await check(id, provider);
  });

  test('the provider carries out a dated change once, even if its response is lost', async () => {
    const provider = new Provider();
    const id = await operational(provider);
    await scale(id, provider);
    provider.loseNext();
    for (let passed = 0; passed < 5; passed += 1) {
      alone.clock.advance(HOUR_MS);
      await work(provider);
    }
    await check(id, provider);
  });
});
