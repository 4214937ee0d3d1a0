import { beforeAll, describe, expect, test } from 'vitest';
import { createAccount, LOCATION } from '../billing.setup.ts';
import { eventually } from '../rig.ts';
import { placeOrder, serviceThatIs, tenantWithAccount } from '../services.setup.ts';
import type { Json, Tenant } from '../tenant.ts';

const AUSTIN = { address: '200 Congress_100% Avenue', city: 'Austin', state: 'TX', zip: '78701' };

let tenant: Tenant;
let accountId: string;
let otherAccountId: string;
/** Services that the tests list, in the order of their creation. */
let fast: Json;
let small: Json;
let failed: Json;

beforeAll(async () => {
  ({ tenant, accountId } = await tenantWithAccount());
  otherAccountId = (await createAccount(tenant, 'Initech')).id;
  fast = await serviceThatIs('operational', tenant, accountId, { name: 'Alpha' });
  small = await serviceThatIs('operational', tenant, otherAccountId, {
    name: 'Beta',
    service_type: 'dsl',
    bandwidth: '50mbps',
    sla: 'business',
    location: AUSTIN,
  });
  failed = await serviceThatIs('failed', tenant, accountId, { name: 'Gamma', location: { ...LOCATION, address: 'FAIL-PERMANENT' } });
});

const list = (query = '') => tenant.rest('GET', `/services${query}`);
const names = async (query: string): Promise<string[]> => (await list(query)).body.data.map(({ name }: Json) => name);

describe('service list', () => {
  test('the service list is sorted newest first and wrapped in the standard envelope', async () => {
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body.data).toEqual([failed, small, fast]);
    expect(body.pagination).toMatchObject({ page: 1, per_page: 50, total: 3, pages: 1 });
  });

  test.each([
    ['?status=failed', ['Gamma']],
    ['?status=operational,failed', ['Gamma', 'Beta', 'Alpha']],
    ['?status=down', []],
    ['?type=internet&service_type=dsl', ['Beta']],
    ['?location=austin', ['Beta']],
    ['?location=78701', ['Beta']],
    ['?location=_100%25', ['Beta']],
    ['?location=%25', ['Beta']],
    ['?search=alp', ['Alpha']],
    ['?search=austin&fields=name', []],
    ['?search=austin&fields=name,location', ['Beta']],
    ['?search=dsl&fields=service_type', ['Beta']],
    ['?date_from=2000-01-01', ['Gamma', 'Beta', 'Alpha']],
    ['?date_to=2000-01-01', []],
  ])('the service list with the query %s contains the services %j', async (query, found) => {
    expect(await names(query)).toEqual(found);
  });

  test('the service list can be filtered by ids', async () => {
    expect(await names(`?id=${fast.id},${failed.id},svc_none`)).toEqual(['Gamma', 'Alpha']);
    expect(await names(`?id=${fast.id}&status=failed`)).toEqual([]);
  });

  test('the service list can be filtered by account', async () => {
    expect(await names(`?account_id=${otherAccountId}`)).toEqual(['Beta']);
  });

  test('the service list can be searched by part of an id', async () => {
    expect(await names(`?search=${small.id.slice(4)}&fields=id`)).toEqual(['Beta']);
  });

  test.each([
    ['?sort=name:asc', ['Alpha', 'Beta', 'Gamma']],
    ['?sort=monthly_price:asc,name:desc', ['Beta', 'Gamma', 'Alpha']],
    ['?sort=bandwidth:desc,name:asc', ['Alpha', 'Gamma', 'Beta']],
    ['?sort=provisioned_at:asc', ['Alpha', 'Beta', 'Gamma']],
  ])('the service list with the query %s returns the services in the order %j', async (query, order) => {
    expect(await names(query)).toEqual(order);
  });

  test.each([
    'sort=name:asc',
    'sort=monthly_price:desc',
    'sort=provisioned_at:desc',
    'sort=bandwidth:asc,created_at:desc',
    'sort=bandwidth:desc,created_at:desc,name:asc',
  ])('paging the service list by cursor with %s returns each service once, in the order of the unpaged list', async (sort) => {
    const all = await names(`?${sort}`);
    const walked: string[] = [];
    let cursor = '';
    do {
      const { body } = await list(`?${sort}&limit=1${cursor}`);
      walked.push(...body.data.map(({ name }: Json) => name));
      cursor = body.pagination.next_cursor ? `&cursor=${body.pagination.next_cursor}` : '';
    } while (cursor && walked.length <= all.length);
    expect(walked).toEqual(all);
  });

  test('the service list can be paged by page number', async () => {
    const { body } = await list('?page=2&per_page=2&sort=name:asc');
    expect(body.data.map(({ name }: Json) => name)).toEqual(['Gamma']);
    expect(body.pagination).toMatchObject({ page: 2, per_page: 2, total: 3, pages: 2 });
  });

  test.each([
    ['?status=broken', 'status.0'],
    ['?type=voice', 'type.0'],
    ['?fields=colour&search=x', 'fields.0'],
    ['?search=', 'search'],
    ['?date_from=yesterday', 'date_from'],
    ['?per_page=201', 'per_page'],
    ['?page=0', 'page'],
    ['?sort=colour:asc', 'sort'],
    ['?cursor=x', 'cursor'],
    ['?colour=green', 'colour'],
  ])('listing services with %s returns 400 INVALID_PARAMETERS and names the parameter %s', async (query, field) => {
    const { status, body } = await list(query);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      code: 'INVALID_PARAMETERS',
      details: { field: expect.stringMatching(new RegExp(`^${field.replace('.0', '(\\.0)?')}`)) },
    });
  });

  test('GET /connectivity/internet returns the same list as GET /services', async () => {
    const { body } = await tenant.rest('GET', '/connectivity/internet?sort=name:desc');
    expect(body.data).toEqual([failed, small, fast]);
  });
});

describe('single service', () => {
  test('GET /services/{id} and GET /connectivity/internet/{id} return the same service', async () => {
    for (const path of [`/services/${fast.id}`, `/connectivity/internet/${fast.id}`]) {
      const { status, body } = await tenant.rest('GET', path);
      expect(status).toBe(200);
      expect(body.data).toEqual(fast);
    }
  });

  test('reading an unknown service or a service of another organization returns 404 RESOURCE_NOT_FOUND', async () => {
    const { tenant: stranger } = await tenantWithAccount();
    for (const [who, id] of [
      [stranger, fast.id],
      [tenant, 'svc_00000000000000000000000000'],
    ] as const) {
      for (const path of [`/services/${id}`, `/services/${id}/status`, `/connectivity/internet/${id}`]) {
        const { status, body } = await who.rest('GET', path);
        expect([path, status]).toEqual([path, 404]);
        expect(body.error).toMatchObject({ code: 'RESOURCE_NOT_FOUND', details: { id } });
      }
    }
    expect((await stranger.rest('GET', '/services')).body.data).toEqual([]);
  });

  test.each(['', '/status'])('GET /services/{id}%s and GET /services return 403 without services:read', async (path) => {
    const limited = await tenant.limitedTo('billing:read');
    expect((await limited.rest('GET', `/services/${fast.id}${path}`)).status).toBe(403);
    expect((await limited.rest('GET', '/services')).status).toBe(403);
  });
});

describe('service status', () => {
  test('the status of an operational service has an uptime, healthy checks and measurements that are marked as simulated', async () => {
    // a new service is measured within seconds
    const data = await eventually(async () => {
      const { body } = await tenant.rest('GET', `/services/${fast.id}/status`);
      return body.data.performance_metrics.measured_at !== null && body.data;
    });
    expect(data).toEqual({
      service_id: fast.id,
      status: 'operational',
      uptime_percentage: 100,
      last_incident: null,
      performance_metrics: {
        latency_ms: expect.any(Number),
        bandwidth_utilization: expect.any(Number),
        packet_loss: expect.any(Number),
        jitter_ms: expect.any(Number),
        measured_at: expect.stringMatching(/:00\.000Z$/),
        simulated: true,
      },
      health_checks: { connectivity: 'healthy', performance: 'healthy', security: 'healthy' },
      sites: [],
    });
  });

  test('the status of a service that failed to provision has no uptime and no measurements', async () => {
    const { body } = await tenant.rest('GET', `/services/${failed.id}/status`);
    expect(body.data).toMatchObject({
      status: 'failed',
      uptime_percentage: null,
      performance_metrics: { latency_ms: null, measured_at: null },
      health_checks: { connectivity: 'unknown', performance: 'unknown', security: 'unknown' },
    });
  });

  test('the status of a new service is pending, provisioning or operational', async () => {
    const customer = await tenantWithAccount();
    const { body } = await placeOrder(customer.tenant, customer.accountId);
    const { data } = (await customer.tenant.rest('GET', `/services/${body.data.id}/status`)).body;
    expect(['pending', 'provisioning', 'operational']).toContain(data.status);
  });
});
