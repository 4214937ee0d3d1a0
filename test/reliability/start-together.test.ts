import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { eventually } from '../rig.ts';
import { ownDatabase } from '../support/own-database.ts';
import { MIGRATE_TOOL, originOf, type RunningProcess, runPlatform, runProgram, temporaryFolder } from '../support/process.ts';

const SECRET_KEY = 'k'.repeat(32);
const environment = (DATABASE_URL: string, more: Record<string, string> = {}) => ({
  DATABASE_URL,
  SECRET_KEY,
  DATABASE_POOL_SIZE: '1',
  DATA_DIR: temporaryFolder(),
  ...more,
});
const onPort0 = (url: string, more: Record<string, string> = {}): RunningProcess => runPlatform(['--port', '0'], environment(url, more));
const migrate = (url: string, ...args: string[]): RunningProcess => runProgram(MIGRATE_TOOL, args, environment(url));

async function emptyDatabaseUrl(): Promise<string> {
  const url = await ownDatabase();
  if (!url) throw new Error('There is no PostgreSQL server.');
  return url;
}

async function onServer<T>(connectionString: string, act: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}

describe.runIf(process.env.TEST_DATABASE_URL)('starts on an empty database', () => {
  test('three platforms that start together on an empty database become ready, and one of them creates the administrator', async () => {
    const url = await emptyDatabaseUrl();
    const processes = [1, 2, 3].map(() => onPort0(url));
    for (const one of processes) expect((await fetch(`${await originOf(one)}/readyz`)).status).toBe(200);
    expect(processes.filter(({ stdout }) => stdout.includes('First start: store these credentials'))).toHaveLength(1);
  }, 180_000);

  test('npm run migrate completes migrations that were interrupted by a kill', async () => {
    const url = await emptyDatabaseUrl();
    const killed = migrate(url);
    await onServer(url, (client) =>
      eventually(async () => (await client.query(`select from pg_namespace where nspname = 'support'`)).rowCount),
    );
    killed.kill('SIGKILL');
    await killed.exited;
    const { code, stderr } = await migrate(url).exited;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect((await migrate(url, '--status').exited).stdout).toBe('The databases are up to date.\n');
  }, 180_000);

  test('the platform prints one line and exits with 1 if the database is read-only', async () => {
    const url = await emptyDatabaseUrl();
    await onServer(url, (client) =>
      client.query(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`),
    );
    const { code, stderr } = await onPort0(url).exited;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^The database \S+ cannot be used: it is read-only, as a standby server is\. Check DATABASE_URL\.\n$/),
    });
  });

  test('with MIGRATE=never the platform exits with 1 until npm run migrate has run, and then needs no right to create schemas', async () => {
    const url = await emptyDatabaseUrl();
    const refused = await onPort0(url, { MIGRATE: 'never' }).exited;
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /^The database is older than this release, and MIGRATE is never: the schema identity is at nothing, this release needs \d{4}-[\w-]+; .+ Run npm run migrate\.\n$/,
    );
    const status = await migrate(url, '--status').exited;
    expect([status.code, status.stdout]).toEqual([2, expect.stringMatching(/^Pending:\n {2}identity +nothing → \d{4}-/)]);
    expect((await migrate(url).exited).stdout).toMatch(/^Applied:\n {2}identity +nothing → /);

    await onServer(url, (client) => client.query(limitedRole(new URL(url).pathname.slice(1))));
    const limited = new URL(url);
    limited.username = roleOf(url);
    const platform = onPort0(limited.href, { MIGRATE: 'never' });
    expect((await fetch(`${await originOf(platform)}/readyz`)).status).toBe(200);
    platform.kill('SIGKILL');
    await platform.exited;
    // a role belongs to the server and not to the test database, so the test must drop it
    await onServer(url, (client) =>
      client.query(`reassign owned by ${roleOf(url)} to current_user; drop owned by ${roleOf(url)}; drop role ${roleOf(url)}`),
    );
  }, 180_000);
});

const roleOf = (url: string): string => `limited_${new URL(url).pathname.slice(1)}`;

/** SQL for a role that owns the schemas of the platform and cannot create other schemas. */
function limitedRole(database: string): string {
  return `create role limited_${database} login;
    revoke create on database ${database} from public;
    do $$ declare s text; t record; begin
      for s in select nspname from pg_namespace where nspname in ('identity', 'services', 'billing', 'support', 'monitoring', 'events', 'bridge', 'platform', 'pgboss') loop
        execute format('alter schema %I owner to limited_${database}', s);
        for t in select c.relname, c.relkind from pg_class c join pg_namespace n on n.oid = c.relnamespace
          where n.nspname = s and c.relkind in ('r', 'p', 'S', 'v') and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('a', 'i') and c.relkind = 'S') loop
          execute format('alter %s %I.%I owner to limited_${database}', case t.relkind when 'S' then 'sequence' when 'v' then 'view' else 'table' end, s, t.relname);
        end loop;
        for t in select p.oid::regprocedure as f from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = s loop
          execute format('alter function %s owner to limited_${database}', t.f);
        end loop;
        for t in select y.typname from pg_type y join pg_namespace n on n.oid = y.typnamespace where n.nspname = s and y.typtype = 'e' loop
          execute format('alter type %I.%I owner to limited_${database}', s, t.typname);
        end loop;
      end loop;
    end $$`;
}
