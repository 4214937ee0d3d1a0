import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Rig, start } from '../rig.ts';
import { ownDatabase } from '../support/own-database.ts';
import { PgBouncer } from '../support/pgbouncer.ts';
import type { Tenant } from '../tenant.ts';

describe.runIf(process.env.TEST_DATABASE_URL && PgBouncer.isExpected)('platform behind PgBouncer', () => {
  let bouncer: PgBouncer;
  let pooledUrl: string;
  let directUrl: string;
  let platform: Rig;
  let tenant: Tenant;
  beforeAll(async () => {
    directUrl = (await ownDatabase()) ?? '';
    bouncer = await PgBouncer.start(directUrl);
    pooledUrl = PgBouncer.through(bouncer.host, directUrl);
    platform = await start({ DATABASE_URL: pooledUrl, DATABASE_DIRECT_URL: directUrl, DATABASE_POOL_SIZE: '3' });
    tenant = await platform.organization({ plan: 'custom' });
  }, 120_000);
  afterAll(async () => {
    await platform?.close();
    await bouncer?.[Symbol.asyncDispose]();
  });

  test('concurrent reads and writes through PgBouncer in transaction mode return 200 and 201', async () => {
    const written = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        tenant.rest('POST', '/support/tickets', { body: { title: `Ticket ${index}`, description: 'Through the pooler', priority: 'low' } }),
      ),
    );
    expect(written.map(({ status }) => status)).toEqual(written.map(() => 201));
    const paths = written.flatMap(({ body }) => [
      `/support/tickets/${body.ticket.id}`,
      `/support/tickets/${body.ticket.id}/comments`,
      '/support/tickets?limit=1&status=open',
      '/support/tickets?limit=1&status=open&priority=low',
      '/support/tickets?q=pooler',
      '/accounts',
      '/services',
    ]);
    const read = await Promise.all(paths.map((path) => tenant.rest('GET', path)));
    expect(read.map(({ status }, index) => [paths[index], status])).toEqual(paths.map((path) => [path, 200]));
  });

  test('through PgBouncer in transaction mode, reports are generated and events reach the event log', async () => {
    const { body } = await tenant.rest('POST', '/support/reports/generate', { body: { report_type: 'usage' } });
    await eventually(async () => (await tenant.rest('GET', `/support/reports/${body.report.id}`)).body.report.status === 'ready');
    await eventually(async () => (await tenant.graphql('{ events { nodes { id } } }')).data.events.nodes.length > 0);
  });

  test("the platform leaves no settings, prepared statements, channels or locks on PgBouncer's connections", async () => {
    const clients = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const client = new pg.Client({ connectionString: pooledUrl });
        await client.connect();
        return client;
      }),
    );
    // each open transaction occupies a connection of the pooler, so that several connections are checked
    const left = await Promise.all(
      clients.map(async (client) => {
        await client.query('begin');
        const { rows } = await client.query(`select
          (select array_agg(name::text) from pg_settings where source = 'session' and name not in ('application_name', 'client_encoding', 'DateStyle', 'TimeZone', 'standard_conforming_strings')) as settings,
          (select count(*)::int from pg_prepared_statements) as statements,
          (select count(*)::int from pg_listening_channels()) as channels,
          (select count(*)::int from pg_locks where pid = pg_backend_pid() and locktype = 'advisory') as locks`);
        return rows[0];
      }),
    );
    await Promise.all(clients.map((client) => client.query('rollback')));
    await Promise.all(clients.map((client) => client.end()));
    expect(left).toEqual(left.map(() => ({ settings: null, statements: 0, channels: 0, locks: 0 })));
  });

  test('behind a transaction pooler without DATABASE_DIRECT_URL, the platform does not start, and its error names this setting', async () => {
    await expect(start({ DATABASE_URL: pooledUrl })).rejects.toThrow(
      /pooler in transaction mode.*Set DATABASE_DIRECT_URL to the server itself/,
    );
    await expect(start({ DATABASE_URL: directUrl, DATABASE_DIRECT_URL: pooledUrl })).rejects.toThrow('Set DATABASE_DIRECT_URL');
  });

  test('the platform starts behind a session pooler without DATABASE_DIRECT_URL, and logs that it uses a pooler', async () => {
    await using sessions = await PgBouncer.start(directUrl, { poolMode: 'session' });
    const pooled = await start({ DATABASE_URL: PgBouncer.through(sessions.host, directUrl), DATABASE_POOL_SIZE: '1' });
    await pooled.close();
    expect(pooled.logged.filter((line) => line.includes('lead to a connection pooler'))).toHaveLength(1);
    expect(platform.logged.filter((line) => line.includes('lead to a connection pooler'))).toEqual([]);
  });

  test('the log states how many database connections the process may open', () => {
    const [line = ''] = platform.logged.filter((one) => one.includes('connections that this process may open'));
    // pooled: three for each of six subgraphs and for the jobs; direct: one for LISTEN and one for short reads
    expect(JSON.parse(line)).toMatchObject({ connections: [{ pooled: 22, direct: 2 }] });
  });
});
