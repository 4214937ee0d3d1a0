import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually, type Rig, start } from '../rig.ts';
import { DatabaseProxy } from '../support/database-proxy.ts';
import { ownDatabase } from '../support/own-database.ts';
import { type RestResponse, Tenant } from '../tenant.ts';

interface World {
  platform: Rig;
  tenant: Tenant;
  proxy: DatabaseProxy;
  /** A direct connection to PostgreSQL that does not use the proxy. */
  server: pg.Client;
}

async function world(): Promise<World> {
  const url = await ownDatabase();
  const proxy = await DatabaseProxy.start(url ?? '');
  const server = new pg.Client({ connectionString: url });
  await server.connect();
  onTestFinished(() => server.end());
  const platform = await start({ DATABASE_URL: proxy.url });
  onTestFinished(() => platform.close());
  return { platform, proxy, server, tenant: await platform.organization({ plan: 'custom' }) };
}

const TICKET = { title: 'No light', description: 'Since noon' };
const openTicket = (tenant: Tenant, headers = {}): Promise<RestResponse> =>
  tenant.rest('POST', '/support/tickets', { body: TICKET, headers });
const readiness = async ({ origin }: Rig): Promise<number> => (await fetch(`${origin}/readyz`)).status;
const UNAVAILABLE = [503, 'SERVICE_UNAVAILABLE', '5'];
const shown = ({ status, body, headers }: RestResponse): unknown[] => [status, body.error?.code, headers.get('retry-after')];

describe.runIf(process.env.TEST_DATABASE_URL)('unavailable database', () => {
  test('while the database is unavailable, REST, GraphQL, OAuth and SAML return 503 with Retry-After', async () => {
    const { platform, tenant, proxy } = await world();
    const { origin } = platform;
    expect((await openTicket(tenant)).status).toBe(201);
    proxy.disconnect();

    expect(shown(await tenant.rest('GET', '/support/tickets'))).toEqual(UNAVAILABLE);
    expect(shown(await openTicket(tenant, { 'idempotency-key': 'while-away' }))).toEqual(UNAVAILABLE);
    const { errors, headers } = await tenant.graphql('{ tickets { nodes { id } } }');
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['SERVICE_UNAVAILABLE']);
    expect(headers.get('retry-after')).toBe('5');
    // an API key that is not cached
    const stranger = new Tenant(origin, tenant.organizationId, tenant.apiKey.replace(/.{8}$/, 'x'.repeat(8)));
    expect(shown(await stranger.rest('GET', '/support/tickets'))).toEqual(UNAVAILABLE);
    expect((await stranger.graphql('{ tickets { nodes { id } } }')).errors?.[0]?.extensions.code).toBe('SERVICE_UNAVAILABLE');

    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: 'client_nobody', client_secret: 'x' });
    const token = await fetch(`${origin}/oauth/token`, { method: 'POST', body: form });
    expect([token.status, token.headers.get('retry-after'), ((await token.json()) as { error: string }).error]).toEqual([
      503,
      '5',
      'temporarily_unavailable',
    ]);
    const page = await fetch(`${origin}/oauth/authorize?client_id=client_nobody&response_type=code`);
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5']);
    expect(page.headers.get('content-type')).toContain('text/html');
    const saml = await fetch(`${origin}/saml/sso?email=somebody@example.com`, { redirect: 'manual' });
    expect([saml.status, saml.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await readiness(platform)).toBe(503);

    proxy.reconnect();
    await eventually(async () => (await readiness(platform)) === 200);
    expect((await openTicket(tenant, { 'idempotency-key': 'while-away' })).status).toBe(201);
    expect((await tenant.graphql('{ tickets { nodes { id } } }')).data.tickets.nodes).toHaveLength(2);
  });

  test('a socket whose credentials cannot be checked because the database is unavailable is closed with 1013', async () => {
    const { platform, tenant, proxy } = await world();
    proxy.disconnect();
    const client = new Tenant(platform.origin, tenant.organizationId, tenant.apiKey.replace(/.{8}$/, 'x'.repeat(8))).socket();
    onTestFinished(() => void client.dispose());
    const closed = new Promise<number>((resolve) => client.on('closed', (event) => resolve((event as CloseEvent).code)));
    client.subscribe(
      { query: '{ tickets { nodes { id } } }' },
      { next: () => undefined, error: () => undefined, complete: () => undefined },
    );
    expect(await closed).toBe(1013);
  });

  test('a platform can be closed while the database is unavailable', async () => {
    const { platform, tenant, proxy } = await world();
    // the relay and the consumers have their leases
    expect((await openTicket(tenant)).status).toBe(201);
    proxy.disconnect();
    await platform.close();
    await expect(fetch(`${platform.origin}/readyz`)).rejects.toThrow('fetch failed');
  });

  test('with a read-only database, /readyz and changes return 503, and reads return 200', async () => {
    const { platform, tenant, server } = await world();
    expect(await readiness(platform)).toBe(200);
    const { database } = server;
    const restart = (value: string) =>
      server.query(`alter database ${database} set default_transaction_read_only = ${value};
        select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`);
    await restart('on');
    await eventually(async () => (await tenant.rest('GET', '/support/tickets')).status === 200);
    await eventually(async () => (await readiness(platform)) === 503);
    expect(shown(await openTicket(tenant))).toEqual(UNAVAILABLE);
    await server.query('set default_transaction_read_only = off');
    await restart('off');
    await eventually(async () => (await readiness(platform)) === 200);
    expect((await openTicket(tenant)).status).toBe(201);
  });

  test('a request that gets no database connection within the time limit returns 503 SERVICE_UNAVAILABLE', async () => {
    const { platform, tenant, server } = await world();
    await server.query('begin');
    await server.query('lock table "support"."ticket" in exclusive mode');
    // the pool of this platform has one connection
    const responses = [openTicket(tenant), openTicket(tenant), openTicket(tenant)];
    const first = await Promise.race(responses);
    expect(shown(first)).toEqual(UNAVAILABLE);
    await server.query('rollback');
    const statuses = (await Promise.all(responses)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([201, 503, 503]);
    await eventually(async () => (await readiness(platform)) === 200);
    expect((await openTicket(tenant)).status).toBe(201);
  });

  test('reading from a locked table returns 503, and reading from other tables returns 200', async () => {
    const { tenant, server } = await world();
    const { ticket } = (await openTicket(tenant)).body;
    const account = (await tenant.rest('POST', '/accounts', { body: { name: 'Hudson', email: 'it@hudson.example' } })).body.data;
    await server.query('begin');
    await server.query('lock table "support"."ticket" in access exclusive mode');
    const locked = tenant.rest('GET', `/support/tickets/${ticket.id}`);
    const behind = tenant.rest('GET', `/accounts/${account.id}`);
    const refused = await locked;
    expect([refused.status, refused.body.error?.code, Number(refused.headers.get('retry-after'))]).toEqual([503, 'SERVICE_UNAVAILABLE', 1]);
    expect((await behind).status).toBe(200);
    await server.query('rollback');
    expect((await tenant.rest('GET', `/support/tickets/${ticket.id}`)).status).toBe(200);
  });

  test('changes and /readyz return 503 while the disk of the database is full', async () => {
    const { platform, tenant, server } = await world();
    await server.query(`create function full_disk() returns trigger language plpgsql as
      $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`);
    for (const table of ['ticket', 'inbox'])
      await server.query(`create trigger full_disk before insert on "support"."${table}" execute function full_disk()`);
    expect(shown(await openTicket(tenant))).toEqual(UNAVAILABLE);
    await eventually(async () => (await readiness(platform)) === 503);
    for (const table of ['ticket', 'inbox']) await server.query(`drop trigger full_disk on "support"."${table}"`);
    await eventually(async () => (await readiness(platform)) === 200);
    expect((await openTicket(tenant)).status).toBe(201);
  });
});
