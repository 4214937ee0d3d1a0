import type { Rows } from '../../kernel/database/database.ts';
import { rig } from '../rig.ts';

/** Returns direct SQL access to the database of the rig, without the rules of the platform. */
export async function rows(): Promise<Rows> {
  const { assembly } = await rig();
  const probe = probes.get(assembly) ?? assembly.databases.storeOf({ schema: 'test_probe', entities: [], migrations: [] });
  probes.set(assembly, probe);
  return (await probe).rows;
}

/** Database access by platform, because a test may start another platform than the shared platform. */
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

/**
 * Returns the names of all tables of all schemas, such as `support.ticket`. Partitions are not listed: their rows are read through
 * their table, and a background task can drop them at any time.
 */
export async function tables(): Promise<string[]> {
  const found = await (await rows()).query<{ name: string }>(
    `select quote_ident(n.nspname) || '.' || quote_ident(c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'`,
    [],
  );
  return found.map(({ name }) => name);
}

/** Returns those of the texts that a row of a table contains in any column. */
export async function textsIn(table: string, texts: readonly string[]): Promise<string[]> {
  const found = await (await rows()).query<{ text: string }>(
    `select t."text" from unnest($1::text[]) t("text") where exists (select 1 from ${table} r where strpos(r::text, t."text") > 0)`,
    [texts],
  );
  return found.map(({ text }) => text);
}

/** The number of rows of a table that contain a text in any column. */
export async function rowsWith(table: string, text: string): Promise<number> {
  const [row] = await (await rows()).query<{ count: number }>(
    `select count(*)::int as count from ${table} r where strpos(r::text, $1) > 0`,
    [text],
  );
  return row?.count ?? 0;
}
