import { expect, test } from 'vitest';
import { domains } from '../../apps/platform/domains.ts';
import type { SealedColumn } from '../../kernel/access/sealed-column.ts';
import type { OrganizationTable } from '../../kernel/records/organization-data.ts';
import { rows } from '../support/tables.ts';

/** Tables that exist in every schema; their rows are short-lived or belong to no organization. */
const EVERYWHERE = ['outbox', 'inbox', 'migration', 'backfill'];
/** Schemas that belong to no domain, each with its contents and how long they are kept. */
const OTHER_SCHEMAS = {
  bridge: 'responses to repeated requests, for a day',
  pgboss: 'jobs, for a day after they ended',
  platform: 'a check value of the secret key',
  test_probe: 'used by tests only',
};
const SOUNDS_SECRET = /secret|hash|password|sealed|token|digest|hint|key$/;

const all = Object.values(domains);

async function columnsOf(schema: string): Promise<Map<string, string[]>> {
  const found = await (await rows()).query<{ table_name: string; column_name: string }>(
    `select table_name, column_name from information_schema.columns c
     where table_schema = $1 and not exists (select from pg_inherits where inhrelid = format('%I.%I', table_schema, table_name)::regclass)`,
    [schema],
  );
  const byTable = Map.groupBy(found, ({ table_name }) => table_name);
  return new Map([...byTable].map(([table, columns]) => [table, columns.map(({ column_name }) => column_name)]));
}

test('the organizationData of each domain declares every table exactly once, except the tables that all schemas have', async () => {
  for (const { name, organizationData } of all) {
    const stated = [...organizationData.tables.map(({ table }) => table), ...Object.keys(organizationData.others), ...EVERYWHERE];
    const there = [...(await columnsOf(name)).keys(), ...EVERYWHERE];
    expect([...new Set(there)].sort(), name).toEqual([...new Set(stated)].sort());
    expect(new Set(stated).size, name).toBe(stated.length);
  }
});

test('every database schema belongs to a domain or is listed as an exception with a reason', async () => {
  const found = await (await rows()).query<{ schema: string }>(
    `select distinct table_schema as schema from information_schema.tables where table_schema not in ('pg_catalog', 'information_schema')`,
    [],
  );
  const known = [...Object.keys(OTHER_SCHEMAS), ...all.map(({ name }) => name)];
  for (const { schema } of found) expect(known).toContain(schema);
});

test('a table whose rows are not deleted with the organization declares what happens to each column', async () => {
  for (const { name, organizationData } of all) {
    const columns = await columnsOf(name);
    for (const { table, end } of organizationData.tables)
      if (end !== 'deleted') expect(Object.keys(end).sort(), `${name}.${table}`).toEqual(columns.get(table)?.toSorted());
  }
});

test('an export contains no column whose name suggests a secret, unless the column is declared harmless', async () => {
  for (const domain of all) {
    const { name, organizationData } = domain;
    const columns = await columnsOf(name);
    const { sealed = [] }: { sealed?: readonly SealedColumn[] } = domain;
    for (const { table, withheld = [], harmless = [] } of organizationData.tables as OrganizationTable[]) {
      if (withheld === 'all') continue;
      const secrets = columns.get(table)?.filter((column) => SOUNDS_SECRET.test(column) && !harmless.includes(column)) ?? [];
      const sealedHere = sealed.filter((one) => one.table === table).map(({ column }) => column);
      for (const column of [...secrets, ...sealedHere]) expect(withheld, `${name}.${table}.${column}`).toContain(column);
      for (const column of [...withheld, ...harmless]) expect(columns.get(table), `${name}.${table}`).toContain(column);
    }
  }
});
