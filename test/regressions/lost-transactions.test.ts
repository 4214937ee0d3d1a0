import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createAccount, LOCATION } from '../billing.setup.ts';
import { eventually, type Rig, start } from '../rig.ts';
import { ownDatabase } from '../support/own-database.ts';
import type { RestResponse, Tenant } from '../tenant.ts';

const POOL_SIZE = 2;

interface Desk {
  platform: Rig;
  tenant: Tenant;
  /**
   * A direct connection to PostgreSQL that reads `pg_stat_activity`. `holder` cannot do this, because it is inside a
   * transaction, and there the view does not change.
   */
  observer: pg.Client;
  holder: pg.Client;
}

async function connect(url: string | undefined): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function desk(): Promise<Desk> {
  const url = await ownDatabase();
  const platform = await start({ DATABASE_URL: url, DATABASE_POOL_SIZE: String(POOL_SIZE) });
  onTestFinished(() => platform.close());
  const [observer, holder] = [await connect(url), await connect(url)];
  return { platform, tenant: await platform.organization({ plan: 'custom' }), observer, holder };
}

/** Ends the connections of all statements that wait for a lock, as soon as there are `count`. */
async function endWaiting(observer: pg.Client, count: number): Promise<void> {
  const waiting = await eventually(async () => {
    const { rows } = await observer.query<{ pid: number }>(WAITING);
    return rows.length >= count && rows;
  });
  for (const { pid } of waiting) await observer.query('select pg_terminate_backend($1)', [pid]);
}

const openTicket = (tenant: Tenant): Promise<RestResponse> =>
  tenant.rest('POST', '/support/tickets', { body: { title: 'Lost', description: 'Lost' } });

/** Selects the PostgreSQL sessions that wait for a lock; in this test, the connection `holder` holds it. */
const WAITING = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`;

test.runIf(process.env.TEST_DATABASE_URL)(
  'requests whose database connection is lost inside a transaction return 503, and later requests use new connections',
  async () => {
    const { tenant, observer, holder } = await desk();
    expect((await openTicket(tenant)).status).toBe(201);
    for (let round = 0; round < 3; round += 1) {
      await holder.query('begin');
      await holder.query('lock table "support"."ticket" in exclusive mode');
      const writes = Array.from({ length: POOL_SIZE }, () => openTicket(tenant));
      await endWaiting(observer, POOL_SIZE);
      const responses = await Promise.all(writes);
      await holder.query('rollback');
      expect(responses.map(({ status, body, headers }) => [status, body.error?.code, headers.get('retry-after')])).toEqual(
        responses.map(() => [503, 'SERVICE_UNAVAILABLE', '5']),
      );
    }
    const after = await Promise.all(Array.from({ length: 2 * POOL_SIZE }, () => openTicket(tenant)));
    expect(after.map(({ status }) => status)).toEqual(after.map(() => 201));
  },
);

test.runIf(process.env.TEST_DATABASE_URL)(
  'a request whose connection is lost while it reads a record of another domain returns 503, and the failure is logged',
  async () => {
    const { tenant, platform, observer, holder } = await desk();
    const { id } = await createAccount(tenant);
    const order = { account_id: id, service_type: 'fiber', bandwidth: '500mbps', location: LOCATION };
    await holder.query('begin');
    await holder.query('lock table "identity"."account" in access exclusive mode');
    const ordering = tenant.rest('POST', '/connectivity/internet', { body: order });
    await endWaiting(observer, 1);
    const { status, body, headers } = await ordering;
    await holder.query('rollback');
    expect([status, body.error?.code, headers.get('retry-after')]).toEqual([503, 'SERVICE_UNAVAILABLE', '5']);
    expect(platform.logged.some((line) => line.includes('Operation failed'))).toBe(true);
    expect((await tenant.rest('POST', '/connectivity/internet', { body: order })).status).toBe(201);
  },
);

test.runIf(process.env.TEST_DATABASE_URL)(
  'a mutation whose connection is lost while its Idempotency-Key is stored returns 503, can be repeated, and the failure is logged',
  async () => {
    const { tenant, platform, observer, holder } = await desk();
    const body = JSON.stringify({ query: 'mutation { createTicket(input: { title: "Lost", description: "Lost" }) { id } }' });
    const headers = { ...tenant.credentials, 'content-type': 'application/json', 'idempotency-key': 'lost' };
    const send = (): Promise<Response> => fetch(`${tenant.origin}/graphql`, { method: 'POST', headers, body });
    await holder.query('begin');
    await holder.query('lock table "bridge"."idempotency_key" in exclusive mode');
    const sending = send();
    await endWaiting(observer, 1);
    const response = await sending;
    await holder.query('rollback');
    const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] };
    expect([response.status, errors[0]?.extensions.code, response.headers.get('retry-after')]).toEqual([503, 'SERVICE_UNAVAILABLE', '5']);
    expect(platform.logged.some((line) => line.includes('GraphQL request failed') && line.includes('57P01'))).toBe(true);
    const again = (await (await send()).json()) as { data: { createTicket: { id: string } } };
    expect(again.data.createTicket.id).toMatch(/^ticket_/);
  },
);
