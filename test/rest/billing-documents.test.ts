import { beforeAll, describe, expect, test } from 'vitest';
import { type BilledTenant, billedTenant, createAccount, createInvoice } from '../billing.setup.ts';
import { clock, type Rig, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import type { Json } from '../tenant.ts';
import { Tenant } from '../tenant.ts';

let platform: Rig;
let billed: BilledTenant;
beforeAll(async () => {
  platform = await rig();
  billed = await billedTenant();
});

const fetchFrom = (path: string, tenant: Tenant = billed.tenant, headers: Record<string, string> = {}, init: RequestInit = {}) =>
  fetch(`${platform.origin}/v1${path}`, { ...init, headers: { ...tenant.credentials, ...headers } });
const pdf = (id: string, ...rest: [Tenant?, Record<string, string>?, RequestInit?]) => fetchFrom(`/billing/invoices/${id}/pdf`, ...rest);
const csv = (query = '', ...rest: [Tenant?, Record<string, string>?, RequestInit?]) => fetchFrom(`/billing/invoices.csv${query}`, ...rest);
const errorOf = async (response: Response): Promise<Json> => [response.status, ((await response.json()) as Json).error.code];
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

/** Creates a key that is limited to accounts. */
async function keyOf(...accounts: string[]): Promise<Tenant> {
  const { body } = await billed.tenant.rest('POST', '/auth/api-keys', { body: { name: 'Portal', permissions: ['billing:*'], accounts } });
  return new Tenant(platform.origin, billed.tenant.organizationId, body.api_key.key);
}

describe('the PDF of an invoice', () => {
  test('an invoice is downloaded as a PDF with the same bytes and the same ETag each time', async () => {
    const [one, other] = [await pdf(billed.firstInvoice.id), await pdf(billed.firstInvoice.id)];
    const bytes = await bytesOf(one);
    expect([one.status, one.headers.get('content-type'), one.headers.get('content-length')]).toEqual([
      200,
      'application/pdf',
      String(bytes.length),
    ]);
    expect(one.headers.get('content-disposition')).toBe(`attachment; filename=${billed.firstInvoice.number}.pdf`);
    expect(bytes.subarray(0, 5).toString()).toBe('%PDF-');
    expect((await bytesOf(other)).equals(bytes)).toBe(true);
    expect(other.headers.get('etag')).toBe(one.headers.get('etag'));
  });

  test('the PDF of an unchanged invoice is not sent again to a client that names its ETag, and HEAD has no body', async () => {
    const etag = (await pdf(billed.firstInvoice.id)).headers.get('etag') ?? '';
    for (const sent of [etag, `W/${etag}`, '*'])
      expect((await pdf(billed.firstInvoice.id, billed.tenant, { 'if-none-match': sent })).status).toBe(304);
    const head = await pdf(billed.firstInvoice.id, billed.tenant, {}, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, '']);
    expect(Number(head.headers.get('content-length'))).toBeGreaterThan(1000);
    const options = await pdf(billed.firstInvoice.id, billed.tenant, {}, { method: 'OPTIONS' });
    expect(options.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect((await pdf(billed.firstInvoice.id, billed.tenant, {}, { method: 'DELETE' })).status).toBe(405);
    expect((await pdf(billed.firstInvoice.id, billed.tenant, { 'api-version': '7' })).status).toBe(400);
  });

  test('50 PDFs that are requested together are all served, and another request gets its response before the last PDF', async () => {
    let served = 0;
    const downloads = Array.from({ length: 50 }, async () => {
      const response = await pdf(billed.firstInvoice.id);
      served += 1;
      return [response.status, (await bytesOf(response)).subarray(0, 5).toString()];
    });
    const other = await fetchFrom(`/billing/invoices/${billed.firstInvoice.id}`);
    expect([other.status, served < 50]).toEqual([200, true]);
    expect(await Promise.all(downloads)).toEqual(Array(50).fill([200, '%PDF-']));
  });

  test('the PDF and its ETag change with the invoice', async () => {
    const { id } = await createInvoice(billed, {}, { notes: 'First' });
    const before = await pdf(id);
    await billed.tenant.rest('PUT', `/billing/invoices/${id}`, { body: { notes: 'Second' } });
    const after = await pdf(id);
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect((await bytesOf(after)).equals(await bytesOf(before))).toBe(false);
  });

  test('the PDF of an invoice is refused without credentials, without billing:read, and for other organizations and accounts', async () => {
    const { id } = billed.firstInvoice;
    expect(await errorOf(await fetch(`${platform.origin}/v1/billing/invoices/${id}/pdf`))).toEqual([401, 'INVALID_CREDENTIALS']);
    expect(await errorOf(await pdf(id, await billed.tenant.limitedTo('services:read')))).toEqual([403, 'INSUFFICIENT_PERMISSIONS']);
    expect(await errorOf(await pdf(id, await platform.organization()))).toEqual([404, 'RESOURCE_NOT_FOUND']);
    const { id: other } = await createAccount(billed.tenant, 'Other');
    expect(await errorOf(await pdf(id, await keyOf(other)))).toEqual([404, 'RESOURCE_NOT_FOUND']);
    expect((await pdf(id, await keyOf(billed.accountId))).status).toBe(200);
    for (const none of ['inv_01JQ8Z6V4T9M3N2B1C0D9E8F7G', '..%2f..%2fsecret', '%00'])
      expect([400, 404]).toContain((await pdf(none)).status);
  });

  test('the PDF of an invoice of an earlier release, which stored no seller and customer, shows the current seller and customer', async () => {
    const { id } = await createInvoice(billed);
    await (await rows()).query(`update "billing"."invoice" set "seller" = null, "bill_to" = null, "timezone" = null where "id" = $1`, [id]);
    expect((await pdf(id)).status).toBe(200);
  });

  test('the GraphQL and REST records of an invoice contain the URL of its PDF', async () => {
    const { id } = billed.firstInvoice;
    const url = `${platform.origin}/v1/billing/invoices/${id}/pdf`;
    expect((await billed.tenant.graphql('query($id: ID!) { invoice(id: $id) { pdfUrl } }', { id })).data.invoice.pdfUrl).toBe(url);
    expect((await billed.tenant.rest('GET', `/billing/invoices/${id}`)).body.data.pdf_url).toBe(url);
  });
});

describe('the CSV of invoices', () => {
  const linesOf = async (response: Response) => (await response.text()).split('\r\n').slice(0, -1);

  test('invoices are exported as CSV, oldest first, and a text that looks like a formula is escaped', async () => {
    const own = await billedTenant();
    await createInvoice(own, { unit_price: 1.5 }, { notes: '=HYPERLINK("http://example.com")' });
    const response = await csv('', own.tenant);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
    const [head = '', first = '', second = ''] = await linesOf(response);
    expect(head.split(',').slice(0, 3)).toEqual(['number', 'status', 'created_at']);
    expect([first.split(',')[0], second.split(',')[0]]).toEqual(['INV-1001', 'INV-1002']);
    expect(second).toContain(`,Acme Corporation,,4.50,0.00,4.50,`);
    expect(second).toContain(`"'=HYPERLINK(""http://example.com"")"`);
  });

  test('the CSV of invoices is filtered, and all invalid filters are refused in one error', async () => {
    const { id: empty } = await createAccount(billed.tenant, 'Empty');
    expect(await linesOf(await csv(`?account_id=${empty}`))).toHaveLength(1);
    expect((await linesOf(await csv(`?account_id=${empty},${billed.accountId}&status=pending`))).length).toBeGreaterThan(1);
    expect(await linesOf(await csv('?status=paid&status=cancelled'))).toHaveLength(1);
    const tomorrow = new Date(clock.now().getTime() + 24 * 3600_000).toISOString().slice(0, 10);
    expect(await linesOf(await csv(`?date_from=${tomorrow}`))).toHaveLength(1);
    expect((await linesOf(await csv(`?date_to=${tomorrow}`))).length).toBeGreaterThan(1);
    const { errors } = ((await (await csv('?status=open&date_from=today&date_to=2026-02-30')).json()) as Json).error.details;
    expect(errors.map(({ field }: Json) => field).sort()).toEqual(['date_from', 'date_to', 'status']);
    expect(await errorOf(await csv('?date_from=2026-02-01&date_to=2026-01-01'))).toEqual([400, 'INVALID_PARAMETERS']);
  });

  test('callers see only the invoices of their accounts in the CSV, and need billing:read', async () => {
    const { id: other } = await createAccount(billed.tenant, 'Other');
    const limited = await keyOf(other);
    expect(await linesOf(await csv('', limited))).toHaveLength(1);
    expect(await linesOf(await csv(`?account_id=${billed.accountId}`, limited))).toHaveLength(1);
    expect((await linesOf(await csv('', await keyOf(billed.accountId)))).length).toBeGreaterThan(1);
    expect(await linesOf(await csv('', await platform.organization()))).toHaveLength(1);
    expect((await csv('', await billed.tenant.limitedTo('services:read'))).status).toBe(403);
    const head = await csv('', billed.tenant, {}, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('the CSV of invoices contains each invoice once, even if there are more invoices than one batch', async () => {
    const own = await billedTenant();
    await (await rows()).query(
      `insert into "billing"."invoice" ("id", "organization_id", "number", "account_id", "status", "amount", "currency", "due_date", "created_at", "updated_at")
       select $1 || lpad(n::text, 5, '0'), $2, 'X-' || n, $3, 'pending', 1, 'USD', now() + interval '100 years', date_trunc('milliseconds', now()) + (n / 7) * interval '1 second', now()
       from generate_series(1, 1203) n`,
      [`inv_${own.tenant.organizationId.slice(4, 24)}`, own.tenant.organizationId, own.accountId],
    );
    const numbers = (await linesOf(await csv('?status=pending', own.tenant))).slice(1).map((line) => line.split(',')[0]);
    expect([numbers.length, new Set(numbers).size]).toEqual([1204, 1204]);
  });

  test('a CSV of invoices counts as a large export, and reading a PDF counts in no category', async () => {
    const tenant = await platform.organization({ plan: 'business' });
    const usedOf = async (category: string) =>
      (await tenant.rest('GET', '/monitoring/rate-limits')).body.data.categories.find((one: Json) => one.category === category).used;
    expect((await csv('', tenant)).status).toBe(200);
    expect((await csv('?status=open', tenant)).status).toBe(400);
    expect((await pdf('inv_01JQ8Z6V4T9M3N2B1C0D9E8F7G', tenant)).status).toBe(404);
    expect([await usedOf('export'), await usedOf('billing')]).toEqual([1, 0]);
  });
});

describe('invoice settings', () => {
  const UPDATE =
    'mutation ($input: InvoiceSettingsInput!, $revision: Int) { updateInvoiceSettings(input: $input, expectedRevision: $revision) { legalName address taxId footer revision updatedAt } }';
  const READ = '{ invoiceSettings { legalName address taxId footer revision updatedAt } }';

  test('invoices have the organization as their seller and, after a change of the invoice settings, the seller of the settings', async () => {
    const own = await billedTenant();
    expect(own.firstInvoice.seller).toEqual({ name: 'Test', address: [], tax_id: null, footer: null });
    expect((await own.tenant.graphql(READ)).data.invoiceSettings).toMatchObject({
      legalName: null,
      address: [],
      revision: 1,
      updatedAt: null,
    });
    const input = { legalName: 'Example Telecom Inc.', address: ['1 Main Street', 'US'], taxId: 'US-1', footer: 'Pay to account 42.' };
    const { data } = await own.tenant.graphql(UPDATE, { input, revision: 1 });
    expect(data.updateInvoiceSettings).toMatchObject({ ...input, revision: 2 });
    const later = await createInvoice(own);
    expect(later.seller).toEqual({
      name: 'Example Telecom Inc.',
      address: ['1 Main Street', 'US'],
      tax_id: 'US-1',
      footer: 'Pay to account 42.',
    });
    const first = await own.tenant.rest('GET', `/billing/invoices/${own.firstInvoice.id}`);
    expect(first.body.data.seller.name).toBe('Test');
    await own.tenant.graphql(UPDATE, { input: { legalName: null } });
    expect((await createInvoice(own)).seller).toMatchObject({ name: 'Test', tax_id: 'US-1' });
  });

  test('an outdated revision of the invoice settings is refused, and an error lists all invalid values', async () => {
    const own = await platform.organization();
    await own.graphql(UPDATE, { input: { taxId: 'A' } });
    const stale = await own.graphql(UPDATE, { input: { taxId: 'B' }, revision: 1 });
    expect(stale.errors?.[0]?.extensions.code).toBe('STALE_RESOURCE');
    const wrong = { legalName: ' ', address: ['a', ' ', 'x'.repeat(101)], taxId: 'x'.repeat(51), footer: 'x'.repeat(1001) };
    const { errors } = await own.graphql(UPDATE, { input: wrong });
    expect(errors?.[0]?.extensions.details.errors.map(({ field }: Json) => field).sort()).toEqual([
      'address',
      'footer',
      'legalName',
      'taxId',
    ]);
  });

  test('several concurrent changes of invoice settings that nobody has changed before are all stored', async () => {
    const own = await platform.organization();
    const inputs = [{ legalName: 'A' }, { address: ['B'] }, { taxId: 'C' }, { footer: 'D' }];
    await Promise.all(inputs.map((input) => own.graphql(UPDATE, { input })));
    expect((await own.graphql(READ)).data.invoiceSettings).toMatchObject({
      legalName: 'A',
      address: ['B'],
      taxId: 'C',
      footer: 'D',
      revision: 5,
    });
  });

  test('only callers with billing:admin and access to the whole organization can change the invoice settings', async () => {
    const codeOf = async (tenant: Tenant, query: string) => (await tenant.graphql(query, { input: {} })).errors?.[0]?.extensions.code;
    expect(await codeOf(await billed.tenant.limitedTo('billing:write'), UPDATE)).toBe('INSUFFICIENT_PERMISSIONS');
    expect(await codeOf(await keyOf(billed.accountId), UPDATE)).toBe('INSUFFICIENT_PERMISSIONS');
    expect(await codeOf(await keyOf(billed.accountId), READ)).toBe('INSUFFICIENT_PERMISSIONS');
  });

  test('a caller who is limited to accounts can create an invoice, although the invoice contains the name of the organization', async () => {
    const limited = await keyOf(billed.accountId);
    const invoice = await createInvoice({ ...billed, tenant: limited });
    expect(invoice.seller.name).toBe('Test');
  });
});
