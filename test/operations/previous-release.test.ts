import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Release, releases, restore } from '../releases/release.ts';
import { ownDatabase } from '../support/own-database.ts';
import { MIGRATE_TOOL, runProgram, temporaryFolder } from '../support/process.ts';

const DOMAINS = ['identity', 'services', 'billing', 'support', 'events', 'monitoring'];

interface Column {
  table: string;
  column: string;
  type: string;
  is_generated: boolean;
  /** True if a row can be inserted without a value for this column. */
  is_optional: boolean;
}

const COLUMNS = `
  select n.nspname || '.' || c.relname as "table", a.attname as "column", format_type(a.atttypid, a.atttypmod) as "type",
    a.attgenerated <> '' as "is_generated", not a.attnotnull or a.atthasdef or a.attidentity <> '' as "is_optional"
  from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
  where n.nspname = any($1) and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'migration'
    and a.attnum > 0 and not a.attisdropped order by 1, a.attnum`;

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Restores the recorded database twice, and migrates one of them to the schema of this release. */
async function databasesOf(release: Release): Promise<{ before: pg.Client; after: pg.Client }> {
  const { name } = release;
  const [old, migrated] = [(await ownDatabase()) as string, (await ownDatabase()) as string];
  await restore(name, old);
  await restore(name, migrated);
  const { code, stderr } = await runProgram(MIGRATE_TOOL, [], {
    DATABASE_URL: migrated,
    DATA_DIR: temporaryFolder(),
    SECRET_KEY: release.postgres.secretKey ?? '',
  }).exited;
  expect([code, code === 0 ? '' : stderr]).toEqual([0, '']);
  return { before: await connect(old), after: await connect(migrated) };
}

const columnsOf = async (client: pg.Client): Promise<Column[]> => (await client.query<Column>(COLUMNS, [DOMAINS])).rows;
const quoted = (name: string): string => name.split('.').map(pg.escapeIdentifier).join('.');

/**
 * During an upgrade, processes of the previous release run on the schema of this release. They name all columns that they
 * know, and no others.
 */
describe.runIf(process.env.TEST_DATABASE_URL).each(
  releases()
    .slice(-1)
    .map((release) => [release.name, release] as const),
)('a process of the previous release (%s) on the schema of this release', (_, release) => {
  test('finds all its tables and columns, and can insert rows without the new columns', { timeout: 180_000 }, async () => {
    const { before, after } = await databasesOf(release);
    const [known, now] = [await columnsOf(before), await columnsOf(after)];
    const found = new Map(now.map((one) => [`${one.table}.${one.column}`, one.type]));
    expect(known.filter(({ table, column, type }) => found.get(`${table}.${column}`) !== type)).toEqual([]);
    const tables = new Set(known.map(({ table }) => table));
    const names = new Set(known.map(({ table, column }) => `${table}.${column}`));
    const added = now.filter(({ table, column }) => tables.has(table) && !names.has(`${table}.${column}`));
    expect(added.filter(({ is_optional: isOptional, is_generated: isGenerated }) => !isOptional && !isGenerated)).toEqual([]);
  });

  test('can insert the rows that it wrote before', { timeout: 180_000 }, async () => {
    const { before, after } = await databasesOf(release);
    // rows are written table by table, so references to other tables are not checked
    await after.query('set session_replication_role = replica');
    const written: string[] = [];
    for (const [table, columns] of Map.groupBy(await columnsOf(before), (column) => column.table)) {
      const { rows } = await before.query<{ rows: string | null }>(`select json_agg(t)::text as "rows" from ${quoted(table)} t`);
      const [{ rows: records } = { rows: null }] = rows;
      if (records === null) continue;
      const list = columns
        .filter(({ is_generated: isGenerated }) => !isGenerated)
        .map(({ column }) => pg.escapeIdentifier(column))
        .join(', ');
      await after.query(`delete from ${quoted(table)}`);
      const { rowCount } = await after.query(
        `insert into ${quoted(table)} (${list}) overriding system value select ${list} from json_populate_recordset(null::${quoted(table)}, $1)`,
        [records],
      );
      expect(rowCount, table).toBe(JSON.parse(records).length);
      written.push(table);
    }
    for (const domain of DOMAINS)
      expect(
        written.some((table) => table.startsWith(`${domain}.`)),
        domain,
      ).toBe(true);
    expect(written).toEqual(expect.arrayContaining(['monitoring.metric', 'monitoring.series', 'monitoring.sample', 'monitoring.incident']));
  });
});
