import { expect, test } from 'vitest';
import { createAccount, orderService } from '../billing.setup.ts';
import { ownDatabase } from '../support/own-database.ts';
import { originOf, type RunningProcess, runPlatform, temporaryFolder } from '../support/process.ts';
import { Tenant } from '../tenant.ts';

const KEY = `sk_live_${'Test'.repeat(16)}`;
/** Delays between the first request and the kill. At this time, some batches are stored, and others are not. */
const KILLS_AFTER_MS = [5, 40, 120];
const BATCHES = 8;
const SIZE = 200;

test('usage counts once if the platform is killed while it records, and the client repeats its requests', async () => {
  const database = await ownDatabase();
  const settings = {
    BOOTSTRAP_API_KEY: KEY,
    SECRET_KEY: 'a secret for tests that is long enough',
    ...(database && { DATABASE_URL: database }),
  };
  const dataDir = temporaryFolder();
  const start = async (): Promise<[RunningProcess, Tenant]> => {
    const platform = runPlatform(['--data', dataDir, '--port', '0'], settings);
    return [platform, new Tenant(await originOf(platform), '', KEY)];
  };
  let [platform, tenant] = await start();
  const { id: accountId } = await createAccount(tenant);
  const { service } = await orderService(tenant, accountId);
  const timestamp = new Date();
  let recorded = 0;
  for (const [round, ms] of KILLS_AFTER_MS.entries()) {
    const bodies = Array.from({ length: BATCHES }, (_, batch) => ({
      events: Array.from({ length: SIZE }, (_unused, index) => ({
        ...{ id: `${round}-${batch}-${index}`, service_id: service.id, metric: 'data_gb', quantity: 0.25, timestamp },
      })),
    }));
    const sent = Promise.allSettled(bodies.map((body) => tenant.rest('POST', '/billing/usage', { body })));
    await new Promise((resolve) => setTimeout(resolve, ms));
    platform.kill('SIGKILL');
    await Promise.all([platform.exited, sent]);
    [platform, tenant] = await start();
    for (const body of bodies) {
      const { body: answer } = await tenant.rest('POST', '/billing/usage', { body });
      expect(answer.data.accepted + answer.data.duplicates).toBe(SIZE);
      // a batch is stored as a whole or not at all
      expect([0, SIZE]).toContain(answer.data.accepted);
    }
    recorded += BATCHES * SIZE;
    const { body } = await tenant.rest('GET', '/billing/usage');
    expect(body.data.total_usage.data_gb).toBe(recorded * 0.25);
  }
}, 200_000);
