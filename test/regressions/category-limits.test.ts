import { expect, test } from 'vitest';
import { rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

/**
 * Returns how many requests of a rate limit category are used. Specification 8.4 allows 200 account management
 * operations and 10 large exports per hour.
 */
const usedOf = async (tenant: Tenant, category: string): Promise<number> => {
  const { body } = await tenant.rest('GET', '/monitoring/rate-limits');
  return body.data.categories.find((one: Json) => one.category === category).used;
};
const invalid = { report_type: 'usage', parameters: { date_range: { start: 'yesterday', end: 'today' } } };
const request = (tenant: Tenant, body: object = { report_type: 'usage' }) => tenant.rest('POST', '/support/reports/generate', { body });
const MUTATION = 'mutation ($input: ReportInput!) { generateSupportReport(input: $input) { id } }';

test('reading accounts over REST or GraphQL does not count towards the limit for account management', async () => {
  const tenant = await (await rig()).organization();
  const fields = Array.from({ length: 45 }, (_, n) => `a${n}: accounts(page: { limit: 1 }) { nodes { id } }`);
  for (let count = 0; count < 5; count++) expect((await tenant.graphql(`{ ${fields.join(' ')} }`)).errors).toBeUndefined();
  expect((await tenant.rest('GET', '/accounts')).status).toBe(200);
  expect(await usedOf(tenant, 'account')).toBe(0);
  const { body } = await tenant.rest('POST', '/accounts', { body: { name: 'Ada', email: 'ada@example.com' } });
  expect([await usedOf(tenant, 'account'), body.error]).toEqual([1, undefined]);
});

test('invalid report requests over REST, GraphQL or a socket do not count towards the export limit', async () => {
  const tenant = await (await rig()).organization();
  for (let count = 0; count < 11; count++) expect((await request(tenant, invalid)).status).toBe(400);
  expect((await tenant.rest('POST', '/support/reports/generate', { body: '{' })).status).toBe(400);
  const { errors } = await tenant.graphql(MUTATION, { input: { reportType: '' } });
  expect(errors?.[0]?.extensions.code).toBe('INVALID_PARAMETERS');
  const client = tenant.socket();
  const refused = await client.iterate<Json>({ query: MUTATION, variables: { input: { reportType: '' } } }).next();
  await client.dispose();
  expect(refused.value?.errors?.[0]?.extensions?.code).toBe('INVALID_PARAMETERS');
  expect(await usedOf(tenant, 'export')).toBe(0);
  expect((await request(tenant)).status).toBeLessThan(300);
  expect(await usedOf(tenant, 'export')).toBe(1);
});

test('report requests that return 403 do not count towards the export limit', async () => {
  const tenant = await (await rig()).organization();
  const reader = await tenant.limitedTo('support:read');
  for (let count = 0; count < 11; count++) expect((await request(reader)).status).toBe(403);
  expect(await usedOf(tenant, 'export')).toBe(0);
});

test('a GraphQL operation with one valid and one invalid report request counts once towards the export limit', async () => {
  const tenant = await (await rig()).organization();
  const query = `mutation ($good: ReportInput!, $bad: ReportInput!) {
    a: generateSupportReport(input: $good) { id } b: generateSupportReport(input: $bad) { id }
  }`;
  await tenant.graphql(query, { good: { reportType: 'usage' }, bad: { reportType: '' } });
  expect(await usedOf(tenant, 'export')).toBe(1);
});

test('billing operations that read do not count towards the limit for billing, and each change counts once', async () => {
  const tenant = await (await rig()).organization({ plan: 'business' });
  const reads = Array.from({ length: 40 }, (_, n) => `a${n}: invoices(page: { limit: 1 }) { nodes { id } }`).join(' ');
  for (let count = 0; count < 3; count++) expect((await tenant.graphql(`{ ${reads} }`)).errors).toBeUndefined();
  for (const path of ['/billing/invoices', '/billing/payments']) expect((await tenant.rest('GET', path)).status).toBe(200);
  expect((await tenant.graphql('{ invoiceSettings { revision } }')).errors).toBeUndefined();
  expect(await usedOf(tenant, 'billing')).toBe(0);

  const unknown = 'inv_01JQ8Z6V4T9M3N2B1C0D9E8F7G';
  expect((await tenant.rest('PUT', `/billing/invoices/${unknown}`, { body: { notes: 'x' } })).status).toBe(404);
  await tenant.graphql('mutation ($id: ID!) { updateInvoice(id: $id, input: { notes: "x" }) { id } }', { id: unknown });
  // a mutation that REST does not have
  await tenant.graphql('mutation ($id: ID!) { sendInvoice(id: $id) { id } }', { id: unknown });
  expect(await usedOf(tenant, 'billing')).toBe(3);
  await tenant.graphql('mutation ($id: ID!) { sendInvoice(id: $id, input: { to: "nobody" }) { id } }', { id: unknown });
  expect(await usedOf(tenant, 'billing')).toBe(3);
});

test('the 101st billing change in an hour returns 429 with the window billing, and the plan custom has no such limit', async () => {
  const { organization } = await rig();
  const changes = (count: number) =>
    `mutation ($id: ID!) { ${Array.from({ length: count }, (_, n) => `a${n}: sendInvoice(id: $id) { id }`).join(' ')} }`;
  const codesOf = async (tenant: Tenant, count: number) => {
    const { errors = [] } = await tenant.graphql(changes(count), { id: 'inv_01JQ8Z6V4T9M3N2B1C0D9E8F7G' });
    return [...new Set(errors.map(({ extensions }) => extensions.code))];
  };
  const limited = await organization({ plan: 'enterprise' });
  for (let count = 0; count < 4; count++) expect(await codesOf(limited, 25)).toEqual(['RESOURCE_NOT_FOUND']);
  expect(await codesOf(limited, 1)).toEqual(['RATE_LIMIT_EXCEEDED']);
  expect((await limited.rest('GET', '/billing/invoices')).status).toBe(200);
  const { status, body } = await limited.rest('POST', '/billing/invoices', { body: {} });
  expect([status, body.error.details.window]).toEqual([429, 'billing']);
  const custom = await organization({ plan: 'custom' });
  for (let count = 0; count < 5; count++) expect(await codesOf(custom, 25)).toEqual(['RESOURCE_NOT_FOUND']);
});
