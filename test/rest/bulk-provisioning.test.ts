import { beforeAll, describe, expect, test } from 'vitest';
import { bulkOf, bulkThatIs, eventsOf, lineAt, lineItem, provisionInBulk } from '../bulk.setup.ts';
import { eventually } from '../rig.ts';
import { serviceThatIs, tenantWithAccount } from '../services.setup.ts';
import type { Json, Tenant } from '../tenant.ts';

let tenant: Tenant;
let accountId: string;
beforeAll(async () => {
  ({ tenant, accountId } = await tenantWithAccount());
});

const serviceCount = async (): Promise<number> => (await tenant.rest('GET', '/services?limit=200')).body.data.length;
const fieldsOf = ({ body }: { body: Json }): string[] => body.error.details.errors.map(({ field }: Json) => field);
const statesOf = ({ services }: { services: Json[] }): string[] => services.map(({ item_status }) => item_status);

describe('POST /services/bulk/provision without a rollback', () => {
  test('each item of a bulk becomes a service, in the order of the request, even if two items have the same address', async () => {
    const { status, body } = await provisionInBulk(tenant, [lineItem({ name: 'A', account_id: accountId }), lineItem({ name: 'B' })]);
    expect([status, body.data]).toMatchObject([
      201,
      {
        id: expect.stringMatching(/^bulk_/),
        kind: 'provision',
        status: 'in_progress',
        parallel: true,
        rollback_on_failure: false,
        counts: { total: 2, pending: 2, completed: 0 },
        items: [
          { position: 0, status: 'pending', service_id: expect.stringMatching(/^svc_/), error: null },
          { position: 1, status: 'pending' },
        ],
      },
    ]);
    const { bulk, services } = await bulkThatIs('completed', tenant, body.data.id);
    expect(bulk.counts).toMatchObject({ total: 2, completed: 2 });
    expect(services).toMatchObject([
      { service_id: body.data.items[0].service_id, status: 'operational', item_status: 'completed' },
      { service_id: body.data.items[1].service_id, status: 'operational' },
    ]);
    const names = await Promise.all(
      services.map(async ({ service_id }) => (await tenant.rest('GET', `/services/${service_id}`)).body.data),
    );
    expect(names).toMatchObject([{ name: 'A', account_id: accountId, bandwidth: '500mbps' }, { name: 'B' }]);
  });

  test('a bulk item that cannot be ordered has failed with the error that a single order returns, and the other items are built', async () => {
    const { status, body } = await provisionInBulk(tenant, [
      lineItem({ location: { address: '1 Nowhere', city: 'Nome', state: 'AK', zip: '99762' } }),
      lineItem({ template: 'no_such_thing' }),
      lineItem({ account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G' }),
      lineItem({ customizations: { bandwidth: '777mbps' } }),
      lineItem(),
    ]);
    expect(status).toBe(201);
    expect(body.data.items.map(({ status, error }: Json) => [status, error?.code])).toEqual([
      ['failed', 'LOCATION_NOT_SERVICEABLE'],
      ['failed', 'INVALID_PARAMETERS'],
      ['failed', 'RESOURCE_NOT_FOUND'],
      ['failed', 'INVALID_PARAMETERS'],
      ['pending', undefined],
    ]);
    expect(await bulkThatIs('partial', tenant, body.data.id)).toMatchObject({ bulk: { counts: { failed: 4, completed: 1 } } });
  });

  test('a bulk of which no item can be ordered has failed immediately', async () => {
    const { body } = await provisionInBulk(tenant, [lineItem({ template: 'no_such_thing' })]);
    expect(body.data).toMatchObject({ status: 'failed', counts: { total: 1, failed: 1 } });
    expect(await eventually(async () => (await eventsOf(tenant, 'bulk.finished', [body.data.id]))[0])).toMatchObject({
      bulk: { status: 'failed' },
    });
  });

  test('the items of a bulk that is not parallel are built one after another, and the items after a failed item are skipped', async () => {
    const items = [lineItem(), lineAt('FAIL-PERMANENT 1'), lineItem(), lineItem()];
    const { body } = await provisionInBulk(tenant, items, { parallel: false });
    expect(body.data.items.map(({ status }: Json) => status)).toEqual(['in_progress', 'pending', 'pending', 'pending']);
    const ended = await bulkThatIs('partial', tenant, body.data.id);
    expect(statesOf(ended)).toEqual(['completed', 'failed', 'skipped', 'skipped']);
    expect(ended.services[1]).toMatchObject({ status: 'failed', error: { code: 'PROVISIONING_FAILED' } });
    expect(ended.services[2]).toMatchObject({ status: 'failed', status_reason: expect.stringContaining('item 1') });
  });
});

describe('POST /services/bulk/provision with a rollback', () => {
  test('the services of a bulk with rollback_on_failure become operational together when all of them are built', async () => {
    const { body } = await provisionInBulk(tenant, [lineItem(), lineItem(), lineItem()], { rollback_on_failure: true });
    const ids = body.data.items.map(({ service_id }: Json) => service_id);
    await bulkThatIs('completed', tenant, body.data.id);
    const provisioned = await eventually(async () => {
      const events = await eventsOf(tenant, 'service.provisioned', ids);
      return events.length === 3 && events;
    });
    expect(new Set(provisioned.map(({ service }) => service.provisioned_at)).size).toBe(1);
  });

  test('if one service of a bulk with rollback_on_failure cannot be built, all fail and none is provisioned or invoiced', async () => {
    const items = [lineItem(), lineAt('FAIL-PERMANENT 1'), lineItem()];
    const { body } = await provisionInBulk(tenant, items, { rollback_on_failure: true });
    const ids = body.data.items.map(({ service_id }: Json) => service_id);
    const { bulk, services } = await bulkThatIs('rolled_back', tenant, body.data.id);
    expect(bulk).toMatchObject({ status_reason: expect.stringContaining('Item 1 failed'), leftovers: [], finished_at: expect.any(String) });
    expect(services.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
    expect(services[1]).toMatchObject({ item_status: 'failed' });
    for (const index of [0, 2]) {
      expect(['released', 'skipped']).toContain(services[index]?.item_status);
      expect(services[index]?.status_reason).toBe(`Rolled back with ${bulk.id}.`);
    }
    expect(await eventually(async () => (await eventsOf(tenant, 'bulk.finished', [bulk.id]))[0])).toMatchObject({
      bulk: { status: 'rolled_back' },
    });
    expect(await eventsOf(tenant, 'service.provisioned', ids)).toEqual([]);
    const invoices = (await tenant.rest('GET', '/billing/invoices?limit=200')).body.invoices;
    expect(invoices.filter(({ services: lines }: Json) => lines.some((line: Json) => ids.includes(line.service_id)))).toEqual([]);
  });

  test('a bulk with rollback_on_failure and items that cannot be ordered returns 400 with all problems and stores nothing', async () => {
    const before = await serviceCount();
    const response = await provisionInBulk(
      tenant,
      [
        lineItem(),
        lineItem({ location: { address: '1 Nowhere', city: 'Nome', state: 'AK', zip: '99762' } }),
        lineItem({ template: 'no_such_thing' }),
        lineItem({ account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G' }),
        lineItem({ customizations: { bandwidth: '777mbps' } }),
      ],
      { rollback_on_failure: true },
    );
    expect([response.status, response.body.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
    expect(fieldsOf(response)).toEqual([
      'services.1.location',
      'services.2.template',
      'services.3.account_id',
      'services.4.customizations.bandwidth',
    ]);
    expect(await serviceCount()).toBe(before);
  });

  test('a bulk with rollback_on_failure is rolled back if one of its services is ended before all are built', async () => {
    const items = [lineItem(), lineAt('FAIL-ALWAYS 1')];
    const { body } = await provisionInBulk(tenant, items, { rollback_on_failure: true });
    const [first] = body.data.items;
    await eventually(async () => statesOf(await bulkOf(tenant, body.data.id))[0] === 'built');
    expect((await tenant.rest('PUT', `/services/${first.service_id}`, { body: { name: 'Other' } })).body.error.code).toBe('INVALID_STATE');
    expect((await tenant.rest('DELETE', `/services/${first.service_id}`)).status).toBe(200);
    await eventually(async () => (await bulkOf(tenant, body.data.id)).bulk.status !== 'in_progress');
    expect(await bulkOf(tenant, body.data.id)).toMatchObject({ services: [{ item_status: 'failed' }, {}] });
  });
});

test('a bulk of services whose provider does not respond does not delay single orders', async () => {
  const stuck = Array.from({ length: 30 }, (_, n) => lineAt(`FAIL-ALWAYS ${n}`));
  const { body } = await provisionInBulk(tenant, stuck, { rollback_on_failure: true });
  await serviceThatIs('operational', tenant, accountId);
  expect((await bulkOf(tenant, body.data.id)).bulk.status).toBe('in_progress');
  await tenant.graphql('mutation ($id: ID!) { cancelBulk(id: $id) { id } }', { id: body.data.id });
});

describe('requests that are refused', () => {
  test.each([
    ['no items', 0],
    ['101 items', 101],
  ])('a bulk with %s returns 400', async (_, size) => {
    const response = await provisionInBulk(
      tenant,
      Array.from({ length: size }, () => lineItem()),
    );
    expect([response.status, fieldsOf(response)]).toEqual([400, ['services']]);
  });

  test('a bulk with malformed items returns 400 with all problems and stores nothing', async () => {
    const before = await serviceCount();
    const response = await provisionInBulk(tenant, [
      lineItem({ customizations: { bandwidth: 'fast' } }),
      lineItem({ location: { address: '', city: 'New York', state: 'NY', zip: '1' } }),
      lineItem({ account_id: 'nobody' }),
    ]);
    expect(response.status).toBe(400);
    expect(fieldsOf(response)).toEqual([
      'services.0.customizations.bandwidth',
      'services.1.location.address',
      'services.1.location.zip',
      'services.2.account_id',
    ]);
    expect(await serviceCount()).toBe(before);
  });

  test('a bulk with unknown or invalid settings or without a location returns 400, even without rollback_on_failure', async () => {
    const response = await provisionInBulk(tenant, [
      lineItem(),
      lineItem({ customizations: { bandwidth: '500mbps', color: 'red', redundancy: 'yes' } }),
      lineItem({ location: undefined }),
    ]);
    expect(response.status).toBe(400);
    expect(fieldsOf(response).sort()).toEqual([
      'services.1.customizations.color',
      'services.1.customizations.redundancy',
      'services.2.location',
    ]);
  });

  test('the error for a bulk with many problems lists the first 20 problems and counts all of them', async () => {
    const { body } = await provisionInBulk(
      tenant,
      Array.from({ length: 30 }, () => lineItem({ customizations: { bandwidth: 1 } })),
    );
    expect(body.error.details.errors).toHaveLength(20);
    expect(body.error.details.problems_total).toBe(30);
  });
});
