import { beforeAll, describe, expect, test } from 'vitest';
import { LOCATION } from '../billing.setup.ts';
import { rig } from '../rig.ts';
import { placeOrder, tenantWithAccount } from '../services.setup.ts';
import { onlyTable } from '../support/tables.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';

const AUSTIN = { address: '200 Congress Avenue', city: 'Austin', state: 'TX', zip: '78701' };

let tenant: Tenant;
let accountId: string;
/**
 * Orders services that are named after their service level (`none` has no service level), and a service that is named after its city,
 * Austin.
 */
beforeAll(async () => {
  ({ tenant, accountId } = await tenantWithAccount());
  for (const sla of ['enterprise', 'business', 'standard']) await placeOrder(tenant, accountId, { name: sla, sla });
  const { body } = await placeOrder(tenant, accountId, {
    name: 'Austin',
    sla: 'business',
    location: AUSTIN,
    service_type: 'dsl',
    bandwidth: '50mbps',
  });
  expect(body.data.priority).toBe('medium');
  const table = await onlyTable('services.service');
  const without = await placeOrder(tenant, accountId, { name: 'none', location: { ...LOCATION, address: '1 Elm Street' } });
  await table.set('sla', null, 'id', without.body.data.id);
  const other = await placeOrder(tenant, accountId, { name: 'gold', location: { ...LOCATION, address: '1 Elm Street' } });
  await table.set('sla', 'gold', 'id', other.body.data.id);
});

const list = (query: string, path = '/services'): Promise<RestResponse> => tenant.rest('GET', `${path}${query}`);
const names = async (query: string, path?: string): Promise<string[]> => (await list(query, path)).body.data.map(({ name }: Json) => name);
const ALL = ['gold', 'none', 'Austin', 'standard', 'business', 'enterprise'];

describe('restoration priority', () => {
  test.each([
    ['enterprise', 'high'],
    ['business', 'medium'],
    ['standard', 'low'],
    ['gold', 'low'],
    ['none', 'low'],
  ])('a service with the service level %s has the priority %s in REST and GraphQL', async (name, priority) => {
    const [service] = (await list(`?search=${name}&fields=name`)).body.data;
    expect(service.priority).toBe(priority);
    const { data } = await tenant.graphql('query($id: ID!) { service(id: $id) { priority } }', { id: service.id });
    expect(data.service.priority).toBe(priority.toUpperCase());
  });

  test.each([
    ['high', ['enterprise']],
    ['medium', ['Austin', 'business']],
    ['low', ['gold', 'none', 'standard']],
    ['high,low', ['gold', 'none', 'standard', 'enterprise']],
    ['high,medium', ['Austin', 'business', 'enterprise']],
    ['low,medium,high', ALL],
  ])('the service list with the priority %s contains exactly the services with this priority', async (priority, found) => {
    expect(await names(`?priority=${priority}`)).toEqual(found);
    expect((await list(`?priority=${priority}&per_page=1`)).body.pagination.total).toBe(found.length);
  });

  test('the priority of a service follows a change of its service level', async () => {
    const own = await tenantWithAccount();
    const { data } = (await placeOrder(own.tenant, own.accountId, { sla: 'standard' })).body;
    expect(data.priority).toBe('low');
    await (await onlyTable('services.service')).set('sla', 'enterprise', 'id', data.id);
    expect((await own.tenant.rest('GET', `/services/${data.id}`)).body.data.priority).toBe('high');
    expect((await own.tenant.rest('GET', '/services?priority=high')).body.data).toHaveLength(1);
  });
});

describe('filters of the service list', () => {
  test.each([
    ['?category=connectivity', ALL],
    ['?category=voice', []],
    ['?category=voice,connectivity', ALL],
    ['?category=connectivity,connectivity&priority=high', ['enterprise']],
    ['?q=austin', ['Austin']],
    ['?q=Austin&search=Austin', ['Austin']],
    ['?q=austin&fields=name', ['Austin']],
    ['?q=congress&fields=name', []],
    ['?q=austin&priority=medium&location=congress', ['Austin']],
    ['?q=austin&priority=high', []],
    ['?q=elm&priority=low&category=connectivity&sort=name:asc', ['gold', 'none']],
    ['?q=%25', []],
  ])('the service list with the query %s contains the services %j', async (query, found) => {
    expect(await names(query)).toEqual(found);
    expect(await names(query, '/connectivity/internet')).toEqual(found);
    expect((await list(`${query}&per_page=1`)).body.pagination.total).toBe(found.length);
  });

  test.each([
    ['', 'service_tally'],
    ['&status=operational,pending&type=internet', 'service_tally'],
    ['&category=connectivity&service_type=fiber', 'service_tally'],
    ['&account_id=acc_1&status=down&page=2', 'service_account_tally'],
    ['&priority=low', 'service'],
    ['&search=e', 'service'],
    ['&location=a', 'service'],
  ])('the total of the service list with the query %s is read from the table %s', async (query, table) => {
    const platform = await rig();
    const statements = await platform.clock.standingStill(() => platform.statements(() => list(`?per_page=1${query}`)));
    const counted = statements.flatMap((sql) => /\b(?:sum|count)\(.*?from "services"\."(\w+)"/s.exec(sql)?.[1] ?? []);
    expect(counted).toEqual([table]);
  });

  test.each<[string, string, string]>([
    ['?type=pigeon', 'type', 'internet'],
    [
      '?status=broken',
      'status',
      'pending, provisioning, operational, degraded, down, maintenance, suspended, decommissioning, decommissioned, failed',
    ],
    ['?priority=urgent', 'priority', 'high, medium, low'],
    ['?category=pigeons', 'category', 'connectivity, voice, cloud, security, ai'],
    ['?category=', 'category', 'connectivity, voice, cloud, security, ai'],
    ['?category=Connectivity', 'category', 'connectivity'],
  ])('listing services with %s returns 400, names the parameter %s and lists the values', async (query, field, values) => {
    const { status, body } = await list(query);
    expect([status, body.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
    expect(body.error.details.field).toMatch(new RegExp(`^${field}(\\.0)?$`));
    expect(body.error.details.reason).toContain(values);
  });

  test.each([
    ['?q=one&search=two', 'q'],
    ['?fields=name', 'fields'],
    ['?fields=name&location=austin', 'fields'],
    ['?q=', 'q'],
    [`?q=${'x'.repeat(101)}`, 'q'],
    ['?q=a%00b', 'q'],
    ['?category=a%00b', 'category'],
    ['?category=x&category=connectivity', 'category'],
  ])('listing services with %s returns 400 and names the parameter %s', async (query, field) => {
    const { status, body } = await list(query);
    expect([status, body.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
    expect(body.error.details.field).toMatch(new RegExp(`^${field}(\\.0)?$`));
  });

  test('all unknown categories of a request are reported with their positions', async () => {
    const { body } = await list('?category=pigeons,voice,smoke');
    expect(body.error.details.errors.map(({ field, value }: Json) => [field, value])).toEqual([
      ['category.0', 'pigeons'],
      ['category.2', 'smoke'],
    ]);
  });

  test('the category filter also finds services whose catalog service is no longer sold', async () => {
    const table = await onlyTable('services.catalog_service');
    await table.set('retired_at', '2026-01-01', 'id', 'business_dsl');
    try {
      expect(await names('?category=connectivity&service_type=dsl')).toEqual(['Austin']);
    } finally {
      await table.set('retired_at', null, 'id', 'business_dsl');
    }
  });

  test('filtering the service list by category and priority runs one more SQL statement, for any number of services', async () => {
    const platform = await rig();
    const statementsOf = async (query: string): Promise<number> => {
      await list(query);
      return platform.clock.standingStill(async () => (await platform.statements(async () => void (await list(query)))).length);
    };
    const plain = await statementsOf('?per_page=100');
    expect(plain).toBeGreaterThan(0);
    for (const query of [
      '?category=connectivity&priority=high,low',
      '?category=voice,connectivity',
      '?category=connectivity&priority=high&q=e',
    ])
      expect(await statementsOf(`${query}&per_page=100`)).toBe(plain + 1);
  });

  test('GraphQL lists services by category and priority, and ignores filters that are null', async () => {
    const query = 'query($filter: ServiceFilter) { services(filter: $filter) { nodes { name priority } pageInfo { total } } }';
    const found = async (filter: object): Promise<string[]> =>
      (await tenant.graphql(query, { filter })).data.services.nodes.map(({ name }: Json) => name);
    expect(await found({ category: ['connectivity'], priority: ['HIGH'], q: 'enter' })).toEqual(['enterprise']);
    expect(await found({ category: null, priority: null, q: null, search: null, fields: null })).toEqual(ALL);
    expect(await found({ category: [] })).toEqual([]);
    expect(await found({ priority: [] })).toEqual([]);
  });
});
