import { beforeAll, describe, expect, test } from 'vitest';
import { bulkThatIs, modifyInBulk } from '../bulk.setup.ts';
import { rig } from '../rig.ts';
import { serviceThatIs, tenantWithAccount } from '../services.setup.ts';
import { onlyTable } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';

const UNKNOWN = 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G';

let tenant: Tenant;
let accountId: string;
beforeAll(async () => {
  ({ tenant, accountId } = await tenantWithAccount());
});

const line = async (more: object = {}): Promise<string> =>
  (await serviceThatIs('operational', tenant, accountId, { bandwidth: '500mbps', sla: 'standard', ...more })).id;
const read = async (id: string): Promise<Json> => (await tenant.rest('GET', `/services/${id}`)).body.data;
const fieldsOf = ({ body }: { body: Json }): string[] => body.error.details.errors.map(({ field }: Json) => field);
const codesOf = (items: Json[]): (string | null)[] => items.map(({ error }) => error?.code ?? null);

describe('POST /services/bulk/modify', () => {
  test('one change for several services creates a change of each service, and each item is completed with its change', async () => {
    const ids = [await line(), await line()];
    const { status, body } = await modifyInBulk(tenant, { service_ids: ids, bandwidth: '1gbps', features: ['static_ip'] });
    expect([status, body.data]).toMatchObject([
      201,
      {
        kind: 'modify',
        account_id: accountId,
        items: ids.map((service_id, position) => ({
          position,
          service_id,
          status: 'in_progress',
          change_id: expect.stringMatching(/^order_/),
        })),
      },
    ]);
    const { services } = await bulkThatIs('completed', tenant, body.data.id);
    expect(services.map(({ item_status }) => item_status)).toEqual(['completed', 'completed']);
    for (const id of ids) expect(await read(id)).toMatchObject({ bandwidth: '1000mbps', features: ['static_ip'], pending_changes: [] });
  });

  test('a bulk can change each service differently, and lists its items in the order of the request', async () => {
    const [first, second] = [await line(), await line()];
    const services = [
      { service_id: second, billing_cycle: 'annual' },
      { service_id: first, sla: 'business', configuration: { redundancy: true } },
    ];
    const { body } = await modifyInBulk(tenant, { services });
    expect(body.data.items).toMatchObject([{ service_id: second, status: 'completed' }, { service_id: first }]);
    await bulkThatIs('completed', tenant, body.data.id);
    expect([await read(second), await read(first)]).toMatchObject([
      { billing_cycle: 'annual' },
      { sla: 'business', configuration: { redundancy: true } },
    ]);
  });

  test('a service that already has the new terms becomes a completed bulk item without a change', async () => {
    const { body } = await modifyInBulk(tenant, { service_ids: [await line()], bandwidth: '500mbps' });
    expect(body.data).toMatchObject({ status: 'completed', items: [{ status: 'completed', change_id: null }] });
  });

  test('services that cannot be changed are failed items, and the others are changed', async () => {
    const [good, inMaintenance, far] = [
      await line(),
      await line(),
      await line({ location: { address: '1 Beale Street', city: 'Memphis', state: 'TN', zip: '38103' } }),
    ];
    await (await onlyTable('services.service')).set('status', 'maintenance', 'id', inMaintenance);
    const { status, body } = await modifyInBulk(tenant, { service_ids: [UNKNOWN, inMaintenance, far, good], bandwidth: '2gbps' });
    expect(status).toBe(201);
    expect(codesOf(body.data.items)).toEqual(['RESOURCE_NOT_FOUND', 'SERVICE_MAINTENANCE', 'INSUFFICIENT_BANDWIDTH', null]);
    await bulkThatIs('partial', tenant, body.data.id);
    expect((await read(good)).bandwidth).toBe('2000mbps');
    expect((await read(far)).bandwidth).toBe('500mbps');
  });

  test('a change that the provider refuses is a failed item', async () => {
    const id = await line();
    await tenant.rest('PUT', `/services/${id}`, { body: { name: 'FAIL-PERMANENT' } });
    const { body } = await modifyInBulk(tenant, { service_ids: [id], bandwidth: '1gbps' });
    const { services } = await bulkThatIs('failed', tenant, body.data.id);
    expect(services).toMatchObject([
      { item_status: 'failed', status: 'operational', error: { message: expect.stringContaining('FAIL-PERMANENT') } },
    ]);
  });

  test('a bulk change of a service of another organization has an item with RESOURCE_NOT_FOUND and changes nothing', async () => {
    const id = await line();
    const other = await (await rig()).organization();
    const { body } = await modifyInBulk(other, { service_ids: [id], sla: 'business' });
    expect(codesOf(body.data.items)).toEqual(['RESOURCE_NOT_FOUND']);
    expect((await read(id)).sla).toBe('standard');
  });

  test.each([
    ['without services', { bandwidth: '1gbps' }, ['service_ids']],
    ['with an empty list', { service_ids: [], bandwidth: '1gbps' }, ['service_ids']],
    ['with 101 services', { service_ids: Array.from({ length: 101 }, () => UNKNOWN), bandwidth: '1gbps' }, ['service_ids']],
    ['with a service twice', { service_ids: [UNKNOWN, UNKNOWN], bandwidth: '1gbps' }, ['service_ids.1']],
    ['without new terms', { service_ids: [UNKNOWN] }, ['bandwidth']],
    ['with a malformed term', { service_ids: [UNKNOWN], bandwidth: 'fast' }, ['bandwidth']],
    ['with both forms', { service_ids: [UNKNOWN], services: [{ service_id: UNKNOWN, sla: 'business' }] }, ['services']],
    ['with an item without new terms', { services: [{ service_id: UNKNOWN }] }, ['services.0.bandwidth']],
  ])('a bulk change %s returns 400 and names the field', async (_, body, fields) => {
    const response = await modifyInBulk(tenant, body);
    expect([response.status, fieldsOf(response)]).toEqual([400, fields]);
  });
});

describe('POST /services/bulk/status', () => {
  const status = (body: object) => tenant.rest('POST', '/services/bulk/status', { body });

  test('the bulk status of services has the order of the request, and an error for an unknown service', async () => {
    const [first, second] = [await line(), await line()];
    const { status: code, body } = await status({ service_ids: [second, UNKNOWN, first] });
    expect([code, body.data]).toMatchObject([
      200,
      {
        bulk: null,
        services: [
          { service_id: second, status: 'operational', error: null },
          { service_id: UNKNOWN, status: null, error: { code: 'RESOURCE_NOT_FOUND', details: { resource: 'service', id: UNKNOWN } } },
          { service_id: first, status: 'operational' },
        ],
      },
    ]);
  });

  test('reading the bulk status of 100 services runs as many statements as reading the status of one service', async () => {
    const id = await line();
    const { statements } = await rig();
    const one = await statements(() => status({ service_ids: [id] }));
    const many = await statements(() => status({ service_ids: [id, ...Array.from({ length: 99 }, (_, n) => `svc_${n}`)] }));
    expect(many).toHaveLength(one.length);
  });

  test.each([
    ['neither services nor a bulk', {}, 400],
    ['101 services', { service_ids: Array.from({ length: 101 }, (_, n) => `svc_${n}`) }, 400],
    ['both', { service_ids: [UNKNOWN], bulk_id: 'bulk_01JQ8Z6V4T9M3N2B1C0D9E8F7G' }, 400],
    ['an unknown bulk', { bulk_id: 'bulk_01JQ8Z6V4T9M3N2B1C0D9E8F7G' }, 404],
  ])('a bulk status request with %s is refused', async (_, body, code) => {
    expect((await status(body)).status).toBe(code);
  });

  test('the status of a bulk of another organization returns 404', async () => {
    const { body } = await modifyInBulk(tenant, { service_ids: [await line()], sla: 'business' });
    const other = await (await rig()).organization();
    const response = await other.rest('POST', '/services/bulk/status', { body: { bulk_id: body.data.id } });
    expect(response.status).toBe(404);
  });
});
