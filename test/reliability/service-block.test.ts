import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Orm } from '../../kernel/database/database.ts';
import { newId } from '../../kernel/records/ids.ts';
import { serviceBlockSweeper } from '../../subgraphs/services/changes/service-block.sweeper.ts';
import { changeApplicationSweeper } from '../../subgraphs/services/changes/service-change.sweeper.ts';
import {
  type Applied,
  type ApplyOrder,
  type Observation,
  type ObservedService,
  OrderRejected,
  type Released,
  type ReleaseOrder,
  type ServiceProvider,
} from '../../subgraphs/services/providers/service.provider.ts';
import { accountSuspension } from '../../subgraphs/services/suspension/account-suspension.reaction.ts';
import { ServicesAlone } from '../services-alone.ts';
import type { Json } from '../tenant.ts';
import { drain, dyingAt, Killed } from './bulk-world.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const LINK = { siteId: null, isUp: true, latencyMs: 5, bandwidthUtilization: 10, packetLoss: 0, jitterMs: 1, securityIncidents: 0 };
/** A number that is greater than the number of commits of the work that blocks a service. */
const COMMITS = 6;

/** A provider that records its orders. A repeated order has no second effect. */
class Provider implements ServiceProvider {
  readonly name = 'booking';
  readonly simulated = true;
  readonly book = new Map<string, string>();
  readonly releases: ReleaseOrder[] = [];
  /** How the provider responds to orders that change a line. */
  mode: 'completes' | 'takes long' | 'refuses' | 'loses responses' = 'completes';

  /** Returns the reference of the line after an order. */
  referenceOf = ({ serviceId }: ApplyOrder): string => `line-${serviceId}`;

  async apply(order: ApplyOrder): Promise<Applied> {
    const { orderId, reference, spec } = order;
    if (reference && this.mode === 'refuses') throw new OrderRejected('The line is busy.');
    this.book.set(orderId, `${spec.characteristics.bandwidth} ${spec.isBlocked ? 'blocked' : 'open'}`);
    if (reference && this.mode === 'takes long') return { state: 'in_progress', checkAfterSeconds: 60 };
    if (reference && this.mode === 'loses responses') {
      this.mode = 'completes';
      throw new Error('socket hang up');
    }
    return { state: 'completed', reference: this.referenceOf(order) };
  }

  async release(order: ReleaseOrder): Promise<Released> {
    this.releases.push(order);
    return { state: 'released' };
  }

  async observe(): Promise<null> {
    return null;
  }
}

let alone: ServicesAlone;
let provider: Provider;
let id: string;
let accountId: string;
let revision: number;
beforeAll(async () => {
  alone = await ServicesAlone.open();
  alone.subgraph(new Provider());
  // the tests run the jobs themselves
  await alone.jobs.start({ work: false });
});
afterAll(() => alone[Symbol.asyncDispose]());
beforeEach(async () => {
  provider = new Provider();
  revision = 0;
  accountId = newId('account');
  id = await alone.ordered();
  await alone.sql('update services.service set account_id = $1 where id = $2', [accountId, id]);
  await alone.provision(id, provider);
});

type Through = (orm: Orm) => Orm;

/** Reports the state of the account to the services domain, as billing does. */
async function dunning(state: 'suspended' | 'current', through?: Through): Promise<void> {
  const payload = JSON.stringify({ data: { billing_account: { account_id: accountId, dunning: { state, revision } } } });
  await accountSuspension(alone.ports(provider, through)).handle({ organizationId: 'org_test', payload } as never);
}

/** Suspends the account, or ends its suspension. */
async function turn(state: 'suspended' | 'current'): Promise<void> {
  revision += 1;
  await dunning(state);
}

/** Runs all due work, as a running process would. */
async function work({ through, twice = false }: { through?: Through; twice?: boolean } = {}): Promise<void> {
  const ports = alone.ports(provider, through);
  for (let rounds = 0; rounds < 3; rounds += 1) {
    await Promise.all(Array.from({ length: twice ? 2 : 1 }, () => serviceBlockSweeper(ports).once()));
    await drain(alone, provider, { twice, ...(through && { through }) });
  }
}

const blockOf = async (): Promise<Json> => (await alone.sql<Json>('select * from services.service_block where id = $1', [id]))[0];
const orders = (): [string, string][] => [...provider.book].slice(1);

const END = 'mutation ($id: ID!) { endService(id: $id) { id } }';

const scale = (effectiveDate: Date | null): Promise<Json> =>
  alone.query(alone.subgraph(provider), 'mutation ($id: ID!, $input: ScalingInput!) { scaleService(id: $id, input: $input) { id } }', {
    id,
    input: { scalingAction: 'SCALE_UP', newBandwidth: '2gbps', effectiveDate: effectiveDate?.toISOString() },
  });

describe('the provider and suspended services', () => {
  test('the provider blocks a suspended service, and unblocks it when the suspension ends', async () => {
    await turn('suspended');
    await work();
    expect(orders()).toEqual([[`${id}/block-1`, '1000mbps blocked']]);
    expect(await blockOf()).toMatchObject({ is_blocked: true, is_open: false, due_at: null });
    await turn('current');
    await work();
    expect(orders().slice(1)).toEqual([[`${id}/block-2`, '1000mbps open']]);
    expect(await blockOf()).toMatchObject({ is_blocked: false, is_open: false, due_at: null });
    await turn('suspended');
    await work();
    expect(orders().slice(2)).toEqual([[`${id}/block-3`, '1000mbps blocked']]);
  });

  test('the provider may give a service a new reference when it blocks the service, and the next orders and the release contain it', async () => {
    const orderedWith: (string | null)[] = [];
    provider.referenceOf = (order) => {
      orderedWith.push(order.reference);
      return `${order.orderId}-line`;
    };
    await turn('suspended');
    await work();
    expect(await alone.row(id)).toMatchObject({ status: 'suspended', provider_reference: `${id}/block-1-line` });
    await turn('current');
    await work();
    expect(await alone.row(id)).toMatchObject({ status: 'operational', provider_reference: `${id}/block-2-line` });
    await turn('suspended');
    await work();
    expect(orderedWith).toEqual([`line-${id}`, `${id}/block-1-line`, `${id}/block-2-line`]);
    await alone.query(alone.subgraph(provider), END, { id });
    await work();
    expect(provider.releases.at(-1)?.reference).toBe(`${id}/block-3-line`);
  });

  test('a service that was never suspended has no order to block it', async () => {
    await scale(null);
    await work();
    expect(await blockOf()).toBeUndefined();
    expect(orders().map(([, effect]) => effect)).toEqual(['2000mbps open']);
  });

  const POINTS = (['suspended', 'current'] as const).flatMap((state) =>
    (['before', 'after'] as const).flatMap((when) => Array.from({ length: COMMITS }, (_, n) => [state, when, n + 1] as const)),
  );

  test.each(POINTS)(
    'when the account becomes %s, the provider gets one order if the process is killed %s commit %i',
    async (state, when, n) => {
      if (state === 'current') {
        await turn('suspended');
        await work();
      }
      revision += 1;
      const through = dyingAt(n, when);
      try {
        await dunning(state, through);
        await work({ through });
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
      }
      // the event is handled again after the restart
      await dunning(state);
      alone.clock.advance(HOUR_MS);
      await work();
      expect(orders().at(-1)?.[1]).toBe(state === 'suspended' ? '1000mbps blocked' : '1000mbps open');
      expect(orders()).toHaveLength(state === 'suspended' ? 1 : 2);
      expect(await blockOf()).toMatchObject({ is_blocked: state === 'suspended', is_open: false, due_at: null });
    },
  );

  test('the provider gets one order if two processes do all work at the same time', async () => {
    for (const state of ['suspended', 'current'] as const) {
      await turn(state);
      await work({ twice: true });
    }
    expect(orders().map(([, effect]) => effect)).toEqual(['1000mbps blocked', '1000mbps open']);
    expect(await blockOf()).toMatchObject({ is_blocked: false, is_open: false, due_at: null });
  });

  test('an order whose response was lost is repeated with the same id', async () => {
    provider.mode = 'loses responses';
    await turn('suspended');
    await work();
    expect(await blockOf()).toMatchObject({ is_blocked: false, is_open: true, failures: 1 });
    alone.clock.advance(MINUTE_MS);
    await work();
    expect(orders()).toEqual([[`${id}/block-1`, '1000mbps blocked']]);
    expect(await blockOf()).toMatchObject({ is_blocked: true, failures: 0, due_at: null });
  });

  test('after a refusal the service stays suspended, and the provider gets a new order later', async () => {
    provider.mode = 'refuses';
    await turn('suspended');
    await work();
    expect((await alone.row(id)).status).toBe('suspended');
    expect(await blockOf()).toMatchObject({ is_blocked: false, is_open: false });
    provider.mode = 'completes';
    alone.clock.advance(HOUR_MS);
    await work();
    const [[orderId = ''] = [], ...others] = orders();
    expect([others, orderId === `${id}/block-1`]).toEqual([[], false]);
    expect(await blockOf()).toMatchObject({ is_blocked: true, due_at: null });
  });

  test('if the suspension ends while the provider blocks the service, the provider completes the order and then unblocks the service', async () => {
    provider.mode = 'takes long';
    await turn('suspended');
    await work();
    await turn('current');
    await work();
    expect(orders()).toEqual([[`${id}/block-1`, '1000mbps blocked']]);
    provider.mode = 'completes';
    alone.clock.advance(HOUR_MS);
    await work();
    expect(orders()).toEqual([
      [`${id}/block-1`, '1000mbps blocked'],
      [`${id}/block-2`, '1000mbps open'],
    ]);
    expect(await blockOf()).toMatchObject({ is_blocked: false, is_open: false, due_at: null });
  });

  test('a change that became due during the suspension is made after the provider has unblocked the service', async () => {
    await scale(new Date(alone.clock.now().getTime() + HOUR_MS));
    await turn('suspended');
    await work();
    alone.clock.advance(2 * HOUR_MS);
    await changeApplicationSweeper(alone.ports(provider)).once();
    await work();
    expect(orders().map(([, effect]) => effect)).toEqual(['1000mbps blocked']);
    await turn('current');
    await work();
    expect(orders().map(([, effect]) => effect)).toEqual(['1000mbps blocked', '1000mbps open', '2000mbps open']);
    expect(await alone.row(id)).toMatchObject({ status: 'operational', bandwidth_mbps: 2000 });
  });

  test('a change that has begun is completed before the service is blocked', async () => {
    provider.mode = 'takes long';
    await scale(null);
    await drain(alone, provider, { until: async () => provider.book.size > 1 });
    await turn('suspended');
    provider.mode = 'completes';
    await work();
    expect(orders().map(([, effect]) => effect)).toEqual(['2000mbps open', '2000mbps blocked']);
    expect(await alone.row(id)).toMatchObject({ status: 'suspended', bandwidth_mbps: 2000 });
  });

  test('the release of a service names the order that blocks it, if this order has not ended', async () => {
    provider.mode = 'takes long';
    await turn('suspended');
    await work();
    await alone.query(alone.subgraph(provider), END, { id });
    alone.clock.advance(HOUR_MS);
    await work();
    expect(provider.releases.at(-1)?.openOrderIds).toEqual([`${id}/block-1`]);
    expect((await alone.row(id)).status).toBe('decommissioned');
    expect((await blockOf()).due_at).toBeNull();
  });

  test('a service is measured again only after the provider has unblocked it', async () => {
    let measured = 0;
    const observing = Object.assign(new Provider(), {
      observe: async ({ serviceId }: ObservedService): Promise<null> => {
        if (serviceId === id) measured += 1;
        return null;
      },
    });
    await turn('suspended');
    await work();
    provider.mode = 'refuses';
    await turn('current');
    await work();
    alone.clock.advance(2 * MINUTE_MS);
    await alone.measure(observing);
    expect([(await alone.row(id)).status, measured]).toEqual(['operational', 0]);
    provider.mode = 'completes';
    alone.clock.advance(HOUR_MS);
    await work();
    await alone.measure(observing);
    expect(measured).toBe(1);
  });

  test('the last usage of a service that is ended while it is blocked is recorded once, and its measuring ends', async () => {
    const observing = Object.assign(new Provider(), {
      observe: async ({ serviceId, previous }: ObservedService): Promise<Observation | null> =>
        serviceId === id ? { measuredAt: alone.clock.now(), links: [LINK], transferredBytes: previous && 5e9, counter: null } : null,
    });
    // all samples of the test are in one hour
    alone.clock.advance(HOUR_MS - (alone.clock.now().getTime() % HOUR_MS) + MINUTE_MS);
    await alone.measure(observing);
    alone.clock.advance(MINUTE_MS);
    await alone.measure(observing);
    await turn('suspended');
    await work();
    expect(await blockOf()).toMatchObject({ is_blocked: true });
    await alone.query(alone.subgraph(provider), END, { id });
    await work();
    expect((await alone.row(id)).status).toBe('decommissioned');
    for (let minute = 0; minute < 2; minute += 1) {
      alone.clock.advance(MINUTE_MS);
      await alone.measure(observing);
    }
    const usage = (await alone.events(id)).filter(({ event }) => event === 'usage.recorded');
    expect(usage.map(({ data }) => data.quantity)).toEqual([5]);
    expect(await alone.sql('select 1 as one from services.service_measurement where service_id = $1', [id])).toEqual([]);
  });
});
