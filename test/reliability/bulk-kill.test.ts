import { afterEach, beforeEach, expect, test } from 'vitest';
import { LOCATION } from '../billing.setup.ts';
import { bulkOf, lineItem, provisionInBulk } from '../bulk.setup.ts';
import { eventually } from '../rig.ts';
import { CARRIER_TOKEN, Carrier } from '../support/carrier.ts';
import { ownDatabase } from '../support/own-database.ts';
import { originOf, type RunningProcess, runPlatform, temporaryFolder } from '../support/process.ts';
import { type Json, Tenant } from '../tenant.ts';

const KEY = `sk_live_${'Test'.repeat(16)}`;
const SIZE = 100;
const REFUSED = 56;
/** Delays before each kill of the platform: the first delay starts at the order, and each other delay at the previous restart. */
const KILLS_AFTER_MS = [150, 400, 250, 700];
const WAIT_MS = 120_000;

let carrier: Carrier;
beforeEach(async () => {
  carrier = await Carrier.start();
  carrier.completesAtOnce = true;
});
afterEach(() => carrier.close());

const start = (dataDir: string, more: Readonly<Record<string, string>> = {}): RunningProcess =>
  runPlatform(['--data', dataDir, '--port', '0'], {
    ...more,
    BOOTSTRAP_API_KEY: KEY,
    CONNECTIVITY_PROVIDER_URL: carrier.url,
    CONNECTIVITY_PROVIDER_TOKEN: CARRIER_TOKEN,
  });
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Orders a bulk, kills and restarts the platform several times, and returns the bulk after it has ended. */
async function killedBulk(): Promise<{ tenant: Tenant; bulk: Json; services: Json[] }> {
  const dataDir = temporaryFolder();
  let platform = start(dataDir);
  let tenant = new Tenant(await originOf(platform), '', KEY);
  const items = Array.from({ length: SIZE }, (_, n) => lineItem({ location: { ...LOCATION, address: `${n} Fifth Avenue` } }));
  const { status, body } = await provisionInBulk(tenant, items, { rollback_on_failure: true });
  expect(status).toBe(201);
  for (const ms of KILLS_AFTER_MS) {
    await pause(ms);
    platform.kill('SIGKILL');
    await platform.exited;
    platform = start(dataDir);
    tenant = new Tenant(await originOf(platform), '', KEY);
  }
  const end = await eventually(async () => {
    const found = await bulkOf(tenant, body.data.id);
    return !['in_progress', 'rolling_back'].includes(found.bulk.status) && found;
  }, WAIT_MS);
  return { tenant, ...end };
}

const ordersTo = (action: string): Json[] => carrier.orders.filter(({ serviceOrderItem: [item] }) => item.action === action);

async function provisionedIds(tenant: Tenant): Promise<string[]> {
  const source = '{ events(filter: { event: ["service.provisioned"] }, page: { limit: 200 }) { nodes { subjectId } } }';
  return (await tenant.graphql(source)).data.events.nodes.map(({ subjectId }: Json) => subjectId).sort();
}

test('a carrier builds each of 100 services of a bulk once, even if the platform is killed repeatedly', async () => {
  const { tenant, bulk, services } = await killedBulk();
  expect(bulk.status).toBe('completed');
  const ids = services.map(({ service_id }) => service_id).sort();
  expect(
    ordersTo('add')
      .map(({ externalId }) => externalId)
      .sort(),
  ).toEqual(ids);
  expect(ordersTo('delete')).toEqual([]);
  await eventually(async () => (await provisionedIds(tenant)).length >= SIZE);
  expect(await provisionedIds(tenant)).toEqual(ids);
}, 200_000);

test('a carrier releases each built service of a bulk once, if a service is refused and the platform is killed repeatedly', async () => {
  carrier.refuses = (order) => JSON.stringify(order).includes(`"${REFUSED} Fifth Avenue"`);
  const { tenant, bulk } = await killedBulk();
  expect([bulk.status, bulk.leftovers]).toEqual(['rolled_back', []]);
  expect(carrier.services.size).toBe(0);
  const built = ordersTo('add').map(({ serviceOrderItem: [{ service }] }) => service.id);
  const released = ordersTo('delete').map(({ serviceOrderItem: [{ service }] }) => service.id);
  expect(built.length).toBeGreaterThan(0);
  expect(released.sort()).toEqual(built.sort());
  expect(await provisionedIds(tenant)).toEqual([]);
  expect((await tenant.rest('GET', '/billing/invoices')).body.invoices).toEqual([]);
}, 200_000);

test.runIf(process.env.TEST_DATABASE_URL)(
  'two processes share the work on a bulk, and a carrier builds each service once, even if one of the processes is killed',
  async () => {
    const database = { DATABASE_URL: (await ownDatabase()) ?? '', SECRET_KEY: 'a secret for tests that is long enough' };
    const dataDir = temporaryFolder();
    const first = start(dataDir, database);
    await originOf(first);
    const second = start(dataDir, database);
    const tenant = new Tenant(await originOf(second), '', KEY);
    const items = Array.from({ length: SIZE }, () => lineItem());
    const { body } = await provisionInBulk(tenant, items, { rollback_on_failure: true });
    await eventually(() => carrier.orders.length > SIZE / 4);
    first.kill('SIGKILL');
    await eventually(async () => (await bulkOf(tenant, body.data.id)).bulk.status === 'completed', WAIT_MS);
    const ids = body.data.items.map(({ service_id }: Json) => service_id).sort();
    expect(
      ordersTo('add')
        .map(({ externalId }) => externalId)
        .sort(),
    ).toEqual(ids);
    await eventually(async () => (await provisionedIds(tenant)).length >= SIZE);
    expect(await provisionedIds(tenant)).toEqual(ids);
  },
  200_000,
);
