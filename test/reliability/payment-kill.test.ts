import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { TestClock } from '../../kernel/clock.ts';
import { type BilledTenant, billedTenant, createAccount, orderService } from '../billing.setup.ts';
import { tillOf } from '../payments.setup.ts';
import { eventually, onRig, start as startRig } from '../rig.ts';
import { DatabaseProxy } from '../support/database-proxy.ts';
import { keptDatabase } from '../support/kept-database.ts';
import { ownDatabase } from '../support/own-database.ts';
import { originOf, type RunningProcess, runPlatform } from '../support/process.ts';
import { STRIPE_KEY, STRIPE_WEBHOOK_SECRET, StripeServer } from '../support/stripe.server.ts';
import { type Json, Tenant } from '../tenant.ts';

const KEY = `sk_live_${'Test'.repeat(16)}`;
const SECRET = { SECRET_KEY: 'a secret for tests that is long enough' };
const WAIT_MS = 60_000;
const PAYMENTS = 6;
/** Delays between a burst of payments and the kill. At this time, some payments are charged and not settled, others not yet charged. */
const KILLS_AFTER_MS = [5, 40, 120];

let stripe: StripeServer;
beforeEach(async () => {
  stripe = await StripeServer.start();
});
afterEach(() => stripe.close());

const stripeSettings = () => ({ STRIPE_SECRET_KEY: STRIPE_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_URL: stripe.url });

/** A platform in a process of its own, which can be killed and started again on the same database. */
class KillablePlatform {
  #process!: RunningProcess;
  tenant!: Tenant;
  billed!: BilledTenant;

  private constructor(
    private readonly settings: Record<string, string>,
    private readonly sql: (text: string) => Promise<object[]>,
  ) {}

  static async open(settings: Record<string, string> = {}): Promise<KillablePlatform> {
    const kept = await keptDatabase({ ...SECRET, BOOTSTRAP_API_KEY: KEY });
    const platform = new KillablePlatform({ ...kept.settings, ...SECRET, ...settings }, kept.sql);
    await platform.start();
    const { id: accountId } = await createAccount(platform.tenant);
    const { service, firstInvoice } = await orderService(platform.tenant, accountId);
    platform.billed = { tenant: platform.tenant, accountId, serviceId: service.id, firstInvoice };
    return platform;
  }

  async start(): Promise<void> {
    const { DATA_DIR = '', DATABASE_URL, ...others } = this.settings;
    const settings = { ...others, BOOTSTRAP_API_KEY: KEY, ...(DATABASE_URL && { DATABASE_URL }) };
    this.#process = runPlatform(['--data', DATA_DIR, '--port', '0'], settings);
    this.tenant = new Tenant(await originOf(this.#process), '', KEY);
    if (this.billed) this.billed = { ...this.billed, tenant: this.tenant };
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#process.exited;
  }

  /**
   * Makes all payments with an unknown outcome due, which the platform would look up only minutes later. The platform must not be running.
   */
  async makeLookupsDue(): Promise<void> {
    for (const table of ['payment', 'refund'])
      await this.sql(`update "billing"."${table}" set "settle_due_at" = now() - interval '1 second' where "settle_due_at" is not null`);
  }

  async payments(): Promise<Json[]> {
    return (await this.tenant.rest('GET', '/billing/payments?per_page=100')).body.data;
  }

  /** Checks that the ledger agrees with all billing records. */
  async audited(): Promise<void> {
    const { data } = await this.tenant.graphql('{ ledgerAudit { accounts differences { accountId ledgerAccount posted recorded } } }');
    expect(data.ledgerAudit).toEqual({ accounts: 1, differences: [] });
  }
}

test('a payment whose platform is killed after the charge is settled after the restart, and is charged once', async () => {
  const platform = await KillablePlatform.open(stripeSettings());
  const till = tillOf(platform.billed);
  const invoice = await till.newInvoice(100);
  stripe.fail('POST /v1/payment_intents', 'hang');
  const paying = till.pay(invoice).catch(() => undefined);
  await eventually(() => stripe.intents.length === 1);
  await platform.kill();
  await paying;
  await platform.makeLookupsDue();
  await platform.start();
  const after = tillOf(platform.billed);
  await eventually(async () => (await after.invoice(invoice.id)).status === 'paid', WAIT_MS);
  expect(await platform.payments()).toMatchObject([{ status: 'successful', amount: 100 }]);
  expect((await after.pay(invoice)).body.error.code).toBe('DUPLICATE_PAYMENT');
  expect(stripe.intents).toHaveLength(1);
  await platform.audited();
}, 120_000);

test('a refund whose platform is killed after the money moved is settled after the restart, and is refunded once', async () => {
  const platform = await KillablePlatform.open(stripeSettings());
  const till = tillOf(platform.billed);
  const { payment_id: id } = (await till.pay(await till.newInvoice(100))).body.data;
  stripe.fail('POST /v1/refunds', 'hang');
  const refunding = till.refund(id, { amount: 40 }).catch(() => undefined);
  await eventually(() => stripe.refunds.length === 1);
  await platform.kill();
  await refunding;
  await platform.makeLookupsDue();
  await platform.start();
  const after = tillOf(platform.billed);
  await eventually(async () => (await after.payment(id)).amount_refunded === 40, WAIT_MS);
  expect(await after.payment(id)).toMatchObject({ amount_refundable: 60, refunds: [{ status: 'successful' }] });
  expect(stripe.refunds).toHaveLength(1);
  await platform.audited();
}, 120_000);

test('each of many payments is charged at most once if the platform is killed repeatedly', async () => {
  const platform = await KillablePlatform.open();
  const invoices: Json[] = [];
  for (const ms of KILLS_AFTER_MS) {
    const till = tillOf(platform.billed);
    const burst = await Promise.all(Array.from({ length: PAYMENTS }, (_, n) => till.newInvoice(10 + n)));
    invoices.push(...burst);
    const paying = burst.map((invoice) => till.pay(invoice).catch(() => undefined));
    await new Promise((resolve) => setTimeout(resolve, ms));
    await platform.kill();
    await Promise.all(paying);
    await platform.makeLookupsDue();
    await platform.start();
  }
  const till = tillOf(platform.billed);
  await eventually(async () => (await platform.payments()).every(({ status }) => status !== 'pending'), WAIT_MS);
  await platform.audited();
  // the client repeats each payment whose response it did not get
  for (const invoice of invoices) {
    const { status, body } = await till.pay(invoice);
    expect([status, body.error?.code], JSON.stringify(body)).toEqual(status === 201 ? [201, undefined] : [409, 'DUPLICATE_PAYMENT']);
  }
  const successful = (await platform.payments()).filter(({ status }) => status === 'successful');
  expect(successful.map(({ invoice_id }) => invoice_id).sort()).toEqual(invoices.map(({ id }) => id).sort());
  await platform.audited();
}, 180_000);

test.runIf(process.env.TEST_DATABASE_URL)(
  'a payment whose database connection is lost during the charge is settled later, and is charged once',
  async () => {
    const proxy = await DatabaseProxy.start((await ownDatabase()) as string);
    const clock = new TestClock();
    const rig = await startRig({ DATABASE_URL: proxy.url, ...stripeSettings() }, clock);
    onTestFinished(() => rig.close());
    const billed = await onRig(rig, billedTenant);
    const till = tillOf(billed);
    const invoice = await till.newInvoice(100);
    stripe.delayMs = 500;
    const paying = till.pay(invoice).catch(() => undefined);
    await eventually(() => stripe.requests.some(({ method, path }) => method === 'POST' && path === '/v1/payment_intents'));
    proxy.disconnect();
    const lost = await paying;
    expect(lost?.status).toBe(503);
    expect(stripe.intents).toHaveLength(1);
    stripe.delayMs = 0;
    proxy.reconnect();
    const again = await eventually(async () => {
      const response = await till.pay(invoice);
      return response.status !== 503 && response;
    });
    expect([again.status, again.body.error?.code]).toEqual([409, 'DUPLICATE_PAYMENT']);
    await rig.advance(6 * 60_000);
    await eventually(async () => (await till.invoice(invoice.id)).status === 'paid', WAIT_MS);
    expect(stripe.intents).toHaveLength(1);
    await onRig(rig, () => till.audited());
  },
  120_000,
);
