import type { Rows } from '../../kernel/database/database.ts';
import { rig } from '../rig.ts';

/** Direct SQL access to the database of the rig, without the rules of the platform. */
export async function rows(): Promise<Rows> {
  const { assembly } = await rig();
  const probe = probes.get(assembly) ?? assembly.databases.storeOf({ schema: 'test_probe', entities: [], migrations: [] });
  probes.set(assembly, probe);
  return (await probe).rows;
}

/** The access to the database of each platform, because a test may start another platform than the shared one. */
const probes = new WeakMap<object, Promise<{ rows: Rows }>>();

export interface OneTable {
  /** Sets a column of the row whose column `where` has the value `is`. Fails if there is no such row. */
  set(column: string, value: string | null, where: string, is: string): Promise<void>;
}

/** Direct access to one table, such as `support.ticket`. */
export async function onlyTable(table: string): Promise<OneTable> {
  const all = await rows();
  return {
    async set(column, value, where, is) {
      const changed = await all.query(`update ${table} set "${column}" = $1 where "${where}" = $2 returning 1 as one`, [value, is]);
      if (changed.length === 0) throw new Error(`No row of ${table} has ${is} as its ${where}.`);
    },
  };
}

/**
 * Inserts copies of a record with new ids and new values in the columns `distinct`, and returns the ids. It is for data that
 * operations cannot create, or create only slowly.
 */
export async function copiesOf(table: string, id: string, count: number, ...distinct: string[]): Promise<string[]> {
  const copied = await (await rows()).query<{ id: string }>(
    `insert into ${table} select (jsonb_populate_record(r, changed.members)).*
     from ${table} r, generate_series(1, $2::int) n,
       lateral (select jsonb_object_agg(c, to_jsonb(r)->>c || 'x' || n) as members from unnest($3::text[]) c) changed
     where r.id = $1 returning id`,
    [id, count, ['id', ...distinct]],
  );
  return copied.map((row) => row.id);
}

/** The names of all tables of all schemas, such as `support.ticket`. */
export async function tables(): Promise<string[]> {
  const found = await (await rows()).query<{ name: string }>(
    `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
    [],
  );
  return found.map(({ name }) => name);
}

/** The number of rows of a table that contain a text in any column. */
export async function rowsWith(table: string, text: string): Promise<number> {
  const [row] = await (await rows()).query<{ count: number }>(
    `select count(*)::int as count from ${table} r where strpos(r::text, $1) > 0`,
    [text],
  );
  return row?.count ?? 0;
}
