import { beforeAll, describe, expect, test } from 'vitest';
import { createAccount, LOCATION } from '../billing.setup.ts';
import {
  completeRequest,
  inDays,
  provisioningRequest,
  readRequest,
  requested,
  requestThatIs,
  stepsIn,
  storyOf,
} from '../provisioning.setup.ts';
import { eventually, rig } from '../rig.ts';
import { tenantWithAccount } from '../services.setup.ts';
import { type Json, type RestResponse, Tenant } from '../tenant.ts';

/** Slightly longer than the maximum time between sending an order to a provider and its arrival. */
const ASK_MS = 31_000;
/** A location where all orders fail. Its service is in provisioning for about 40 minutes, until the last attempt. */
const UNBUILT = { location: { ...LOCATION, address: '1 FAIL-ALWAYS Road' } };

let tenant: Tenant;
let accountId: string;
beforeAll(async () => {
  ({ tenant, accountId } = await tenantWithAccount());
});

const cancel = (id: string, caller = tenant): Promise<RestResponse> => caller.rest('DELETE', `/services/provision/${id}`);
const serviceOf = async ({ service_id }: Json): Promise<Json> => (await tenant.rest('GET', `/services/${service_id}`)).body.data;
const inProgress = async (more: object = {}): Promise<Json> => {
  const { id } = await requested(tenant, completeRequest(accountId, { ...UNBUILT, ...more }));
  return requestThatIs('in_progress', tenant, id);
};

describe('cancelling a provisioning request whose service was ordered', () => {
  test('cancelling a provisioning request ends its service, and takes effect when the provider has released the service', async () => {
    const request = await inProgress();
    const { status, body } = await cancel(request.id);
    expect([status, body.data]).toMatchObject([
      200,
      { id: request.id, status: 'in_progress', status_reason: 'Is being cancelled. Waits until the provider has released the service.' },
    ]);
    expect((await serviceOf(request)).status).toBe('decommissioning');

    await (await rig()).advance(ASK_MS);
    const cancelled = await requestThatIs('cancelled', tenant, request.id);
    expect(storyOf(cancelled)).toBe('>acknowledged>in_progress>cancelled');
    expect(stepsIn(cancelled)).toBe('information completed, schedule skipped, order completed, build skipped');
    expect(cancelled).toMatchObject({ expected_completion: null, service_id: request.service_id });
    expect(await serviceOf(request)).toMatchObject({ status: 'decommissioned', provisioned_at: null });
    const changes = (await tenant.rest('GET', `/services/${request.service_id}/changes`)).body.data;
    expect(changes).toMatchObject([{ kind: 'decommission', status: 'completed' }]);
  });

  test('cancelling a provisioning request again returns 409 INVALID_STATE, before and after its service is released', async () => {
    const { id } = await inProgress();
    await cancel(id);
    const again = await cancel(id);
    expect(again).toMatchObject({
      status: 409,
      body: { error: { code: 'INVALID_STATE', details: { resource: 'provisioning_request', id } } },
    });
    await (await rig()).advance(ASK_MS);
    await requestThatIs('cancelled', tenant, id);
    expect((await cancel(id)).body.error).toMatchObject({ code: 'INVALID_STATE', details: { from: 'cancelled', to: 'cancelled' } });
  });

  test('a provisioning request that is being cancelled fails with the reason if the provider refuses to release its service', async () => {
    const { id } = await inProgress({ name: 'FAIL-RELEASE' });
    await cancel(id);
    await (await rig()).advance(ASK_MS);
    const failed = await requestThatIs('failed', tenant, id);
    expect(failed.status_reason).toContain('The provider refused to end the service');
    expect(await serviceOf(failed)).toMatchObject({ status: 'failed' });
    expect((await cancel(id)).status).toBe(409);
  });

  test('a completed or failed request cannot be cancelled, and its service stays', async () => {
    const completed = await requested(tenant, completeRequest(accountId));
    await requestThatIs('completed', tenant, completed.id);
    const refused = await cancel(completed.id);
    expect(refused.status).toBe(409);
    expect(refused.body.error).toMatchObject({ code: 'INVALID_STATE', details: { from: 'completed', to: 'cancelled', allowed: [] } });
    expect((await serviceOf(completed)).status).toBe('operational');

    const failed = await requested(tenant, completeRequest(accountId, { location: { ...LOCATION, address: '1 FAIL-PERMANENT Road' } }));
    await requestThatIs('failed', tenant, failed.id);
    expect((await cancel(failed.id)).body.error.details).toMatchObject({ from: 'failed', to: 'cancelled' });
  });

  test('a cancelled request is not invoiced, and no service.provisioned event is sent', async () => {
    const own = await tenantWithAccount();
    const { id, service_id } = await requested(own.tenant, completeRequest(own.accountId, UNBUILT));
    await requestThatIs('in_progress', own.tenant, id);
    await cancel(id, own.tenant);
    await (await rig()).advance(ASK_MS);
    await requestThatIs('cancelled', own.tenant, id);
    const sent = await eventually(async () => {
      const events = await own.tenant.graphql('{ events(page: { limit: 50 }) { nodes { event subjectId } } }');
      const found = events.data.events.nodes.filter(({ subjectId }: Json) => subjectId === service_id).map(({ event }: Json) => event);
      return found.includes('service.decommissioned') && found;
    });
    expect(sent).not.toContain('service.provisioned');
    expect((await own.tenant.rest('GET', '/billing/invoices')).body.total_count).toBe(0);
  });
});

describe('cancelling at the same time as something else', () => {
  test('of ten concurrent cancellations of a request in progress, one succeeds and the others return 409', async () => {
    const { id, service_id } = await inProgress();
    const responses = await Promise.all(Array.from({ length: 10 }, () => cancel(id)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
    expect((await tenant.rest('GET', `/services/${service_id}/changes`)).body.data).toHaveLength(1);
  });

  test('a request that is cancelled while its service is built ends either cancelled without a service, or completed with one', async () => {
    const requests = await Promise.all(Array.from({ length: 12 }, () => requested(tenant, completeRequest(accountId))));
    const responses = await Promise.all(requests.map(({ id }) => cancel(id)));
    await (await rig()).advance(ASK_MS);
    for (const [index, { id }] of requests.entries()) {
      const expected = responses[index]?.status === 200 ? 'cancelled' : 'completed';
      const ended = await requestThatIs(expected, tenant, id);
      expect((await serviceOf(ended)).status).toBe(expected === 'cancelled' ? 'decommissioned' : 'operational');
    }
  });

  test('cancelling a pending provisioning request succeeds even if its missing location is sent at the same time', async () => {
    for (let round = 0; round < 6; round += 1) {
      const { id } = await requested(tenant, provisioningRequest({ account_id: accountId }));
      const [changed, cancelled] = await Promise.all([tenant.rest('PUT', `/services/provision/${id}`, { body: UNBUILT }), cancel(id)]);
      expect(cancelled.status).toBe(200);
      expect([200, 409]).toContain(changed.status);
      await (await rig()).advance(ASK_MS);
      const ended = await requestThatIs('cancelled', tenant, id);
      if (ended.service_id) expect((await serviceOf(ended)).status).toBe('decommissioned');
    }
  });

  test('cancelling a scheduled provisioning request at its start time succeeds, and ends its service if it was ordered', async () => {
    const schedule = { deployment_schedule: { preferred_date: inDays(1) } };
    const { id } = await requested(tenant, completeRequest(accountId, { ...UNBUILT, ...schedule }));
    const [, response] = await Promise.all([(await rig()).advance(86_400_000), cancel(id)]);
    expect(response.status).toBe(200);
    await (await rig()).advance(ASK_MS);
    const ended = await requestThatIs('cancelled', tenant, id);
    if (ended.service_id) await eventually(async () => (await serviceOf(ended)).status === 'decommissioned');
  });

  test('of concurrent calls that cancel a provisioning request or end its service, exactly one succeeds', async () => {
    const { id, service_id } = await inProgress();
    const responses = await Promise.all([cancel(id), tenant.rest('DELETE', `/services/${service_id}`), cancel(id)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    await (await rig()).advance(ASK_MS);
    await requestThatIs('cancelled', tenant, id);
  });
});

describe('callers that may not cancel a request', () => {
  test('cancelling a provisioning request outside the organization or account scope returns 404 and changes nothing', async () => {
    const { id } = await inProgress();
    const { tenant: stranger } = await tenantWithAccount();
    const { body } = await tenant.rest('POST', '/auth/api-keys', {
      body: { name: 'limited', permissions: ['services:write'], accounts: [(await createAccount(tenant)).id] },
    });
    const limited = new Tenant(tenant.origin, tenant.organizationId, body.api_key.key);
    for (const caller of [stranger, limited]) expect((await cancel(id, caller)).status).toBe(404);
    expect(await readRequest(tenant, id)).toMatchObject({ status: 'in_progress', status_reason: null });
  });

  test('cancelling a provisioning request needs services:write; services:create is not enough', async () => {
    const { id } = await inProgress();
    expect((await cancel(id, await tenant.limitedTo('services:create'))).status).toBe(403);
    expect((await cancel(id, await tenant.limitedTo('services:write'))).status).toBe(200);
  });

  test.each(['prov_none', 'prov_00000000000000000000000000', '%00', "prov_'%20or%201=1"])(
    'cancelling the unknown request %s returns 404 or 400',
    async (id) => {
      const { status } = await cancel(id);
      expect([400, 404]).toContain(status);
    },
  );
});
