import { beforeAll, describe, expect, test } from 'vitest';
import { type BilledTenant, billedTenant, createAccount, createInvoice, invoiceBody, orderService } from '../billing.setup.ts';
import { clock, rig } from '../rig.ts';
import { copiesOf, onlyTable } from '../support/tables.ts';
import type { Json } from '../tenant.ts';

const DAY_MS = 24 * 3600 * 1000;
const inDays = (days: number): string => new Date(clock.now().getTime() + days * DAY_MS).toISOString();

let billed: BilledTenant;
beforeAll(async () => {
  billed = await billedTenant();
});

const post = (body: unknown) => billed.tenant.rest('POST', '/billing/invoices', { body });

describe('invoice creation', () => {
  test('the amount of a created invoice is the sum of its lines, and a GET returns the same invoice', async () => {
    const { accountId, serviceId, tenant } = billed;
    const services = [
      { service_id: serviceId, quantity: 3, unit_price: 1.1 },
      { service_id: serviceId, quantity: 1, unit_price: 149.95 },
    ];
    const dueDate = inDays(14);
    const { status, body } = await post({ account_id: accountId, services, due_date: dueDate, notes: 'Installation' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ success: true, metadata: { request_id: expect.any(String) } });
    const line = {
      ...{ service_id: serviceId, description: expect.any(String), kind: 'service', category: 'connectivity' },
      ...{ period_start: null, period_end: null, amount_credited: 0 },
    };
    expect(body.data).toEqual({
      id: expect.stringMatching(/^inv_/),
      number: expect.stringMatching(/^INV-\d{4,}$/),
      account_id: accountId,
      status: 'pending',
      amount: 153.25,
      subtotal: 153.25,
      tax_amount: 0,
      amount_paid: 0,
      amount_due: 153.25,
      amount_credited: 0,
      credit_applied: 0,
      amount_refunded: 0,
      amount_returned: 0,
      amount_written_off: 0,
      write_off_reason: null,
      taxes: [],
      currency: 'USD',
      due_date: dueDate,
      paid_date: null,
      notes: 'Installation',
      bill_to: { name: 'Acme Corporation', address: [], tax_id: null },
      seller: { name: 'Test', address: [], tax_id: null, footer: null },
      delivered_at: null,
      pdf_url: `${tenant.origin}/v1/billing/invoices/${body.data.id}/pdf`,
      services: [
        { ...line, quantity: 3, unit_price: 1.1, amount: 3.3 },
        { ...line, quantity: 1, unit_price: 149.95, amount: 149.95 },
      ],
      revision: 1,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    expect((await tenant.rest('GET', `/billing/invoices/${body.data.id}`)).body.data).toEqual(body.data);
  });

  test('the description of an invoice line is the name of its service', async () => {
    const { data } = await billed.tenant.graphql('query($id: ID!) { service(id: $id) { name } }', { id: billed.serviceId });
    const { services } = await createInvoice(billed);
    expect(services[0].description).toBe(data.service.name);
  });

  test('an invoice can have 100 lines, each for a different service', async () => {
    const { accountId, serviceId } = billed;
    const services = (await copiesOf('services.service', serviceId, 100)).map((id) => ({ service_id: id, quantity: 1, unit_price: 0.1 }));
    const { status, body } = await post({ account_id: accountId, services });
    expect(status, JSON.stringify(body)).toBe(201);
    expect(body.data.amount).toBe(10);
    expect(body.data.services.map((line: Json) => line.service_id)).toEqual(services.map((line) => line.service_id));

    const absent = await post({
      account_id: accountId,
      services: services.with(73, { service_id: 'svc_none', quantity: 1, unit_price: 1 }),
    });
    expect(absent).toMatchObject({ status: 404, body: { error: { details: { resource: 'service', id: 'svc_none' } } } });
  });

  test('an invoice can be created for a closed account', async () => {
    const own = await billedTenant();
    await (await onlyTable('identity.account')).set('status', 'closed', 'id', own.accountId);
    expect((await own.tenant.rest('GET', `/accounts/${own.accountId}`)).body.data.status).toBe('closed');
    expect((await createInvoice(own)).status).toBe('pending');
  });

  test('an invoice without a due date is due in 30 days', async () => {
    const { due_date, created_at, notes } = await createInvoice(billed);
    expect(Date.parse(due_date) - Date.parse(created_at)).toBe(30 * DAY_MS);
    expect(notes).toBeNull();
  });

  test('an invoice can have the current date as its due date', async () => {
    const today = clock.now().toISOString().slice(0, 10);
    expect((await createInvoice(billed, {}, { due_date: today })).due_date).toBe(`${today}T00:00:00.000Z`);
  });

  test.each([
    ['JPY', 1500, 4500],
    ['KWD', 0.335, 1.005],
    ['EUR', 0.07, 0.21],
  ])('the amount of an invoice in %s has no rounding error', async (currency, unit_price, amount) => {
    expect(await createInvoice(billed, { unit_price }, { currency })).toMatchObject({ currency, amount });
  });

  test('an invoice can have an amount of zero', async () => {
    expect(await createInvoice(billed, { unit_price: 0 })).toMatchObject({ amount: 0 });
  });
});

describe('invoice numbers', () => {
  test('invoice numbers of an organization start at INV-1001 and have no gaps after concurrent or failed requests', async () => {
    const own = await billedTenant();
    expect(own.firstInvoice.number).toBe('INV-1001');
    const refused = own.tenant.rest('POST', '/billing/invoices', { body: invoiceBody(own, { service_id: 'svc_none' }) });
    const created = await Promise.all(Array.from({ length: 8 }, () => createInvoice(own)));
    expect((await refused).status).toBe(404);
    const numbers = created.map(({ number }) => number).sort();
    expect(numbers).toEqual(Array.from({ length: 8 }, (_, index) => `INV-${1002 + index}`));
  });
});

describe('rejected invoices', () => {
  const tooMany = (serviceId: string) => Array.from({ length: 101 }, () => ({ service_id: serviceId, quantity: 1, unit_price: 1 }));
  const cases: [what: string, field: string, body: (valid: Json, serviceId: string) => Json][] = [
    ['no account', 'account_id', ({ account_id, ...rest }) => rest],
    ['an account id in a wrong format', 'account_id', (valid) => ({ ...valid, account_id: 'cust_1' })],
    ['no services', 'services', ({ services, ...rest }) => rest],
    ['an empty list of services', 'services', (valid) => ({ ...valid, services: [] })],
    ['more than 100 lines', 'services', (valid, id) => ({ ...valid, services: tooMany(id) })],
    ['a line without a service', 'services.0.service_id', (valid) => ({ ...valid, services: [{ quantity: 1, unit_price: 1 }] })],
    ['a service id in a wrong format', 'services.0.service_id', (valid) => withLine(valid, { service_id: 'acc_1' })],
    ['a quantity of 0', 'services.0.quantity', (valid) => withLine(valid, { quantity: 0 })],
    ['a quantity that is not an integer', 'services.0.quantity', (valid) => withLine(valid, { quantity: 1.5 })],
    ['a quantity as text', 'services.0.quantity', (valid) => withLine(valid, { quantity: '1' })],
    ['a negative price', 'services.0.unit_price', (valid) => withLine(valid, { unit_price: -0.01 })],
    ['a price with too many decimals for USD', 'services.0.unit_price', (valid) => withLine(valid, { unit_price: 1.005 })],
    ['a fraction of a yen', 'services.0.unit_price', (valid) => ({ ...withLine(valid, { unit_price: 0.5 }), currency: 'JPY' })],
    ['a price as text', 'services.0.unit_price', (valid) => withLine(valid, { unit_price: '1.00' })],
    ['a price that is too large', 'services.0.unit_price', (valid) => withLine(valid, { unit_price: 1e300 })],
    ['a price of a billionth', 'services.0.unit_price', (valid) => withLine(valid, { unit_price: 1e-12 })],
    ['a total that is too large', 'services', (valid) => withLine(valid, { quantity: 1_000_000, unit_price: 9_999_999 })],
    ['a due date in the past', 'due_date', (valid) => ({ ...valid, due_date: inDays(-2) })],
    ['an invalid due date', 'due_date', (valid) => ({ ...valid, due_date: 'tomorrow' })],
    ['notes of more than 5000 characters', 'notes', (valid) => ({ ...valid, notes: 'x'.repeat(5001) })],
    ['a currency that does not exist', 'currency', (valid) => ({ ...valid, currency: 'XXQ' })],
    ['gold as the currency', 'currency', (valid) => ({ ...valid, currency: 'XAU' })],
    ['a currency for tests', 'currency', (valid) => ({ ...valid, currency: 'XTS' })],
    ['a currency in lower case', 'currency', (valid) => ({ ...valid, currency: 'jpy' })],
    ['an unknown field', 'discount', (valid) => ({ ...valid, discount: 10 })],
    ['an unknown field in a line', 'services.0.price', (valid) => withLine(valid, { price: 10 })],
  ];
  const withLine = (valid: Json, change: object): Json => ({ ...valid, services: [{ ...valid.services[0], ...change }] });

  test.each(cases)('creating an invoice with %s returns 400 INVALID_PARAMETERS and names the field %s', async (_what, field, bodyOf) => {
    const { status, body } = await post(bodyOf(invoiceBody(billed), billed.serviceId));
    expect({ status, code: body.error?.code, field: body.error?.details.field }).toEqual({
      status: 400,
      code: 'INVALID_PARAMETERS',
      field,
    });
  });

  test('the error for an invoice with an invalid price and an invalid due date lists both fields', async () => {
    const body = invoiceBody(billed, { unit_price: -1 }, { due_date: inDays(-2) });
    const { error } = (await post(body)).body;
    expect(error.details.errors.map(({ field }: Json) => field)).toEqual(['services.0.unit_price', 'due_date']);
  });

  test('creating an invoice for an unknown account or service returns 404 with the type and id of the missing record', async () => {
    const noAccount = await post(invoiceBody({ ...billed, accountId: 'acc_none' }));
    expect(noAccount).toMatchObject({
      status: 404,
      body: { error: { code: 'RESOURCE_NOT_FOUND', details: { resource: 'account', id: 'acc_none' } } },
    });
    const noService = await post(invoiceBody(billed, { service_id: 'svc_none' }));
    expect(noService).toMatchObject({
      status: 404,
      body: { error: { code: 'RESOURCE_NOT_FOUND', details: { resource: 'service', id: 'svc_none' } } },
    });
  });

  test('creating an invoice with a service of another account returns 400 and names the invoice line', async () => {
    const other = await createAccount(billed.tenant, 'Another');
    const { service } = await orderService(billed.tenant, other.id);
    const valid = invoiceBody(billed);
    const { status, body } = await post({
      ...valid,
      services: [...valid.services, { service_id: service.id, quantity: 1, unit_price: 1 }],
    });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field: 'services.1.service_id', value: service.id } });
  });

  test('creating or reading an invoice without the required permission returns 403 INSUFFICIENT_PERMISSIONS and names the permission', async () => {
    const reader = await billed.tenant.limitedTo('billing:read');
    const creator = await billed.tenant.limitedTo('billing:create');
    const create = await reader.rest('POST', '/billing/invoices', { body: invoiceBody(billed) });
    expect(create).toMatchObject({
      status: 403,
      body: { error: { code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'billing:create' } } },
    });
    expect((await reader.rest('GET', '/billing/invoices')).status).toBe(200);

    expect((await creator.rest('POST', '/billing/invoices', { body: invoiceBody(billed) })).status).toBe(201);
    for (const path of ['/billing/invoices', `/billing/invoices/${billed.firstInvoice.id}`]) {
      expect(await creator.rest('GET', path)).toMatchObject({ status: 403, body: { error: { details: { required: 'billing:read' } } } });
    }
  });
});

describe('invoices and other organizations', () => {
  test('reading an invoice of another organization, or creating an invoice for an account of another organization, returns 404', async () => {
    const { tenant: other } = await otherOrganization();
    const read = await other.rest('GET', `/billing/invoices/${billed.firstInvoice.id}`);
    expect(read).toMatchObject({
      status: 404,
      body: { error: { code: 'RESOURCE_NOT_FOUND', details: { resource: 'invoice', id: billed.firstInvoice.id } } },
    });
    expect((await other.rest('GET', '/billing/invoices')).body).toEqual({ invoices: [], total_count: 0, has_more: false });
    expect((await other.rest('GET', `/billing/invoices?account_id=${billed.accountId}`)).body.total_count).toBe(0);
    expect((await other.rest('POST', '/billing/invoices', { body: invoiceBody(billed) })).status).toBe(404);
  });

  test("creating an invoice for the caller's account with a service of another organization returns 404", async () => {
    const { tenant: other, accountId } = await otherOrganization();
    const { status, body } = await other.rest('POST', '/billing/invoices', { body: invoiceBody({ ...billed, accountId }) });
    expect({ status, details: body.error.details }).toEqual({ status: 404, details: { resource: 'service', id: billed.serviceId } });
  });

  async function otherOrganization() {
    const tenant = await (await rig()).organization();
    return { tenant, accountId: (await createAccount(tenant)).id as string };
  }
});
