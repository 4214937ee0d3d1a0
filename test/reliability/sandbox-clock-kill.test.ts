import { expect, test } from 'vitest';
import { createAccount, orderService } from '../billing.setup.ts';
import { eventually } from '../rig.ts';
import { keptDatabase } from '../support/kept-database.ts';
import { originOf, type RunningProcess, runPlatform } from '../support/process.ts';
import { type Json, Tenant } from '../tenant.ts';

const KEY = `test_sk_${'Test'.repeat(16)}`;
const SETTINGS = { SANDBOX: '1', BOOTSTRAP_API_KEY: KEY, SECRET_KEY: 'a secret for tests that is long enough' };
const ACCOUNTS = 3;
const KILLS = 3;
const YEARS = 4;
/** Time after the start at which an advance of the sandbox clock is killed. The first steps of an advance take longer. */
const KILL_AFTER_MS = 250;
const DAY_MS = 86_400_000;

test('advancing the clock by years, with repeated kills of the process, issues each invoice and makes each payment once', async () => {
  const { settings } = await keptDatabase(SETTINGS);
  const { DATA_DIR = '', DATABASE_URL = '' } = settings;
  const begin = async (): Promise<{ process: RunningProcess; tenant: Tenant }> => {
    const process = runPlatform(['--data', DATA_DIR, '--port', '0'], { ...SETTINGS, ...(DATABASE_URL && { DATABASE_URL }) });
    return { process, tenant: new Tenant(await originOf(process), '', KEY) };
  };
  let { process, tenant } = await begin();
  for (let count = 0; count < ACCOUNTS; count += 1) {
    const { id } = await createAccount(tenant);
    const path = `/billing/accounts/${id}`;
    const { body } = await tenant.rest('POST', `${path}/payment-methods`, { body: { card_token: 'tok_visa' } });
    const preferences = { auto_pay: true, payment_method_id: body.data.payment_method_id };
    expect((await tenant.rest('PUT', `${path}/preferences`, { body: preferences })).status).toBe(200);
    await orderService(tenant, id);
  }
  const to = new Date(Date.now() + (YEARS * 365 + 2) * DAY_MS).toISOString();
  const { errors } = await tenant.graphql(`mutation { advanceSandboxClock(to: "${to}") { status } }`);
  expect(errors).toBeUndefined();
  const clock = async (): Promise<Json> => (await tenant.graphql('{ sandboxClock { now status } }')).data.sandboxClock;
  const moments = new Set<string>();
  for (let kill = 0; kill < KILLS; kill += 1) {
    await new Promise((resolve) => setTimeout(resolve, KILL_AFTER_MS));
    const { now, status } = await clock();
    if (status === 'ADVANCING') moments.add(now);
    process.kill('SIGKILL');
    await process.exited;
    ({ process, tenant } = await begin());
  }
  // otherwise no kill was in the advance
  expect(moments.size).toBeGreaterThan(0);
  await eventually(async () => (await clock()).status === 'READY', 90_000);
  expect((await clock()).now).toBe(to);
  const { invoices } = (await tenant.rest('GET', '/billing/invoices?limit=200')).body;
  // the first invoice of each service, and its renewals
  expect(invoices).toHaveLength(ACCOUNTS * (YEARS * 12 + 1));
  const payments: Json[] = (await tenant.rest('GET', '/billing/payments?limit=200')).body.data;
  expect(payments.every(({ status, attempt }) => status === 'successful' && attempt === 1)).toBe(true);
  const paid = invoices.filter(({ status }: Json) => status === 'paid').map(({ id }: Json) => id);
  expect(payments.map(({ invoice_id }) => invoice_id).toSorted()).toEqual(paid.toSorted());
  expect(paid).toHaveLength(ACCOUNTS * YEARS * 12);
  const { data } = await tenant.graphql('{ ledgerAudit { differences { accountId } } }');
  expect(data.ledgerAudit.differences).toEqual([]);
}, 180_000);
