import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ServiceStatus } from '../../subgraphs/services/inventory/service.states.ts';
import { type Applied, OrderRejected, type Released } from '../../subgraphs/services/providers/service.provider.ts';
import { eventually } from '../rig.ts';
import { ScriptedProvider, ServicesAlone } from '../services-alone.ts';

const built = async (): Promise<Applied> => ({ state: 'completed', reference: 'line-1' });
const END = 'mutation($id: ID!) { endService(id: $id) { status } }';
const CHANGES = 'query($id: ID!) { serviceChanges(serviceId: $id) { nodes { id status history { to } } } }';
const LONG_AGO_MS = 60_000;

let alone: ServicesAlone;
beforeEach(async () => {
  alone = await ServicesAlone.open();
  alone.subgraph(new ScriptedProvider(built));
  // the tests run the jobs themselves
  await alone.jobs.start({ work: false });
});
afterEach(() => alone[Symbol.asyncDispose]());

const end = async (id: string) => (await alone.query(alone.subgraph(new ScriptedProvider(built)), END, { id })).endService.status;
const changes = async (id: string) =>
  (await alone.query(alone.subgraph(new ScriptedProvider(built)), CHANGES, { id })).serviceChanges.nodes;
/** Returns the events about the decommission of a service: the name of each event, with the old and the new status. */
const ending = async (id: string): Promise<string[]> =>
  (await alone.events(id))
    .map(({ event, data: { changes: change } }) => (change ? `${event} ${change.status.from}>${change.status.to}` : event))
    .filter((line) => /decommission/.test(line));
const ENDED_ONCE = [
  'service.status_changed operational>decommissioning',
  'service.status_changed decommissioning>decommissioned',
  'service.decommissioned decommissioning>decommissioned',
];

async function operational(provider = new ScriptedProvider(built)): Promise<string> {
  const id = await alone.ordered();
  await alone.provision(id, provider);
  return id;
}

describe('release of a service at its provider', () => {
  test('a service is decommissioned once, even if its job runs several times concurrently', async () => {
    const provider = new ScriptedProvider(built);
    const id = await operational(provider);
    expect(await end(id)).toBe('DECOMMISSIONING');
    await Promise.all(Array.from({ length: 5 }, () => alone.provision(id, provider)));
    const { length } = provider.releases;
    await alone.provision(id, provider);
    expect(provider.releases).toHaveLength(length);
    expect(new Set(provider.releases.map(({ releaseId }) => releaseId)).size).toBe(1);
    expect(await alone.row(id)).toMatchObject({ status: 'decommissioned', provider_reference: null });
    expect(await ending(id)).toEqual(ENDED_ONCE);
    expect((await changes(id))[0].history).toEqual([{ to: 'ACKNOWLEDGED' }, { to: 'IN_PROGRESS' }, { to: 'COMPLETED' }]);
  });

  test('a pending service is decommissioned without a call to the provider', async () => {
    const id = await alone.ordered();
    expect(await end(id)).toBe('DECOMMISSIONED');
    const provider = new ScriptedProvider(built);
    await alone.provision(id, provider);
    expect([provider.orders, provider.releases]).toEqual([[], []]);
  });

  test('taking a service down at its provider is retried while the provider is unreachable', async () => {
    const provider = new ScriptedProvider(built);
    const id = await operational(provider);
    await end(id);
    provider.released = async () => {
      throw new Error('connect ECONNREFUSED 10.0.0.7:443');
    };
    for (let run = 0; run < 20; run += 1) await alone.provision(id, provider);
    expect(await alone.row(id)).toMatchObject({ status: 'decommissioning' });
    provider.released = async () => ({ state: 'released' });
    await alone.provision(id, provider);
    expect(await ending(id)).toEqual(ENDED_ONCE);
  });

  test('a release that was interrupted is repeated with the same id, and the late result of the first run is ignored', async () => {
    const provider = new ScriptedProvider(built);
    const id = await operational(provider);
    await end(id);
    let finish: (outcome: Released) => void = () => undefined;
    provider.released = () => new Promise((resolve) => (finish = resolve));
    const stopped = alone.provision(id, provider);
    await eventually(() => provider.releases.length === 1);
    provider.released = async () => ({ state: 'released' });
    await alone.provision(id, provider);
    finish({ state: 'released' });
    await stopped;
    expect(provider.releases[1]).toEqual(provider.releases[0]);
    expect(await ending(id)).toEqual(ENDED_ONCE);
  });

  test.each([
    [ServiceStatus.OPERATIONAL, []],
    [ServiceStatus.DEGRADED, [ServiceStatus.DEGRADED]],
    [ServiceStatus.DOWN, [ServiceStatus.DEGRADED, ServiceStatus.DOWN]],
  ])('a service that the provider refuses to release becomes %s again, and a second release has a new id', async (status, outage) => {
    const provider = new ScriptedProvider(built);
    const id = await operational(provider);
    for (const next of outage) await alone.move(id, next);
    const { last_incident_at } = await alone.row(id);
    await end(id);
    provider.released = async () => {
      throw new OrderRejected('The contract runs until May.');
    };
    await alone.provision(id, provider);
    const reason = 'The provider refused to end the service: The contract runs until May.';
    expect(await alone.row(id)).toMatchObject({ status, status_reason: reason, provider_reference: 'line-1', last_incident_at });
    expect(await changes(id)).toMatchObject([{ status: 'FAILED' }]);
    provider.released = async () => ({ state: 'released' });
    await end(id);
    await alone.provision(id, provider);
    expect(provider.releases[1]?.releaseId).not.toBe(provider.releases[0]?.releaseId);
    expect(await alone.row(id)).toMatchObject({ status: 'decommissioned' });
  });
});

describe('jobs that release a service', () => {
  const inProgress = async (): Promise<Released> => ({ state: 'in_progress', checkAfterSeconds: 5 });
  const unreachable = async (): Promise<Released> => {
    throw new Error('connect ECONNREFUSED 10.0.0.7:443');
  };

  test('a release job that is repeated after its process was killed neither calls the provider nor enqueues another job', async () => {
    const provider = new ScriptedProvider(built);
    const id = await operational(provider);
    await end(id);
    provider.released = inProgress;
    const [{ number } = { number: 0 }] = await alone.jobsOf(id);
    for (let run = 0; run < 3; run += 1) await alone.provision(id, provider, number);
    expect(provider.releases).toHaveLength(1);
    expect(await alone.jobsOf(id)).toMatchObject([{ number }, { number: number + 1 }]);
  });

  test('a job that continues the provisioning of a service does nothing after the service was ended', async () => {
    const provider = new ScriptedProvider(async () => ({ state: 'in_progress', checkAfterSeconds: 5 }));
    const id = await alone.ordered();
    await alone.provision(id, provider);
    const [{ number } = { number: 0 }] = await alone.jobsOf(id);
    await end(id);
    await alone.provision(id, provider, number);
    expect(provider.releases).toEqual([]);
  });

  test('the delays between release attempts grow while the provider is unreachable, and are short again after a response', async () => {
    const provider = new ScriptedProvider(built);
    const id = await operational(provider);
    await end(id);
    for (const released of [unreachable, unreachable, unreachable, inProgress, unreachable]) {
      provider.released = released;
      await alone.provision(id, provider);
    }
    expect((await alone.jobsOf(id)).map(({ delay }) => delay)).toEqual([0, 2, 4, 8, 5, 2]);
  });

  test('a late rejection of an earlier release by the provider does not stop a later decommission', async () => {
    const provider = new ScriptedProvider(built);
    const id = await operational(provider);
    await end(id);
    let refuse: (error: Error) => void = () => undefined;
    provider.released = () => new Promise((_, reject) => (refuse = reject));
    const late = alone.provision(id, provider);
    await eventually(() => provider.releases.length === 1);
    provider.released = async () => {
      throw new OrderRejected('The contract runs until May.');
    };
    await alone.provision(id, provider);
    await end(id);
    refuse(new OrderRejected('The contract runs until May.'));
    await late;
    expect(await alone.row(id)).toMatchObject({ status: 'decommissioning' });
    expect(await changes(id)).toMatchObject([{ status: 'IN_PROGRESS' }, { status: 'FAILED' }]);
  });
});

describe('a service that is ended while the provider builds it', () => {
  /** Orders a service, and returns while the provider is building it. `finished` makes the provider return the given result. */
  async function inConstruction() {
    let finish: (outcome: Applied) => void = () => undefined;
    const provider = new ScriptedProvider(() => new Promise((resolve) => (finish = resolve)));
    const id = await alone.ordered();
    const building = alone.provision(id, provider);
    await eventually(() => provider.orders.length === 1);
    const finished = async (outcome: Applied): Promise<void> => {
      finish(outcome);
      await building;
    };
    return { provider, id, finished };
  }

  test('a service is decommissioned after a delay if a process of the previous platform version may be ordering it', async () => {
    const provider = new ScriptedProvider(async () => ({ state: 'in_progress', checkAfterSeconds: 5 }));
    const id = await alone.ordered();
    await alone.provision(id, provider);
    await alone.forgetAsked(id);
    await end(id);
    await alone.provision(id, provider);
    expect(await alone.row(id)).toMatchObject({ status: 'decommissioning' });
    expect((await alone.jobsOf(id)).at(-1)).toMatchObject({ delay: 30 });
    alone.clock.advance(LONG_AGO_MS);
    await alone.provision(id, provider);
    expect(await alone.row(id)).toMatchObject({ status: 'decommissioned' });
  });

  test('a line that the provider reports after its service was ended is released', async () => {
    const { provider, id, finished } = await inConstruction();
    expect(await end(id)).toBe('DECOMMISSIONING');
    await finished({ state: 'completed', reference: 'line-9' });
    expect(await alone.row(id)).toMatchObject({ status: 'decommissioning', provider_reference: 'line-9' });
    await alone.provision(id, provider);
    expect(provider.releases).toMatchObject([{ reference: 'line-9' }]);
    expect(await alone.row(id)).toMatchObject({ status: 'decommissioned', provider_reference: null });
    expect((await alone.events(id)).map(({ event }) => event)).not.toContain('service.provisioned');
  });

  test('a service is not decommissioned while its last provisioning order can still reach the provider', async () => {
    const { provider, id } = await inConstruction();
    await end(id);
    await alone.provision(id, provider);
    expect(await alone.row(id)).toMatchObject({ status: 'decommissioning' });
    alone.clock.advance(LONG_AGO_MS);
    await alone.provision(id, provider);
    expect(provider.releases).toHaveLength(2);
    expect(await alone.row(id)).toMatchObject({ status: 'decommissioned' });
  });

  test('a line that the provider reports after its service was decommissioned is released', async () => {
    const { provider, id, finished } = await inConstruction();
    await end(id);
    alone.clock.advance(LONG_AGO_MS);
    await alone.provision(id, provider);
    expect(await alone.row(id)).toMatchObject({ status: 'decommissioned' });
    await finished({ state: 'completed', reference: 'line-9' });
    await alone.provision(id, provider);
    expect(provider.releases.at(-1)).toMatchObject({ reference: 'line-9' });
    expect(await alone.row(id)).toMatchObject({ status: 'decommissioned', provider_reference: null });
    await alone.provision(id, provider);
    expect(provider.releases).toHaveLength(2);
  });

  test('the delays between attempts to release a line grow after its service was decommissioned', async () => {
    const { provider, id, finished } = await inConstruction();
    await end(id);
    alone.clock.advance(LONG_AGO_MS);
    await alone.provision(id, provider);
    await finished({ state: 'completed', reference: 'line-9' });
    provider.released = async () => {
      throw new OrderRejected('The contract runs until May.');
    };
    for (let run = 0; run < 3; run += 1) await alone.provision(id, provider);
    expect(await alone.row(id)).toMatchObject({ status: 'decommissioned', provider_reference: 'line-9' });
    expect((await alone.jobsOf(id)).slice(-3).map(({ delay }) => delay)).toEqual([2, 4, 8]);
  });
});

test('a scheduled decommission is kept when the service changes to operational, degraded, down or maintenance', async () => {
  const id = await alone.ordered();
  const subgraph = alone.subgraph(new ScriptedProvider(built));
  const source = 'mutation($id: ID!, $input: DecommissionInput!) { decommissionService(id: $id, input: $input) { id } }';
  const decommissionDate = new Date(alone.clock.now().getTime() + 86_400_000).toISOString();
  await alone.query(subgraph, source, { id, input: { decommissionDate } });
  await alone.provision(id, new ScriptedProvider(built));
  for (const status of [
    ServiceStatus.DEGRADED,
    ServiceStatus.DOWN,
    ServiceStatus.MAINTENANCE,
    ServiceStatus.DOWN,
    ServiceStatus.OPERATIONAL,
  ])
    await alone.move(id, status);
  expect(await changes(id)).toMatchObject([{ status: 'ACKNOWLEDGED' }]);
});
