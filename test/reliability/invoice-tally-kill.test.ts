import { expect, test } from 'vitest';
import { createAccount, invoiceBody, orderService } from '../billing.setup.ts';
import { ownDatabase } from '../support/own-database.ts';
import { originOf, type RunningProcess, runPlatform, temporaryFolder } from '../support/process.ts';
import { Tenant } from '../tenant.ts';

const KEY = `sk_live_${'Test'.repeat(16)}`;
/**
 * Delays between the last of a burst of invoices and the kill. The platform compacts the tallies about once per second, so some kills come
 * before the compaction, and others during or after it.
 */
const KILLS_AFTER_MS = [0, 300, 900, 1300];
const BURST = 15;

test('the invoice list and its totals are exact if the platform is killed before or during the compaction of the tallies', async () => {
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
  const { service, firstInvoice } = await orderService(tenant, accountId);
  const created: string[] = [firstInvoice.id];
  const expectAll = async (): Promise<void> => {
    for (const query of [
      '',
      `account_id=${accountId}`,
      'status=pending,overdue',
      'date_from=2020-01-01',
      'status=pending&date_to=2100-01-01',
    ]) {
      const { body } = await tenant.rest('GET', `/billing/invoices?limit=200&${query}`);
      expect(body.invoices.map(({ id }: { id: string }) => id).sort(), query).toEqual(created.toSorted());
      const first = await tenant.rest('GET', `/billing/invoices?limit=1&${query}`);
      expect(first.body.total_count, query).toBe(created.length);
    }
    expect((await tenant.rest('GET', '/billing/invoices?limit=1&status=paid')).body.total_count).toBe(0);
  };
  for (const ms of KILLS_AFTER_MS) {
    const body = invoiceBody({ accountId, serviceId: service.id });
    const burst = await Promise.all(Array.from({ length: BURST }, () => tenant.rest('POST', '/billing/invoices', { body })));
    created.push(...burst.map((one) => one.body.data.id));
    await new Promise((resolve) => setTimeout(resolve, ms));
    platform.kill('SIGKILL');
    await platform.exited;
    [platform, tenant] = await start();
    await expectAll();
  }
}, 200_000);
