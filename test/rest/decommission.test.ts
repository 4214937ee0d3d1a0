import { beforeAll, describe, expect, test } from 'vitest';
import { operator } from '../operator.setup.ts';
import { eventually, rig } from '../rig.ts';
import { placeOrder, serviceThatIs, tenantWithAccount } from '../services.setup.ts';
import { type Json, type RestResponse, Tenant } from '../tenant.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

let tenant: Tenant;
let accountId: string;
beforeAll(async () => {
  ({ tenant, accountId } = await tenantWithAccount());
});

const operational = (more: object = {}): Promise<Json> => serviceThatIs('operational', tenant, accountId, more);
const end = (id: string, of = tenant): Promise<RestResponse> => of.rest('DELETE', `/services/${id}`);
const decommission = (id: string, body: object = {}, of = tenant): Promise<RestResponse> =>
  of.rest('POST', `/services/${id}/decommission`, { body });
const read = async (id: string): Promise<Json> => (await tenant.rest('GET', `/services/${id}`)).body.data;
const until = (id: string, status: string): Promise<Json> =>
  eventually(async () => {
    const service = await read(id);
    return service.status === status && service;
  });
const changes = async (id: string): Promise<Json[]> => (await tenant.rest('GET', `/services/${id}/changes`)).body.data;
const inDays = async (days: number): Promise<string> => new Date((await rig()).clock.now().getTime() + days * DAY_MS).toISOString();

describe('ending a service immediately', () => {
  test.each([
    ['DELETE /services/{id}', '/services/'],
    ['DELETE /connectivity/internet/{id}', '/connectivity/internet/'],
  ])('%s returns the service with the status decommissioning, and the status later becomes decommissioned', async (_, path) => {
    const { id } = await operational();
    const { status, body } = await tenant.rest('DELETE', `${path}${id}`);
    expect([status, body.data]).toMatchObject([200, { id, status: 'decommissioning' }]);
    expect(await until(id, 'decommissioned')).toMatchObject({ id, status_reason: null });
    expect(await changes(id)).toMatchObject([
      {
        service_id: id,
        kind: 'decommission',
        status: 'completed',
        history: [{ to: 'acknowledged' }, { to: 'in_progress' }, { to: 'completed' }],
      },
    ]);
  });

  test('a second DELETE of a service returns 409 INVALID_STATE with the allowed states', async () => {
    const { id } = await operational();
    await end(id);
    await until(id, 'decommissioned');
    const { status, body } = await end(id);
    expect([status, body.error]).toMatchObject([409, { code: 'INVALID_STATE', details: { from: 'decommissioned', allowed: [] } }]);
  });

  test('POST /services/{id}/decommission returns 409 INVALID_STATE for a service that is already being decommissioned', async () => {
    const { id } = await operational();
    await end(id);
    const { status, body } = await decommission(id, { decommission_date: await inDays(1) });
    expect([status, body.error.code]).toEqual([409, 'INVALID_STATE']);
    expect(await changes(id)).toHaveLength(1);
  });

  test('ten concurrent DELETE requests for a service decommission the service once', async () => {
    const { id } = await operational();
    const responses = await Promise.all(Array.from({ length: 10 }, () => end(id)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    await until(id, 'decommissioned');
    expect(await changes(id)).toHaveLength(1);
  });

  test('a failed service can be decommissioned', async () => {
    const { id } = await serviceThatIs('failed', tenant, accountId, {
      location: { address: 'FAIL-PERMANENT 1', city: 'New York', state: 'NY', zip: '10118' },
    });
    expect((await end(id)).status).toBe(200);
  });

  test('deleting a service during its provisioning cancels the request once the provider has released the service', async () => {
    const body = {
      service_template: 'business_fiber',
      customizations: { bandwidth: '1000mbps' },
      account_id: accountId,
      location: { address: 'FAIL-ALWAYS 1', city: 'New York', state: 'NY', zip: '10118' },
    };
    const { data: request } = (await tenant.rest('POST', '/services/provision', { body })).body;
    await until(request.service_id, 'provisioning');
    expect((await end(request.service_id)).body.data.status).toBe('decommissioning');
    const asked = async () => (await tenant.rest('GET', `/services/provision/${request.id}/status`)).body.data;
    expect(await asked()).toMatchObject({ status: 'in_progress', status_reason: expect.stringContaining('Is being cancelled') });
    await (await rig()).advance(31_000);
    await until(request.service_id, 'decommissioned');
    expect((await asked()).status).toBe('cancelled');
  });

  test('if the provider rejects a decommission, the service becomes operational again, and its change has the status failed with the reason', async () => {
    const { id } = await operational({ name: 'FAIL-RELEASE' });
    await end(id);
    const reason = 'The provider refused to end the service: The simulated provider keeps this line (FAIL-RELEASE).';
    expect(await until(id, 'operational')).toMatchObject({ status_reason: reason });
    expect(await changes(id)).toMatchObject([{ status: 'failed', status_reason: reason, completed_at: null }]);
    expect((await end(id)).status).toBe(200);
  });

  test('DELETE /connectivity/internet/{id} of an unknown id returns 404 RESOURCE_NOT_FOUND', async () => {
    const { status, body } = await tenant.rest('DELETE', '/connectivity/internet/svc_unknown');
    expect([status, body.error.code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
  });
});

test('closing an organization with an operational service returns an error with the service id, until the service is decommissioned', async () => {
  const { tenant: leaving, accountId: itsAccount } = await tenantWithAccount();
  const { id } = await serviceThatIs('operational', leaving, itsAccount);
  const close = async () => (await operator()).rest('POST', `/operator/organizations/${leaving.organizationId}/close`);
  expect((await close()).body.error.details.service_ids).toEqual([id]);
  await end(id, leaving);
  await eventually(async () => (await leaving.rest('GET', `/services/${id}`)).body.data.status === 'decommissioned');
  expect((await close()).status).toBe(200);
});

describe('decommissioning on a scheduled date', () => {
  test('a service is decommissioned on the requested date, and the service and its change contain the reason', async () => {
    const { id } = await operational();
    const decommission_date = await inDays(3);
    const { status, body } = await decommission(id, { decommission_date, reason: 'Office closed' });
    expect([status, body.data]).toMatchObject([
      201,
      { service_id: id, status: 'acknowledged', effective_at: decommission_date, reason: 'Office closed', completed_at: null },
    ]);
    expect(await read(id)).toMatchObject({ status: 'operational' });
    await (await rig()).advance(3 * DAY_MS);
    expect(await until(id, 'decommissioned')).toMatchObject({ status_reason: 'Office closed' });
    expect(await changes(id)).toMatchObject([{ id: body.data.id, status: 'completed' }]);
  });

  test('a decommission without a date begins immediately, and its data migration is null by default', async () => {
    const { id } = await operational();
    const { status, body } = await decommission(id);
    expect([status, body.data]).toMatchObject([201, { status: 'in_progress', data_migration: null }]);
    await until(id, 'decommissioned');
  });

  test('scheduling a second decommission of a service returns 409 SERVICE_CONFLICT, and DELETE starts the scheduled decommission immediately', async () => {
    const { id } = await operational();
    const { data: first } = (await decommission(id, { decommission_date: await inDays(5) })).body;
    const { status, body } = await decommission(id);
    expect([status, body.error]).toMatchObject([
      409,
      { code: 'SERVICE_CONFLICT', details: { resource: 'service', id, change_id: first.id } },
    ]);
    expect((await end(id)).status).toBe(200);
    await until(id, 'decommissioned');
    const all = await changes(id);
    expect(all).toMatchObject([{ id: first.id, status: 'completed' }]);
    expect(all[0]?.effective_at).not.toBe(first.effective_at);
  });

  test('a cancelled decommission does not start, and cancelling it again returns 409 INVALID_STATE', async () => {
    const { id } = await operational();
    const { data: change } = (await decommission(id, { decommission_date: await inDays(2) })).body;
    const cancel = (serviceId = id) => tenant.rest('DELETE', `/services/${serviceId}/changes/${change.id}`);
    const { id: other } = await operational();
    expect((await cancel(other)).status).toBe(404);
    expect((await cancel()).body.data).toMatchObject({ id: change.id, status: 'cancelled' });
    expect((await cancel()).body.error.code).toBe('INVALID_STATE');
    await (await rig()).advance(3 * DAY_MS);
    expect((await decommission(id, { decommission_date: await inDays(1) })).status).toBe(201);
    expect(await read(id)).toMatchObject({ status: 'operational' });
  });

  test('cancelling a decommission on its date returns 200 and keeps the service, or returns 409 and the service is decommissioned', async () => {
    const services = await Promise.all(Array.from({ length: 6 }, () => operational()));
    const decommission_date = await inDays(1);
    const scheduled = await Promise.all(services.map(({ id }) => decommission(id, { decommission_date })));
    const [, ...cancelled] = await Promise.all([
      (await rig()).advance(DAY_MS),
      ...scheduled.map(({ body: { data } }) => tenant.rest('DELETE', `/services/${data.service_id}/changes/${data.id}`)),
    ]);
    for (const [index, { status }] of cancelled.entries()) {
      const { id } = services[index];
      expect([200, 409]).toContain(status);
      await until(id, status === 200 ? 'operational' : 'decommissioned');
      expect(await changes(id)).toMatchObject([{ status: status === 200 ? 'cancelled' : 'completed' }]);
    }
  });

  test('a decommission with several invalid fields returns 400 with all of these fields and creates no change', async () => {
    const { id } = await operational();
    const data_migration = { required: true, destination: 'acc_1', speed: 'high' };
    const { status, body } = await decommission(id, { decommission_date: await inDays(-2), data_migration, reason: '', note: 'x' });
    expect([status, body.error.code]).toEqual([400, 'INVALID_PARAMETERS']);
    const fields = body.error.details.errors.map(({ field }: Json) => field);
    expect(fields.sort()).toEqual(['data_migration.destination', 'data_migration.speed', 'decommission_date', 'note', 'reason']);
    expect((await decommission(id, { decommission_date: await inDays(400) })).status).toBe(400);
    expect((await decommission(id, { data_migration: { required: true } })).body.error.details.field).toBe('data_migration.destination');
    expect(await changes(id)).toEqual([]);
  });

  test('a decommission whose data destination is not another operational service of the organization returns an error and creates no change', async () => {
    const { id } = await operational();
    const { id: destination } = await operational();
    const migrate = (to: string) => decommission(id, { data_migration: { required: true, destination: to, verification: true } });
    const { tenant: stranger, accountId: strangerAccount } = await tenantWithAccount();
    const foreign = (await placeOrder(stranger, strangerAccount)).body.data.id;
    expect((await migrate(foreign)).status).toBe(404);
    expect((await migrate(id)).body.error).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field: 'data_migration.destination' } });
    const failing = (
      await placeOrder(tenant, accountId, { location: { address: 'FAIL-ALWAYS', city: 'New York', state: 'NY', zip: '10118' } })
    ).body.data.id;
    expect((await migrate(failing)).body.error.code).toBe('SERVICE_CONFLICT');
    expect(await changes(id)).toEqual([]);
    const { status, body } = await migrate(destination);
    expect([status, body.data.data_migration]).toEqual([201, { required: true, destination, verification: true }]);
  });

  test('a caller with access to one account receives 404 for services and changes of another account', async () => {
    const { id: other } = await operational();
    const { data: change } = (await decommission(other, { decommission_date: await inDays(4) })).body;
    const second = (await tenant.rest('POST', '/accounts', { body: { name: 'Second', email: 'it@acme.example.com' } })).body.data.id;
    const body = { name: 'Limited', permissions: ['*:*'], accounts: [second] };
    const { api_key } = (await tenant.rest('POST', '/auth/api-keys', { body })).body;
    const limited = new Tenant(tenant.origin, tenant.organizationId, api_key.key);
    const { id } = await serviceThatIs('operational', limited, second);
    const responses = [
      await decommission(id, { data_migration: { destination: other } }, limited),
      await end(other, limited),
      await limited.rest('GET', `/services/${other}/changes`),
      await limited.rest('DELETE', `/services/${other}/changes/${change.id}`),
      await limited.rest('DELETE', `/services/${id}/changes/${change.id}`),
    ];
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
    expect(await changes(other)).toMatchObject([{ status: 'acknowledged' }]);
  });

  test('GraphQL returns the changes of a service, and each change contains its service', async () => {
    const { id } = await operational();
    await decommission(id, { decommission_date: await inDays(9) });
    const source = 'query ($id: ID!) { service(id: $id) { changes(limit: 5) { kind status service { id status } } } }';
    const { data } = await tenant.graphql(source, { id });
    expect(data.service.changes).toEqual([{ kind: 'DECOMMISSION', status: 'ACKNOWLEDGED', service: { id, status: 'OPERATIONAL' } }]);
  });
});
