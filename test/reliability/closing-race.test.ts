import pg from 'pg';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { operator } from '../operator.setup.ts';
import { eventually, rig } from '../rig.ts';
import { placeOrder, tenantWithAccount } from '../services.setup.ts';
import { rows } from '../support/tables.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';

const MINUTE_MS = 60_000;

let platform: Tenant;
beforeAll(async () => {
  platform = await operator();
});

const organizationPath = ({ organizationId }: Tenant): string => `/operator/organizations/${organizationId}`;
const act = async (what: 'close' | 'suspend' | 'resume', tenant: Tenant): Promise<void> => {
  const { status, body } = await platform.rest('POST', `${organizationPath(tenant)}/${what}`);
  expect(status, JSON.stringify(body)).toBe(200);
};
const statusOf = async (tenant: Tenant): Promise<string> => (await platform.rest('GET', organizationPath(tenant))).body.data.status;
const find = async (text: string, ...values: unknown[]): Promise<Json[]> => (await rows()).query<Json>(text, values);

/** Pauses an order inside its transaction, runs `meanwhile`, and then continues the order. */
async function orderDuring(tenant: Tenant, accountId: string, meanwhile: () => Promise<void>): Promise<RestResponse> {
  const session = new pg.Client({ connectionString: (await rig()).databaseUrl });
  await session.connect();
  onTestFinished(() => session.end());
  await session.query('begin; lock table services.service in share row exclusive mode');
  const ordered = placeOrder(tenant, accountId);
  await eventually(async () => {
    const waiting = `select 1 from pg_locks where relation = 'services.service'::regclass and not granted`;
    return (await find(waiting)).length > 0;
  });
  await meanwhile();
  await session.query('commit');
  return ordered;
}

describe.runIf(process.env.TEST_DATABASE_URL)('orders during closing', () => {
  test('if an organization is closed while a service order is stored, the order succeeds and the organization is reopened', async () => {
    const { advance } = await rig();
    const { tenant, accountId } = await tenantWithAccount();
    const ordered = await orderDuring(tenant, accountId, () => act('close', tenant));
    expect(ordered.status, JSON.stringify(ordered.body)).toBe(201);
    const { id } = ordered.body.data;
    await eventually(async () => {
      const putOff = `select 1 from pgboss.job where name = 'services.converge' and data->>'serviceId' = $1 and state = 'created'
        and start_after > created_on + interval '30 seconds'`;
      return (await find(putOff, id)).length === 1;
    });
    expect(await statusOf(tenant)).toBe('closed');
    expect(await find('select "status" from "services"."service" where "id" = $1', id)).toEqual([{ status: 'pending' }]);

    await advance(MINUTE_MS + 1_000);
    await eventually(async () => (await statusOf(tenant)) === 'active');
    await advance(MINUTE_MS + 1_000);
    await eventually(async () => (await tenant.rest('GET', `/services/${id}`)).body.data?.status === 'operational');
    for (const of of [tenant, platform]) {
      const records = (await of.rest('GET', '/auth/audit?event_type=organization_resumed&limit=200')).body.data;
      expect(records.filter(({ reason }: Json) => reason.includes('services were ordered'))).not.toEqual([]);
    }
    const again = await platform.rest('POST', `${organizationPath(tenant)}/close`);
    expect([again.status, again.body.error.details.service_ids]).toEqual([409, [id]]);
  });

  test('if an organization is suspended and closed while a service order is stored, the organization becomes suspended again', async () => {
    const { advance } = await rig();
    const { tenant, accountId } = await tenantWithAccount();
    const ordered = await orderDuring(tenant, accountId, async () => {
      await act('suspend', tenant);
      await act('close', tenant);
    });
    expect(ordered.status).toBe(201);
    await advance(MINUTE_MS + 1_000);
    await eventually(async () => (await statusOf(tenant)) === 'suspended');
    expect((await tenant.rest('GET', '/auth/verify')).body.error.code).toBe('ORGANIZATION_SUSPENDED');
  });
});
