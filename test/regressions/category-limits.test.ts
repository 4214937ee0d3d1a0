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
