import { beforeAll, describe, expect, test } from 'vitest';
import { type BilledTenant, billedTenant, createAccount, createInvoice } from '../billing.setup.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { rows, rowsWith } from '../support/tables.ts';
import { type Json, type RestResponse, Tenant } from '../tenant.ts';

const DAY_MS = 24 * 3600 * 1000;
const UNKNOWN = 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G';

let platform: Rig;
let billed: BilledTenant;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  billed = await billedTenant();
  tenant = billed.tenant;
});

const newAccount = async (): Promise<string> => (await createAccount(tenant)).id;
const read = async (id: string): Promise<Json> => (await tenant.rest('GET', `/billing/accounts/${id}`)).body.data;
const update = (id: string, body: Json, more: object = {}, caller = tenant): Promise<RestResponse> =>
  caller.rest('PUT', `/billing/accounts/${id}/preferences`, { body, ...more });
const add = (id: string, token = 'tok_visa', caller = tenant): Promise<RestResponse> =>
  caller.rest('POST', `/billing/accounts/${id}/payment-methods`, { body: { card_token: token } });
const methodOf = async (id: string, token = 'tok_visa'): Promise<string> => (await add(id, token)).body.data.payment_method_id;
const detach = (id: string, method: string, caller = tenant): Promise<RestResponse> =>
  caller.rest('DELETE', `/billing/accounts/${id}/payment-methods/${method}`);

const eventsOf = async (id: string): Promise<Json[]> => {
  const { data } = await tenant.graphql('query ($of: ID!) { events(filter: { subjectId: [$of] }) { nodes { event payload } } }', {
    of: id,
  });
  return data.events.nodes
    .filter(({ event }: Json) => event === 'billing_account.updated')
    .map(({ payload }: Json) => JSON.parse(payload).data)
    .reverse();
};

describe('billing accounts', () => {
  test('an account that has not changed its billing preferences has the defaults, and reading them stores no row', async () => {
    const id = await newAccount();
    expect(await read(id)).toEqual({
      account_id: id,
      currency: 'USD',
      billing_cycle: 'monthly',
      auto_pay: false,
      payment_method_id: null,
      invoice_delivery: 'email',
      billing_day: null,
      tax_id: null,
      revision: 1,
      updated_at: null,
      balances: [],
      payment_methods: [],
      dunning: { state: 'current', since: null },
      next_invoice: null,
    });
    expect(await rowsWith('billing.billing_account', id)).toBe(0);
  });

  test('an account that the organization lacks returns 404 for every operation, and stores nothing', async () => {
    const other = await billedTenant();
    for (const id of [UNKNOWN, other.accountId]) {
      const responses = [
        await tenant.rest('GET', `/billing/accounts/${id}`),
        await update(id, { auto_pay: false }),
        await add(id),
        await detach(id, 'pm_01JQ8Z6V4T9M3N2B1C0D9E8F7G'),
      ];
      expect(responses.map(({ status, body }) => [status, body.error?.details.resource])).toEqual(Array(4).fill([404, 'account']));
      const stored = await (await rows()).query('select 1 from billing.billing_account where account_id = $1 and organization_id = $2', [
        ...[id, tenant.organizationId],
      ]);
      expect(stored).toEqual([]);
    }
  });

  test('an account has a balance for each currency, with the due amount, the overdue part of it, and the credit', async () => {
    const own = await billedTenant();
    const balances = async () => (await own.tenant.rest('GET', `/billing/accounts/${own.accountId}`)).body.data.balances;
    const first = own.firstInvoice.amount;
    expect(await balances()).toEqual([{ currency: 'USD', due: first, overdue: 0, credit: 0 }]);
    await createInvoice(own, { quantity: 1, unit_price: 40 }, { currency: 'EUR' });
    const soon = await createInvoice(own, { quantity: 1, unit_price: 25 }, { due_date: platform.clock.now().toISOString() });
    await platform.advance(DAY_MS);
    await eventually(async () => (await own.tenant.rest('GET', `/billing/invoices/${soon.id}`)).body.data.status === 'overdue');
    expect(await balances()).toEqual([
      { currency: 'EUR', due: 40, overdue: 0, credit: 0 },
      { currency: 'USD', due: first + 25, overdue: 25, credit: 0 },
    ]);
  });
});

describe('billing preferences', () => {
  test('an update changes only the named preferences, and the event reports each change with its old and new value', async () => {
    const id = await newAccount();
    const method = await methodOf(id);
    const { status, body } = await update(id, {
      billing_cycle: 'annual',
      billing_day: 31,
      tax_id: 'DE129273398',
      payment_method_id: method,
    });
    expect(status, JSON.stringify(body)).toBe(200);
    const stored = {
      billing_cycle: 'annual',
      billing_day: 31,
      tax_id: 'DE129273398',
      payment_method_id: method,
      auto_pay: false,
      revision: 2,
    };
    expect(body.data).toMatchObject({ ...stored, updated_at: expect.any(String) });
    expect((await update(id, { auto_pay: true, billing_day: null })).body.data).toMatchObject({
      ...stored,
      auto_pay: true,
      billing_day: null,
      revision: 3,
    });
    expect(await read(id)).toMatchObject({
      auto_pay: true,
      payment_methods: [{ payment_method_id: method, reusable: true, status: 'active' }],
    });
    await eventually(async () => (await eventsOf(id)).length === 2);
    const [first, second] = await eventsOf(id);
    expect(first?.changes).toEqual({
      billing_cycle: { from: 'monthly', to: 'annual' },
      billing_day: { from: null, to: 31 },
      tax_id: { from: null, to: 'DE129273398' },
      payment_method_id: { from: null, to: method },
    });
    expect(second).toMatchObject({
      billing_account: { account_id: id, revision: 3, auto_pay: true },
      changes: { auto_pay: { from: false, to: true } },
    });
  });

  test('an update of billing preferences without a difference changes no revision and causes no event', async () => {
    const id = await newAccount();
    expect((await update(id, { billing_cycle: 'monthly' })).body.data.revision).toBe(1);
    expect((await update(id, {})).body.data).toMatchObject({ revision: 1, updated_at: null });
    await update(id, { billing_cycle: 'annual' });
    await eventually(async () => (await eventsOf(id)).length > 0);
    expect(await eventsOf(id)).toHaveLength(1);
  });

  test('If-Match refuses an update of preferences that somebody else has changed', async () => {
    const id = await newAccount();
    await update(id, { billing_cycle: 'annual' });
    const revision = 1;
    const { errors } = await tenant.graphql(
      `mutation ($id: ID!, $revision: Int) { updateBillingPreferences(accountId: $id, input: { billingCycle: MONTHLY }, expectedRevision: $revision) { revision } }`,
      { id, revision },
    );
    expect(errors?.[0].extensions.code).toBe('STALE_RESOURCE');
    expect((await read(id)).billing_cycle).toBe('annual');
  });

  test('invalid preferences are refused with all of their problems', async () => {
    const id = await newAccount();
    const { status, body } = await update(id, {
      billing_cycle: 'weekly',
      billing_day: 32,
      currency: 'XAU',
      auto_pay: null,
      payment_method_id: 'card',
      tax_id: 'x'.repeat(51),
      invoice_delivery: 'fax',
    });
    expect(status).toBe(400);
    expect(body.error.details.errors.map(({ field }: Json) => field).sort()).toEqual(
      ['auto_pay', 'billing_cycle', 'billing_day', 'currency', 'invoice_delivery', 'payment_method_id', 'tax_id'].sort(),
    );
  });

  test('automatic payment needs a payment method of the account that can be charged more than once', async () => {
    const id = await newAccount();
    expect((await update(id, { auto_pay: true })).body.error).toMatchObject({
      code: 'INVALID_STATE',
      details: { reason: 'no_payment_method' },
    });
    const single = await methodOf(id, 'tok_single_use');
    expect((await update(id, { payment_method_id: single })).body.error.details.reason).toBe('not_reusable');
    const foreign = await methodOf(await newAccount());
    const { status, body } = await update(id, { payment_method_id: foreign });
    expect([status, body.error.details.resource]).toEqual([404, 'payment_method']);
    const own = await methodOf(id);
    expect((await update(id, { auto_pay: true, payment_method_id: own })).status).toBe(200);
    expect((await update(id, { payment_method_id: null })).body.error.details.reason).toBe('no_payment_method');
    expect((await update(id, { payment_method_id: null, auto_pay: false })).body.data).toMatchObject({
      payment_method_id: null,
      auto_pay: false,
    });
  });

  test('the currency of an account can be changed until the platform has generated an invoice, even if requests have created invoices', async () => {
    const id = await newAccount();
    expect((await update(id, { currency: 'EUR' })).body.data.currency).toBe('EUR');
    expect((await update(id, { currency: 'USD' })).body.data.currency).toBe('USD');
    const { status, body } = await update(billed.accountId, { currency: 'EUR' });
    expect([status, body.error.code, body.error.details.reason]).toEqual([409, 'INVALID_STATE', 'billed']);
    expect((await update(billed.accountId, { currency: 'USD', billing_cycle: 'monthly' })).status).toBe(200);
  });

  test('twenty concurrent first updates of an account create one billing account, and each is counted in the revision', async () => {
    const id = await newAccount();
    const days = Array.from({ length: 20 }, (_, index) => index + 1);
    const responses = await Promise.all(days.map((day) => update(id, { billing_day: day })));
    expect(responses.map(({ status }) => status)).toEqual(days.map(() => 200));
    expect((await read(id)).revision).toBe(21);
    expect(await rowsWith('billing.billing_account', id)).toBe(1);
  });

  test('callers without billing:write can neither change preferences nor payment methods', async () => {
    const id = await newAccount();
    const reader = await tenant.limitedTo('billing:read');
    const responses = [await update(id, {}, {}, reader), await add(id, 'tok_visa', reader), await detach(id, 'pm_1', reader)];
    expect(responses.map(({ status }) => status)).toEqual([403, 403, 403]);
  });
});

describe('payment methods of accounts', () => {
  test('a payment method is stored once for each account without charging it, and pays later by its id', async () => {
    const { status, body } = await add(billed.accountId);
    expect([status, body.data]).toMatchObject([201, { type: 'card', brand: 'visa', last4: '4242', status: 'active', reusable: true }]);
    expect((await add(billed.accountId)).body.data.payment_method_id).toBe(body.data.payment_method_id);
    const invoice = await createInvoice(billed, { quantity: 1, unit_price: 12 });
    const charge = { invoice_id: invoice.id, amount: 12, payment_method_id: body.data.payment_method_id };
    expect((await tenant.rest('POST', '/billing/payments', { body: charge })).body.data.status).toBe('successful');
  });

  test('card numbers and unknown tokens are refused', async () => {
    const id = await newAccount();
    for (const token of ['4242424242424242', 'tok_unknown', '']) {
      const { status, body } = await add(id, token);
      expect([status, body.error.details.field]).toEqual([400, 'card_token']);
      expect(JSON.stringify(body)).not.toContain('4242424242424242');
    }
  });

  test('a detached payment method is not listed and cannot be charged, and its token attaches it again', async () => {
    const method = await methodOf(billed.accountId, 'tok_mastercard');
    expect((await detach(billed.accountId, method)).body.data.status).toBe('detached');
    expect((await detach(billed.accountId, method)).status).toBe(404);
    expect((await read(billed.accountId)).payment_methods.map((one: Json) => one.payment_method_id)).not.toContain(method);
    const invoice = await createInvoice(billed, { quantity: 1, unit_price: 13 });
    const charge = { invoice_id: invoice.id, amount: 13, payment_method_id: method };
    expect((await tenant.rest('POST', '/billing/payments', { body: charge })).body.error.details.resource).toBe('payment_method');
    expect(await methodOf(billed.accountId, 'tok_mastercard')).toBe(method);
    expect((await tenant.rest('POST', '/billing/payments', { body: charge })).status).toBe(201);
  });

  test('a payment method that pays invoices automatically cannot be detached, and detaching another default method clears the default', async () => {
    const id = await newAccount();
    const method = await methodOf(id);
    await update(id, { auto_pay: true, payment_method_id: method });
    expect((await detach(id, method)).body.error).toMatchObject({ code: 'INVALID_STATE', details: { reason: 'auto_pay' } });
    await update(id, { auto_pay: false });
    expect((await detach(id, method)).status).toBe(200);
    expect(await read(id)).toMatchObject({ payment_method_id: null, payment_methods: [] });
    await eventually(async () => (await eventsOf(id)).length === 3);
    expect((await eventsOf(id)).at(-1)?.changes).toEqual({ payment_method_id: { from: method, to: null } });
  });

  test('a payment method cannot be both detached and made the automatic method by concurrent requests', async () => {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const id = await newAccount();
      const method = await methodOf(id);
      await Promise.all([detach(id, method), update(id, { auto_pay: true, payment_method_id: method })]);
      const { auto_pay, payment_methods } = await read(id);
      expect(auto_pay ? payment_methods.length : 0).toBe(auto_pay ? 1 : 0);
    }
  });

  test('a payment method of another account of the same organization cannot be detached through this account', async () => {
    const method = await methodOf(await newAccount());
    const { status, body } = await detach(await newAccount(), method);
    expect([status, body.error.details.resource]).toEqual([404, 'payment_method']);
  });
});

describe('billing accounts in GraphQL', () => {
  test('accounts have a field for their billing, and one statement per kind of record reads it for all accounts', async () => {
    const own = await billedTenant();
    const query =
      '{ accounts(page: { limit: 50 }) { nodes { id billing { accountId autoPay account { name } defaultPaymentMethod { brand } balances { currency due } paymentMethods { last4 } nextInvoice { date } } } } }';
    const statements = async (): Promise<number> =>
      (await platform.statements(() => own.tenant.graphql(query))).filter((sql) => sql.includes('"billing"')).length;
    await statements();
    const forOne = await statements();
    for (let count = 0; count < 4; count += 1) await createAccount(own.tenant);
    await update((await createAccount(own.tenant)).id, { billing_day: 3 }, {}, own.tenant);
    expect(await statements()).toBe(forOne);
    const { data, errors } = await own.tenant.graphql(query);
    expect(errors).toBeUndefined();
    expect(data.accounts.nodes).toHaveLength(6);
    for (const { id, billing } of data.accounts.nodes)
      expect(billing).toMatchObject({ accountId: id, account: { name: expect.any(String) } });
    const mine = data.accounts.nodes.find(({ id }: Json) => id === own.accountId);
    expect(mine.billing.balances).toEqual([{ currency: 'USD', due: expect.any(Number) }]);
  });

  test('a caller who is limited to an account sees and changes only the billing of this account', async () => {
    const [own, other] = [await newAccount(), await newAccount()];
    const { body } = await tenant.rest('POST', '/auth/api-keys', {
      body: { name: 'Limited', permissions: ['billing:*'], accounts: [own] },
    });
    const caller = new Tenant(tenant.origin, tenant.organizationId, body.api_key.key);
    expect((await caller.rest('GET', `/billing/accounts/${own}`)).status).toBe(200);
    expect((await caller.rest('GET', `/billing/accounts/${other}`)).status).toBe(404);
    expect((await update(other, { billing_cycle: 'annual' }, {}, caller)).status).toBe(404);
    expect((await update(own, { billing_cycle: 'annual' }, {}, caller)).status).toBe(200);
  });
});

test('the database refuses automatic payment without a payment method, and days beyond 31', async () => {
  const id = await newAccount();
  await update(id, { billing_day: 1 });
  const sql = await rows();
  for (const change of [`"auto_pay" = true`, `"billing_day" = 32`])
    await expect(sql.query(`update "billing"."billing_account" set ${change} where "account_id" = $1`, [id])).rejects.toThrow(/check/);
});
