import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { TestClock } from '../../kernel/clock.ts';
import type { Rows } from '../../kernel/database/database.ts';
import { newId } from '../../kernel/records/ids.ts';
import { dayStart } from '../../kernel/values/days.ts';
import { type BilledTenant, billedTenant, createInvoice, orderService } from '../billing.setup.ts';
import { eventually, onRig, type Rig, start } from '../rig.ts';
import { freshEmail } from '../support/record-kinds.ts';
import type { Json } from '../tenant.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

// a platform of its own, because other tests must not see its clock jump by weeks
let platform: Rig;
let sql: Rows;
beforeAll(async () => {
  platform = await start({}, new TestClock());
  sql = (await platform.assembly.databases.storeOf({ schema: 'test_probe', entities: [], migrations: [] })).rows;
});
afterAll(() => platform.close());

let billed: BilledTenant;
/** E-mail address of the account. No other account of the platform has this address. */
let email: string;
beforeEach(async () => {
  billed = await onRig(platform, billedTenant);
  email = freshEmail();
  await billed.tenant.rest('PUT', `/accounts/${billed.accountId}`, { body: { email } });
});

const { parse } = JSON;
const invoiceOf = async (id: string): Promise<Json> => (await billed.tenant.rest('GET', `/billing/invoices/${id}`)).body.data;
const accountOf = async (): Promise<Json> => (await billed.tenant.rest('GET', `/billing/accounts/${billed.accountId}`)).body.data;
const dunningOf = async (): Promise<string> => (await accountOf()).dunning.state;
const serviceOf = async (id = billed.serviceId): Promise<Json> => (await billed.tenant.rest('GET', `/services/${id}`)).body.data;
const paymentsOf = async (invoiceId: string): Promise<Json[]> =>
  (await billed.tenant.rest('GET', `/billing/payments?invoice_id=${invoiceId}`)).body.data.toReversed();
const newInvoice = (dueDays = 0, price = 50): Promise<Json> =>
  createInvoice(
    billed,
    { quantity: 1, unit_price: price },
    { due_date: new Date(platform.clock.now().getTime() + dueDays * DAY_MS).toISOString() },
  );
const pay = (invoice: Json, token = 'tok_visa', amount = invoice.amount_due) =>
  billed.tenant.rest('POST', '/billing/payments', { body: { invoice_id: invoice.id, amount, payment_method: { card_token: token } } });
const autoPay = async (token: string): Promise<void> => {
  const path = `/billing/accounts/${billed.accountId}`;
  const { body } = await billed.tenant.rest('POST', `${path}/payment-methods`, { body: { card_token: token } });
  const preferences = { auto_pay: true, payment_method_id: body.data.payment_method_id };
  const response = await billed.tenant.rest('PUT', `${path}/preferences`, { body: preferences });
  expect(response.status, JSON.stringify(response.body)).toBe(200);
};
const mailsOf = (invoice: Json) => platform.mails.filter(({ to, text }) => to === email && text.includes(`${invoice.number}:`));

const eventsOf = async (name: string): Promise<Json[]> => {
  const { data } = await billed.tenant.graphql(
    'query ($name: [String!]) { events(filter: { event: $name }, page: { limit: 200 }) { nodes { id payload } } }',
    { name: [name] },
  );
  return data.events.nodes.map(({ payload }: Json) => parse(payload).data).reverse();
};
const dunningChanges = async (): Promise<string[]> =>
  (await eventsOf('account.dunning_changed')).map(({ changes }) => `${changes.state.from} ${changes.state.to}`);

/** Waits until all billing work that is due now is done. */
const idle = (): Promise<unknown> =>
  eventually(async () => {
    const now = platform.clock.now();
    const [waiting] = await sql.query<{ count: number }>(
      `select ((select count(*) from billing.collection where charge_due_at <= $1)
         + (select count(*) from billing.dunning where due_at <= $1)
         + (select count(*) from billing.invoice where status_due_at <= $1) + (select count(*) from billing.outbox)
         + (select count(*) from pgboss.job where name like any('{billing.%,%account-suspension%}') and state in ('created', 'active')))::int as count`,
      [now],
    );
    return waiting?.count === 0;
  });

/** Moves the clock to `hours` after the start of the day that is `days` days from now. */
const toDay = async (days: number, hours = 1): Promise<void> => {
  const now = platform.clock.now();
  await platform.advance(dayStart(now, days).getTime() + hours * HOUR_MS - now.getTime());
  await idle();
};

describe('automatic payment', () => {
  test('an invoice of an account that pays automatically is charged once, on its due date', async () => {
    await autoPay('tok_visa');
    const invoice = await newInvoice(2);
    await toDay(1);
    expect(await paymentsOf(invoice.id)).toEqual([]);
    await toDay(1);
    await eventually(async () => (await invoiceOf(invoice.id)).status === 'paid');
    await toDay(1);
    expect(await paymentsOf(invoice.id)).toMatchObject([{ status: 'successful', origin: 'auto', attempt: 1, amount: 50 }]);
  });

  test('a declined automatic payment is repeated after 3, 7 and 14 days, and not again after that', async () => {
    await autoPay('tok_chargeDeclined');
    const invoice = await newInvoice(0);
    const attempts = async (): Promise<number> => {
      await idle();
      const payments = await paymentsOf(invoice.id);
      expect(payments.every(({ status, origin }) => status === 'failed' && origin === 'auto')).toBe(true);
      return payments.length;
    };
    await eventually(async () => (await paymentsOf(invoice.id)).at(-1)?.status === 'failed');
    const seen: number[] = [];
    for (let day = 1; day <= 16; day += 1) {
      await toDay(1, 23.9);
      seen.push(await attempts());
    }
    expect(seen).toEqual([1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4]);
    await toDay(29);
    expect(await attempts()).toBe(4);
  });

  test('after a final decline, the automatic payment is repeated only when the account has another payment method, and then immediately', async () => {
    await autoPay('tok_chargeDeclinedExpiredCard');
    const invoice = await newInvoice(0);
    await eventually(async () => (await paymentsOf(invoice.id))[0]?.decline_is_final === true);
    await toDay(15);
    expect(await paymentsOf(invoice.id)).toHaveLength(1);
    await autoPay('tok_mastercard');
    await eventually(async () => (await invoiceOf(invoice.id)).status === 'paid');
    expect(await paymentsOf(invoice.id)).toMatchObject([
      { attempt: 1 },
      { status: 'successful', attempt: 1, payment_method: { brand: 'mastercard' } },
    ]);
  });

  test('an automatic payment waits while the outcome of another payment is unknown, and is not made if that payment succeeds', async () => {
    const invoice = await newInvoice(0);
    expect((await pay(invoice, 'tok_timeout_succeeds')).body.data.status).toBe('pending');
    await autoPay('tok_visa');
    await idle();
    expect(await paymentsOf(invoice.id)).toHaveLength(1);
    await platform.advance(2 * HOUR_MS);
    await eventually(async () => (await invoiceOf(invoice.id)).status === 'paid');
    await toDay(4);
    expect(await paymentsOf(invoice.id)).toMatchObject([{ origin: 'request', status: 'successful' }]);
  });

  test('an automatic payment and ten payments by request at the same time pay an invoice once', async () => {
    for (let round = 0; round < 3; round += 1) {
      const invoice = await newInvoice(0, 70 + round);
      await Promise.all([autoPay(round % 2 ? 'tok_visa' : 'tok_mastercard'), ...Array.from({ length: 10 }, () => pay(invoice))]);
      await idle();
      await eventually(async () => (await invoiceOf(invoice.id)).status === 'paid');
      const successful = (await paymentsOf(invoice.id)).filter(({ status }) => status === 'successful');
      expect(successful).toHaveLength(1);
      expect((await accountOf()).balances[0].credit).toBe(0);
    }
  });

  test('an account that does not pay automatically is never charged', async () => {
    const invoice = await newInvoice(0);
    await toDay(8);
    expect(await paymentsOf(invoice.id)).toEqual([]);
  });
});

describe('dunning over 45 days', () => {
  test('an unpaid invoice causes two reminders and a suspension, and its payment resumes the service immediately', async () => {
    await pay(billed.firstInvoice);
    const invoice = await newInvoice(0);
    const seen: [number, string, number, string][] = [];
    for (const days of [1, 2, 1, 6, 1, 19, 1, 14]) {
      await toDay(days);
      const day = seen.reduce((sum, [one]) => sum + one, 0) + days;
      await eventually(async () => (await dunningOf()) !== 'suspended' || (await serviceOf()).status === 'suspended');
      seen.push([days, await dunningOf(), mailsOf(invoice).length, (await serviceOf()).status]);
      expect(day).toBeLessThanOrEqual(45);
    }
    expect(seen).toEqual([
      [1, 'overdue', 0, 'operational'],
      [2, 'overdue', 0, 'operational'],
      [1, 'overdue', 1, 'operational'],
      [6, 'overdue', 1, 'operational'],
      [1, 'overdue', 2, 'operational'],
      [19, 'overdue', 2, 'operational'],
      [1, 'suspended', 2, 'suspended'],
      [14, 'suspended', 2, 'suspended'],
    ]);
    expect(mailsOf(invoice)[0]?.text).toContain(`${invoice.number}: 50.00 USD, due`);
    expect((await serviceOf()).status_reason).toContain('has not been paid');
    const { status, body } = await billed.tenant.rest('PUT', `/services/${billed.serviceId}`, { body: { bandwidth: '2gbps' } });
    expect([status, body.error.details.from]).toEqual([409, 'suspended']);

    expect((await pay(await invoiceOf(invoice.id))).status).toBe(201);
    await eventually(async () => (await serviceOf()).status === 'operational');
    expect(await accountOf()).toMatchObject({ dunning: { state: 'current' } });
    await idle();
    expect(await dunningChanges()).toEqual(['current overdue', 'overdue suspended', 'suspended current']);
  });

  test('a reminder lists all invoices that need one, and one account gets one mail', async () => {
    await pay(billed.firstInvoice);
    const [one, other] = [await newInvoice(0), await newInvoice(0, 60)];
    await toDay(4);
    await eventually(() => mailsOf(one).length === 1);
    expect(mailsOf(other)).toEqual(mailsOf(one));
    expect(mailsOf(one)[0]).toMatchObject({ subject: 'Reminder: 2 invoices are overdue', text: expect.stringContaining('110.00 USD') });
  });

  test('a later due date or a cancellation of the unpaid invoice ends the suspension of an account', async () => {
    await pay(billed.firstInvoice);
    const [one, other] = [await newInvoice(0), await newInvoice(0)];
    await toDay(32);
    await eventually(async () => (await serviceOf()).status === 'suspended');
    await billed.tenant.rest('PUT', `/billing/invoices/${one.id}`, { body: { status: 'cancelled' } });
    await idle();
    expect(await dunningOf()).toBe('suspended');
    const due_date = new Date(platform.clock.now().getTime() + 3 * DAY_MS).toISOString();
    await billed.tenant.rest('PUT', `/billing/invoices/${other.id}`, { body: { due_date } });
    await eventually(async () => (await serviceOf()).status === 'operational');
    expect(await dunningOf()).toBe('current');
    await toDay(8);
    expect(await dunningOf()).toBe('overdue');
  });

  test('an account with an overdue invoice is not suspended while a payment of the invoice is in progress, and is suspended after the payment fails', async () => {
    await pay(billed.firstInvoice);
    const invoice = await newInvoice(0);
    await toDay(30);
    await sql.query(`update billing.payment set settle_due_at = null where organization_id = $1`, [billed.tenant.organizationId]);
    const { body } = await pay(await invoiceOf(invoice.id), 'tok_timeout_fails');
    await sql.query(`update billing.payment set settle_due_at = $2 where id = $1`, [
      body.data.payment_id,
      new Date(platform.clock.now().getTime() + 2 * DAY_MS),
    ]);
    await toDay(1);
    expect(await dunningOf()).toBe('overdue');
    await toDay(2);
    await eventually(async () => (await paymentsOf(invoice.id))[0]?.status === 'failed');
    await toDay(1);
    await eventually(async () => (await dunningOf()) === 'suspended');
  });

  test('the account of the organization itself is neither reminded nor suspended', async () => {
    const { data } = await billed.tenant.graphql('{ defaultAccount { id } }');
    const own = { ...billed, accountId: data.defaultAccount.id };
    const { service } = await onRig(platform, () => orderService(billed.tenant, own.accountId));
    await createInvoice(
      { ...own, serviceId: service.id },
      { quantity: 1, unit_price: 5.37 },
      { due_date: platform.clock.now().toISOString() },
    );
    await toDay(45);
    expect((await billed.tenant.rest('GET', `/billing/accounts/${own.accountId}`)).body.data.dunning.state).toBe('overdue');
    expect(platform.mails.filter(({ text }) => text.includes('5.37 USD'))).toEqual([]);
    expect((await serviceOf(service.id)).status).toBe('operational');
  });

  test('a service that is ordered for a suspended account is suspended as soon as it is operational', async () => {
    await pay(billed.firstInvoice);
    const invoice = await newInvoice(0);
    await toDay(32);
    await eventually(async () => (await serviceOf()).status === 'suspended');
    const { service } = await onRig(platform, () => orderService(billed.tenant, billed.accountId));
    await eventually(async () => (await serviceOf(service.id)).status === 'suspended');
    await pay(await invoiceOf(invoice.id));
    await eventually(async () => (await serviceOf(service.id)).status === 'operational' && (await serviceOf()).status === 'operational');
  });
});

describe('suspension of services', () => {
  const changed = (state: string, revision: number) => ({
    id: newId('event'),
    organizationId: billed.tenant.organizationId,
    payload: JSON.stringify({ data: { billing_account: { account_id: billed.accountId, dunning: { state, revision } } } }),
  });
  const handle = async (...events: object[]): Promise<void> => {
    const [reaction] = platform.assembly.domains.services.reactions ?? [];
    for (const event of events) await reaction?.handle(event as never);
  };

  test('each service has the state that the newest event about its account requires, even if events arrive late, repeatedly or in another order', async () => {
    await handle(changed('suspended', 2), changed('overdue', 1), changed('suspended', 2));
    expect((await serviceOf()).status).toBe('suspended');
    await handle(changed('current', 3), changed('suspended', 2));
    expect((await serviceOf()).status).toBe('operational');
    await Promise.all([handle(changed('suspended', 4)), handle(changed('current', 5)), handle(changed('suspended', 4))]);
    expect((await serviceOf()).status).toBe('operational');
    const changes = await sql.query<{ to: string }>(
      `select "to" from services.service_status_change where service_id = $1 and "to" = 'suspended'`,
      [billed.serviceId],
    );
    expect(changes.length).toBeLessThanOrEqual(2);
  });

  test('a suspended service can be ended, and its uptime leaves out the time of the suspension', async () => {
    await handle(changed('suspended', 1));
    await platform.advance(2 * DAY_MS);
    expect((await billed.tenant.rest('GET', `/services/${billed.serviceId}/status`)).body.data).toMatchObject({
      status: 'suspended',
      uptime_percentage: 100,
    });
    expect((await billed.tenant.rest('DELETE', `/services/${billed.serviceId}`)).status).toBeLessThan(300);
    await eventually(async () => (await serviceOf()).status === 'decommissioned');
  });
});
