import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Applied } from '../../subgraphs/services/providers/service.provider.ts';
import { OrderRejected } from '../../subgraphs/services/providers/service.provider.ts';
import { LOCATION } from '../billing.setup.ts';
import { eventually } from '../rig.ts';
import { ScriptedProvider, ServicesAlone } from '../services-alone.ts';

const ENOUGH = 100;
const BUILT_ONCE = [
  'service.status_changed pending>provisioning',
  'service.provisioned',
  'service.status_changed provisioning>operational',
];

const built = async (): Promise<Applied> => ({ state: 'completed', reference: 'line-1' });
/** Defines the queues of the domain, whose jobs the test runs itself. */
async function withQueues(provider: ScriptedProvider): Promise<void> {
  alone.subgraph(provider);
  await alone.jobs.start({ work: false });
}

const outage = async (): Promise<Applied> => {
  throw new Error('connect ECONNREFUSED 10.0.0.7:443');
};

let alone: ServicesAlone;
beforeEach(async () => {
  alone = await ServicesAlone.open();
});
afterEach(() => alone[Symbol.asyncDispose]());

/** Returns the events of a service as texts, such as `service.status_changed provisioning>operational`. */
const story = async (id: string): Promise<string[]> =>
  (await alone.events(id)).map(({ event, data: { changes } }) =>
    changes ? `${event} ${changes.status.from}>${changes.status.to}` : event,
  );

describe('successful provisioning', () => {
  test('a service is provisioned once, even if its job runs several times concurrently', async () => {
    const provider = new ScriptedProvider(built);
    const id = await alone.ordered();
    await Promise.all(Array.from({ length: 5 }, () => alone.provision(id, provider)));
    const count = provider.orders.length;
    await alone.provision(id, provider);
    expect(provider.orders).toHaveLength(count);
    expect(await alone.row(id)).toMatchObject({ status: 'operational', provider_reference: 'line-1' });
    expect(await story(id)).toEqual(BUILT_ONCE);
  });

  test('a provisioning run that was interrupted is repeated with the same order, and the late result of the first run is ignored', async () => {
    let finish: (outcome: Applied) => void = () => undefined;
    const stuck = new ScriptedProvider(() => new Promise((resolve) => (finish = resolve)));
    const id = await alone.ordered();
    const stopped = alone.provision(id, stuck);
    await eventually(() => stuck.orders.length === 1);
    expect(await alone.row(id)).toMatchObject({ status: 'provisioning' });

    const next = new ScriptedProvider(built);
    await alone.provision(id, next);
    expect(next.orders).toEqual(stuck.orders);
    expect(await alone.row(id)).toMatchObject({ status: 'operational' });

    finish({ state: 'completed', reference: 'line-2' });
    await stopped;
    expect(await alone.row(id)).toMatchObject({ status: 'operational', provider_reference: 'line-1' });
    expect(await story(id)).toEqual(BUILT_ONCE);
  });

  test('a provider that reports in_progress is asked again until the service is built', async () => {
    const provider = new ScriptedProvider(async () =>
      provider.orders.length < 3 ? { state: 'in_progress', checkAfterSeconds: 0 } : built(),
    );
    const subgraph = alone.subgraph(provider);
    await alone.jobs.start();
    const order = { accountId: 'acc_1', serviceType: 'FIBER', bandwidth: '1gbps', location: LOCATION };
    const source = 'mutation($order: InternetServiceOrderInput!) { orderInternetService(input: $order) { id } }';
    const { id } = (await alone.query(subgraph, source, { order })).orderInternetService;
    await eventually(async () => (await alone.row(id)).status === 'operational');
    await alone.stopJobs();
    expect(provider.orders.map(({ serviceId, attempt }) => [serviceId, attempt])).toEqual(Array(3).fill([id, 1]));
    expect(await story(id)).toEqual(BUILT_ONCE);
  });
});

describe('failed provisioning', () => {
  test('provisioning fails immediately with the reason if the provider rejects the order', async () => {
    const provider = new ScriptedProvider(async () => {
      throw new OrderRejected('No duct enters the building.');
    });
    const id = await alone.ordered();
    await alone.provision(id, provider);
    expect(await alone.row(id)).toMatchObject({ status: 'failed', status_reason: 'No duct enters the building.' });
    expect(await story(id)).toEqual([BUILT_ONCE[0], 'service.status_changed provisioning>failed']);
    await alone.provision(id, provider);
    expect(provider.orders).toHaveLength(1);
  });

  test('provisioning is retried while the provider is unreachable, and then fails with a reason without internal details', async () => {
    const provider = new ScriptedProvider(outage);
    await withQueues(provider);
    const id = await alone.ordered();
    await expect(alone.provision(id, provider)).rejects.toThrow('ECONNREFUSED');
    for (let run = 0; run < ENOUGH && (await alone.row(id)).status === 'provisioning'; run += 1) {
      await alone.provision(id, provider).catch(() => undefined);
    }

    const { status, status_reason: reason } = await alone.row(id);
    expect(status).toBe('failed');
    expect(reason).toBe(`The provider could not be reached in ${provider.orders.length} attempts.`);
    expect(provider.orders.map(({ attempt }) => attempt)).toEqual(provider.orders.map((_, index) => index + 1));
    expect(provider.orders.length).toBeGreaterThan(5);
    expect((await alone.events(id)).at(-1)?.data.reason).toBe(reason);
  });

  test('a service that fails because the provider is unreachable is released, since the provider may still build it', async () => {
    const provider = new ScriptedProvider(outage);
    await withQueues(provider);
    const id = await alone.ordered();
    for (let run = 0; run < ENOUGH && (await alone.row(id)).status !== 'failed'; run += 1) {
      await alone.provision(id, provider).catch(() => undefined);
    }
    provider.released = () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:443'));
    await alone.provision(id, provider);
    expect(provider.releases).toMatchObject([{ serviceId: id, reference: null, releaseId: `${id}/release` }]);
    expect((await alone.jobsOf(id)).length).toBeGreaterThan(1);
    provider.released = async () => ({ state: 'released' });
    alone.clock.advance(60_000);
    await alone.provision(id, provider);
    // nothing is left to do
    await alone.provision(id, provider);
    expect(provider.releases).toHaveLength(2);
    expect(await alone.row(id)).toMatchObject({ status: 'failed', status_reason: expect.stringContaining('could not be reached') });
  });

  test('a service that the provider has refused is not released', async () => {
    const provider = new ScriptedProvider(async () => {
      throw new OrderRejected('No duct enters the building.');
    });
    const id = await alone.ordered();
    await alone.provision(id, provider);
    await alone.provision(id, provider);
    expect(provider.releases).toEqual([]);
  });

  test('provisioning goes on for any number of outages, if the provider responds between them', async () => {
    const provider = new ScriptedProvider(() =>
      provider.orders.length % 2 === 0 ? outage() : Promise.resolve({ state: 'in_progress', checkAfterSeconds: 5 }),
    );
    await withQueues(provider);
    const id = await alone.ordered();
    for (let run = 0; run < ENOUGH; run += 1) await alone.provision(id, provider).catch(() => undefined);
    expect(await alone.row(id)).toMatchObject({ status: 'provisioning' });
    await alone.provision(id, new ScriptedProvider(built));
    expect(await story(id)).toEqual(BUILT_ONCE);
  });

  test('provisioning succeeds when it is retried after the provider is reachable again', async () => {
    const id = await alone.ordered();
    await expect(alone.provision(id, new ScriptedProvider(outage))).rejects.toThrow();
    await alone.provision(id, new ScriptedProvider(built));
    expect(await story(id)).toEqual(BUILT_ONCE);
  });
});

describe('provisioning requests', () => {
  const ASK = 'mutation($input: ProvisioningRequestInput!) { requestProvisioning(input: $input) { id serviceId } }';
  const READ = 'query($id: ID!) { provisioningRequest(id: $id) { status steps { name status } history { to } } }';
  const wanted = {
    serviceTemplate: 'business_fiber',
    customizations: { bandwidth: '1gbps', redundancy: true },
    accountId: 'acc_1',
    location: LOCATION,
  };

  test('a provisioning request is in progress while its service is built, and is completed once', async () => {
    let finish: (outcome: Applied) => void = () => undefined;
    const provider = new ScriptedProvider(() => new Promise((resolve) => (finish = resolve)));
    const subgraph = alone.subgraph(provider);
    await alone.jobs.start();
    const { id, serviceId } = (await alone.query(subgraph, ASK, { input: wanted })).requestProvisioning;
    const read = async () => (await alone.query(subgraph, READ, { id })).provisioningRequest;
    await eventually(() => provider.orders.length === 1);
    expect(provider.orders).toMatchObject([{ serviceId, spec: { characteristics: { bandwidth: '1000mbps', redundancy: true } } }]);
    expect(await read()).toMatchObject({ status: 'IN_PROGRESS', steps: [{}, {}, {}, { name: 'BUILD', status: 'RUNNING' }] });

    finish({ state: 'completed', reference: 'line-1' });
    await eventually(async () => (await read()).status === 'COMPLETED');
    await alone.stopJobs();
    await alone.provision(serviceId, new ScriptedProvider(built));
    expect((await read()).history).toEqual([{ to: 'ACKNOWLEDGED' }, { to: 'IN_PROGRESS' }, { to: 'COMPLETED' }]);
  });

  test('a provisioning request whose line is still built after the cancellation is cancelled when the line has been released', async () => {
    let finish: (outcome: Applied) => void = () => undefined;
    const provider = new ScriptedProvider(() => new Promise((resolve) => (finish = resolve)));
    const subgraph = alone.subgraph(provider);
    await alone.jobs.start();
    const { id, serviceId } = (await alone.query(subgraph, ASK, { input: wanted })).requestProvisioning;
    const read = async () => (await alone.query(subgraph, READ, { id })).provisioningRequest;
    await eventually(() => provider.orders.length === 1);
    await alone.query(subgraph, 'mutation($id: ID!) { cancelProvisioningRequest(id: $id) { status } }', { id });
    await eventually(() => provider.releases.length > 0);
    expect((await read()).status).toBe('IN_PROGRESS');

    finish({ state: 'completed', reference: 'line-1' });
    await eventually(async () => (await read()).status === 'CANCELLED');
    await alone.stopJobs();
    expect(provider.releases.at(-1)).toMatchObject({ serviceId, reference: 'line-1' });
    expect(await alone.row(serviceId)).toMatchObject({ status: 'decommissioned', provider_reference: null });
    expect((await read()).history).toEqual([{ to: 'ACKNOWLEDGED' }, { to: 'IN_PROGRESS' }, { to: 'CANCELLED' }]);
    expect(await story(serviceId)).not.toContain('service.provisioned');
  });
});
