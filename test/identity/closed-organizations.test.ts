import { beforeAll, describe, expect, test } from 'vitest';
import { createAccount, LOCATION, orderService } from '../billing.setup.ts';
import { operator } from '../operator.setup.ts';
import { eventually, rig } from '../rig.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';
import { login, userOf } from '../users.setup.ts';

const DAY_MS = 24 * 3_600_000;

let platform: Tenant;
beforeAll(async () => {
  platform = await operator();
});

const act = (
  what: 'suspend' | 'resume' | 'close',
  { organizationId }: Pick<Tenant, 'organizationId'>,
  body?: Json,
): Promise<RestResponse> => platform.rest('POST', `/operator/organizations/${organizationId}/${what}`, { body });
const statusOf = async ({ organizationId }: Tenant): Promise<string> =>
  (await platform.rest('GET', `/operator/organizations/${organizationId}`)).body.data.status;

const REFUSED = { error: { code: 'ORGANIZATION_CLOSED', message: expect.stringContaining('operator of the platform') } };
const expectRefused = ({ status, body }: RestResponse): void => {
  expect(body).toMatchObject(REFUSED);
  expect(status).toBe(403);
};

describe('closed organizations', () => {
  test('all credentials of a closed organization get 403 ORGANIZATION_CLOSED until the organization is resumed', async () => {
    const { clock } = await rig();
    const tenant = await (await rig()).organization();
    const user = await userOf(tenant);
    const before = clock.now().getTime();
    const { status, body } = await act('close', tenant, { reason: 'The contract has ended' });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.data).toMatchObject({ status: 'closed', closed_at: expect.any(String), suspended_at: null });
    expect(Date.parse(body.data.delete_after)).toBeGreaterThanOrEqual(before + 30 * DAY_MS);

    for (const caller of [tenant, user]) {
      expectRefused(await caller.rest('GET', '/auth/verify'));
      expect(await caller.graphql('{ callerIdentity { id } }')).toMatchObject({
        errors: [{ extensions: { code: 'ORGANIZATION_CLOSED' } }],
      });
    }
    expectRefused(await login(tenant, user.email));
    expect((await login(tenant, user.email, 'not the password')).body.error.code).toBe('INVALID_CREDENTIALS');

    expect((await act('resume', tenant)).body.data).toMatchObject({ status: 'active', closed_at: null, delete_after: null });
    for (const caller of [tenant, user]) expect((await caller.rest('GET', '/auth/verify')).status).toBe(200);
    const records = (await tenant.rest('GET', '/auth/audit?event_type=organization_closed')).body.data;
    expect(records).toMatchObject([{ user_id: null, client_id: null, reason: 'by the operator; The contract has ended' }]);
    const own = (await platform.rest('GET', '/auth/audit?event_type=organization_closed')).body.data;
    expect(own.filter(({ reason }: Json) => reason.includes(tenant.organizationId))).toMatchObject([
      { client_id: expect.stringMatching(/^ak_/) },
    ]);
  });

  test('open sockets of an organization are closed with 4403 when the organization is closed', async () => {
    const tenant = await (await rig()).organization();
    const client = tenant.socket();
    try {
      const ended = client
        .iterate({ query: 'subscription { events { id } }' })
        .next()
        .then(
          () => undefined,
          ({ code }: { code: number }) => code,
        );
      await client.iterate({ query: '{ callerIdentity { id } }' }).next();
      await act('close', tenant);
      expect(await ended).toBe(4403);
    } finally {
      await client.dispose();
    }
  });

  test('a suspended organization can be closed, and closing or suspending a closed organization returns 409', async () => {
    const tenant = await (await rig()).organization();
    await act('suspend', tenant);
    const both = await Promise.all([act('close', tenant), act('close', tenant)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await act('suspend', tenant)).body.error).toMatchObject({
      code: 'INVALID_STATE',
      details: { from: 'closed', to: 'suspended' },
    });
    expect(await statusOf(tenant)).toBe('closed');
  });
});

test('closing the operator organization returns 409, and closing an unknown organization returns 404', async () => {
  expect((await act('close', platform)).status).toBe(409);
  expect((await act('close', { organizationId: 'org_none' })).status).toBe(404);
});

describe('conditions for closing an organization', () => {
  test('closing an organization with active services or provisioning requests returns 409 with their ids', async () => {
    const tenant = await (await rig()).organization({ plan: 'custom' });
    const { id } = await createAccount(tenant);
    const { service } = await orderService(tenant, id);
    const body = { service_template: 'business_fiber', customizations: { bandwidth: '500mbps' } };
    const { body: wanted } = await tenant.rest('POST', '/services/provision', { body });
    const requestId = (Object.values(wanted).find((one) => (one as Json)?.id) as Json).id;

    const refused = await act('close', tenant);
    expect(refused.status).toBe(409);
    expect(refused.body.error).toMatchObject({
      code: 'INVALID_STATE',
      details: { service_ids: [service.id], provisioning_request_ids: [requestId] },
    });
    expect((await tenant.rest('GET', '/auth/verify')).status).toBe(200);

    expect((await tenant.rest('DELETE', `/services/provision/${requestId}`)).status).toBe(200);
    await decommissioned(service.id);
    expect((await act('close', tenant)).status).toBe(200);
  });

  test('an organization that is closed while a service is being ordered becomes active again within minutes', async () => {
    const { advance, assembly } = await rig();
    const tenant = await (await rig()).organization({ plan: 'custom' });
    const { id } = await createAccount(tenant);
    await act('close', tenant);
    // simulates an order that was authenticated before the organization was closed
    const { orm } = assembly.domains.identity.core.ports;
    await orm.em
      .fork()
      .getConnection()
      .execute(`update "identity"."organization" set "status" = 'active' where "id" = ?`, [tenant.organizationId]);
    await eventually(async () => (await tenant.rest('GET', '/auth/verify')).status === 200);
    const order = { account_id: id, service_type: 'fiber', bandwidth: '500mbps', location: LOCATION, billing_cycle: 'monthly' };
    expect((await tenant.rest('POST', '/connectivity/internet', { body: order })).status).toBe(201);
    await orm.em
      .fork()
      .getConnection()
      .execute(`update "identity"."organization" set "status" = 'closed' where "id" = ?`, [tenant.organizationId]);

    await advance(61_000);
    await eventually(async () => (await statusOf(tenant)) === 'active');
    expect((await tenant.rest('GET', '/auth/audit?event_type=organization_resumed')).body.data).toMatchObject([
      { reason: 'services were ordered while it was closed' },
    ]);
    const own = (await platform.rest('GET', '/auth/audit?event_type=organization_resumed')).body.data;
    expect(own.filter(({ reason }: Json) => reason.includes(tenant.organizationId))).toHaveLength(1);
  });

  test('an organization that is closed while no service is being ordered stays closed', async () => {
    const { advance, assembly } = await rig();
    const tenant = await (await rig()).organization();
    await act('close', tenant);
    await advance(61_000);
    const { rows } = assembly.domains.identity.core.ports;
    await eventually(async () => {
      const job = `select 1 from pgboss.job where name = 'identity.organization-closing' and data->>'organizationId' = $1 and state = 'completed'`;
      return (await rows.query(job, [tenant.organizationId])).length > 0;
    });
    expect(await statusOf(tenant)).toBe('closed');
  });
});

/** Sets the service to decommissioned directly in the database, so that the test does not wait for the provider. */
async function decommissioned(id: string): Promise<void> {
  const { rows } = (await rig()).assembly.domains.identity.core.ports;
  await rows.query(`update "services"."service" set "status" = 'decommissioned' where "id" = $1`, [id]);
}
