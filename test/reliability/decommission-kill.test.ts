import { expect, test } from 'vitest';
import { eventually } from '../rig.ts';
import { internetOrder } from '../services.setup.ts';
import { originOf, type RunningProcess, runPlatform, temporaryFolder } from '../support/process.ts';
import { Tenant } from '../tenant.ts';

const KEY = `sk_live_${'Test'.repeat(16)}`;
const SERVICES = 6;
/**
 * Time between the requests to end the services and the kill. The simulated provider needs 200 milliseconds to release a
 * service, so some releases are in progress at the kill.
 */
const KILL_AFTER_MS = 300;

const start = (dataDir: string): RunningProcess => runPlatform(['--data', dataDir, '--port', '0'], { BOOTSTRAP_API_KEY: KEY });
const statusesOf = async (tenant: Tenant): Promise<string[]> =>
  (await tenant.rest('GET', '/services')).body.data.map(({ status }: { status: string }) => status);
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test('each service is decommissioned once with one event, even if the platform is killed during the decommissions', async () => {
  const dataDir = temporaryFolder();
  let platform = start(dataDir);
  let tenant = new Tenant(await originOf(platform), '', KEY);
  const account = (await tenant.rest('POST', '/accounts', { body: { name: 'Acme', email: 'it@acme.example.com' } })).body.data;
  const ids: string[] = [];
  for (let count = 0; count < SERVICES; count += 1)
    ids.push((await tenant.rest('POST', '/connectivity/internet', { body: internetOrder(account.id) })).body.data.id);
  await eventually(async () => (await statusesOf(tenant)).every((status) => status === 'operational'));

  const calls = ids.map((id) => tenant.rest('DELETE', `/services/${id}`).catch(() => undefined));
  await pause(KILL_AFTER_MS);
  platform.kill('SIGKILL');
  await Promise.all([platform.exited, ...calls]);
  platform = start(dataDir);
  tenant = new Tenant(await originOf(platform), '', KEY);
  // repeats the requests that the kill interrupted
  await Promise.all(ids.map((id) => tenant.rest('DELETE', `/services/${id}`)));

  await eventually(async () => (await statusesOf(tenant)).every((status) => status === 'decommissioned'));
  const source = '{ events(filter: { event: ["service.decommissioned"] }, page: { limit: 100 }) { nodes { subjectId } } }';
  const ended = async (): Promise<string[]> =>
    (await tenant.graphql(source)).data.events.nodes.map(({ subjectId }: { subjectId: string }) => subjectId);
  await eventually(async () => (await ended()).length >= SERVICES);
  expect((await ended()).sort()).toEqual([...ids].sort());
});
