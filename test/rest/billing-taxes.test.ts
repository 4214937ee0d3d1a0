import { beforeAll, describe, expect, test } from 'vitest';
import { type BilledTenant, billedTenant } from '../billing.setup.ts';
import {
  audited,
  CREATE_RATE,
  EXEMPT,
  invoiceOf,
  moveTo,
  newInvoice,
  pay,
  refused,
  run,
  taxRate,
  UPDATE_RATE,
} from '../billing-credits.setup.ts';
import { rows } from '../support/tables.ts';
import type { Json } from '../tenant.ts';

let billed: BilledTenant;
let org: string;
beforeAll(async () => {
  billed = await billedTenant();
  org = billed.tenant.organizationId;
  await moveTo(billed, 'US', 'ny');
  await taxRate(billed.tenant, { name: 'State tax', percent: 4, region: 'NY' });
  await taxRate(billed.tenant, { name: 'City tax', percent: 4.875, region: ' ny ' });
  await taxRate(billed.tenant, { name: 'Connectivity fee', percent: 1.5, category: 'connectivity' });
  await taxRate(billed.tenant, { name: 'Other category', percent: 50, category: 'voice' });
  await taxRate(billed.tenant, { name: 'Other state', percent: 50, region: 'CA' });
  await taxRate(billed.tenant, { name: 'Other country', percent: 50, country: 'DE' });
  await taxRate(billed.tenant, { name: 'Ended', percent: 50, validTo: '2021-01-01' });
  await taxRate(billed.tenant, { name: 'Later', percent: 50, validFrom: '2999-01-01' });
});

const changeLines = (invoice: Json, ...prices: number[]) =>
  billed.tenant.rest('PUT', `/billing/invoices/${invoice.id}`, {
    body: { services: prices.map((unit_price) => ({ service_id: billed.serviceId, quantity: 1, unit_price })) },
  });

describe('taxes of invoices', () => {
  test('an invoice contains all taxes that match the address, the category and the day, each computed from the net sum and rounded once', async () => {
    const invoice = await newInvoice(billed, 0.1, 0.1, 0.1);
    expect(invoice).toMatchObject({ subtotal: 0.3, tax_amount: 0.02, amount: 0.32, amount_due: 0.32 });
    expect(invoice.taxes).toEqual([
      { name: 'State tax', percent: 4, taxable: 0.3, amount: 0.01, reason: null },
      { name: 'City tax', percent: 4.875, taxable: 0.3, amount: 0.01, reason: null },
      { name: 'Connectivity fee', percent: 1.5, taxable: 0.3, amount: 0, reason: null },
    ]);
    expect(await invoiceOf(billed.tenant, invoice.id)).toEqual(invoice);
    await audited(org);
  });

  test("the taxes of changed invoice lines depend on the customer's address when the invoice was issued, even if the customer has moved", async () => {
    const invoice = await newInvoice(billed, 100);
    expect(invoice.tax_amount).toBe(10.38);
    await moveTo(billed, 'DE');
    const { body } = await changeLines(invoice, 100, 100);
    await moveTo(billed, 'US', 'NY');
    expect(body.data).toMatchObject({ subtotal: 200, tax_amount: 20.75, amount: 220.75 });
    expect(body.data.taxes.map(({ amount }: Json) => amount)).toEqual([8, 9.75, 3]);
    expect((await changeLines(invoice, 1)).body.data).toMatchObject({ amount: 1.11 });
    await audited(org);
    await billed.tenant.rest('PUT', `/billing/invoices/${invoice.id}`, { body: { status: 'cancelled' } });
    await audited(org);
  });

  test('the end of a tax rate does not change issued invoices, and later invoices do not contain the tax', async () => {
    const rate = await taxRate(billed.tenant, { name: 'Short', percent: 10 });
    const invoice = await newInvoice(billed, 10);
    expect(invoice.taxes).toHaveLength(4);
    await run(billed.tenant, UPDATE_RATE, { id: rate.id, input: { validTo: '2020-01-01', name: 'Renamed' } });
    expect(await invoiceOf(billed.tenant, invoice.id)).toEqual(invoice);
    expect((await newInvoice(billed, 10)).taxes).toHaveLength(3);
  });

  test('an exempt account pays no tax, and its invoices state the reason and the tax number', async () => {
    const input = { reason: 'Reverse charge', taxId: 'DE123456789' };
    expect(await run(billed.tenant, EXEMPT, { accountId: billed.accountId, input })).toEqual(input);
    const invoice = await newInvoice(billed, 100, 20);
    expect(invoice).toMatchObject({ subtotal: 120, tax_amount: 0, amount: 120, bill_to: { tax_id: 'DE123456789' } });
    expect(invoice.taxes).toEqual([{ name: 'Exempt', percent: 0, taxable: 120, amount: 0, reason: 'Reverse charge' }]);
    const query = 'query ($id: ID!) { taxExemption(accountId: $id) { reason taxId } }';
    expect(await run(billed.tenant, query, { id: billed.accountId })).toEqual(input);
    expect(await run(billed.tenant, EXEMPT, { accountId: billed.accountId, input: null })).toBeNull();
    expect((await newInvoice(billed, 100)).tax_amount).toBe(10.38);
  });

  test('the refunds of a payment give back exactly the tax of the invoice', async () => {
    const invoice = await newInvoice(billed, 33.33);
    const { payment_id: id } = (await pay(billed.tenant, invoice.id, invoice.amount)).body.data;
    const refund = async (body?: Json) =>
      (await billed.tenant.rest('POST', `/billing/payments/${id}/refund`, body ? { body } : {})).body.data.tax_amount;
    const parts = [await refund({ amount: 11.11 }), await refund({ amount: 0.01 }), await refund()];
    expect(Number(parts.reduce((total, part) => total + part, 0).toFixed(2))).toBe(invoice.tax_amount);
    await audited(org);
  });
});

describe('managing tax rates', () => {
  test('invalid tax rates are refused with all of their problems', async () => {
    const input = { name: ' ', percent: 100.1, country: 'us', validFrom: '2026-02-30', validTo: 'soon' };
    const { code, errors } = await refused(billed.tenant, CREATE_RATE, { input });
    expect(code).toBe('INVALID_PARAMETERS');
    expect(new Set(errors.map(({ field }: Json) => field.split('.').at(-1)))).toEqual(
      new Set(['name', 'percent', 'country', 'validFrom', 'validTo']),
    );
    const rate = await taxRate(billed.tenant, { country: 'FR', validFrom: '2030-01-01' });
    const early = await refused(billed.tenant, UPDATE_RATE, { id: rate.id, input: { validTo: '2029-12-31' } });
    expect(early).toMatchObject({ code: 'INVALID_PARAMETERS', field: 'validTo' });
  });

  test('an organization sees and uses only its own tax rates, and only callers with billing:admin can change them', async () => {
    const other = await billedTenant();
    const [rate] = (await run(billed.tenant, '{ taxRates { nodes { id } } }')).nodes;
    expect(await refused(other.tenant, UPDATE_RATE, { id: rate.id, input: { name: 'Mine' } })).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    });
    expect((await run(other.tenant, '{ taxRates { nodes { id } } }')).nodes).toEqual([]);
    await moveTo(other, 'US', 'NY');
    expect((await newInvoice(other, 100)).taxes).toEqual([]);
    const exempt = { accountId: billed.accountId, input: { reason: 'Mine' } };
    expect(await refused(other.tenant, EXEMPT, exempt)).toMatchObject({ code: 'RESOURCE_NOT_FOUND', resource: 'account' });
    const clerk = await billed.tenant.limitedTo('billing:read', 'billing:write', 'billing:create');
    expect(await refused(clerk, UPDATE_RATE, { id: rate.id, input: { name: 'Mine' } })).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS' });
  });

  test('an organization has at most 1,000 tax rates, even if they are created concurrently', async () => {
    const other = await (await import('../rig.ts')).rig().then((platform) => platform.organization({ plan: 'custom' }));
    await (await rows()).query(
      `insert into billing.tax_rate (id, organization_id, name, percent, country, valid_from, created_at, updated_at)
       select 'tax_' || $1 || n, $1, 'VAT', 1, 'US', '2020-01-01', now(), now() from generate_series(1, 998) n`,
      [other.organizationId],
    );
    const input = { name: 'VAT', percent: 20, country: 'US', validFrom: '2020-01-01' };
    const answers = await Promise.all(Array.from({ length: 5 }, () => other.graphql(CREATE_RATE, { input })));
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(2);
  });
});
