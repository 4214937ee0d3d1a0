import type { Statements } from './session.ts';

/** An object of a schema (column, constraint, index …), as described in the PostgreSQL catalog. */
interface CatalogEntry {
  /** Kind and name of the object, such as `column ticket.sla_due_at`. */
  what: string;
  definition: string;
  /** The table of the object; null if it belongs to no table. */
  table: string | null;
  /** True if the object can make a write fail, as a constraint does. */
  restricts: boolean;
}

/**
 * Lists the columns, constraints, indexes, triggers, functions and sequences of a schema. Omits partitions, which are
 * created and dropped over time, and the table `migration`.
 */
export function describeSchema(tx: Statements, schema: string): Promise<CatalogEntry[]> {
  return tx.query<CatalogEntry>(CATALOG, [schema]);
}

/**
 * Returns the differences between the expected and the actual objects of a schema. Additional objects, such as an index
 * or a table, are accepted unless they can make writes fail.
 */
export function differences(expected: readonly CatalogEntry[], actual: readonly CatalogEntry[]): string[] {
  const found = new Map(actual.map((entry) => [entry.what, entry]));
  const wanted = new Set(expected.map(({ what }) => what));
  const tables = new Set(expected.map(({ table }) => table));
  const missing = expected.flatMap(({ what, definition }) => {
    const entry = found.get(what);
    if (!entry) return [`${what} is missing`];
    return comparable(entry.definition) === comparable(definition) ? [] : [`${what} is different`];
  });
  const extra = actual.filter(({ what, table, restricts }) => restricts && tables.has(table) && !wanted.has(what));
  return [...missing, ...extra.map(({ what }) => `${what} is not expected`)];
}

/**
 * Removes parentheses and spaces from a definition, because versions of PostgreSQL put different parentheses around
 * expressions.
 */
const comparable = (definition: string): string => definition.replace(/[()\s]/g, '');

/**
 * Returns an SQL expression that removes the schema of operator classes from a definition. PostgreSQL writes this
 * schema only if it is not in the search path of the session.
 */
const withoutOpclassSchema = (definition: string) => `regexp_replace(${definition}, '\\w+\\.(\\w+_ops)', '\\1', 'g')`;

const CATALOG = `
  with tables as (
    select c.oid, c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = $1 and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'migration'
  )
  select format('column %s.%s', t.relname, a.attname) as what, t.relname as "table",
    concat_ws(' ', format_type(a.atttypid, a.atttypmod), case when a.attnotnull then 'not null' end,
      nullif(a.attidentity, ''), nullif(a.attgenerated, ''), pg_get_expr(d.adbin, d.adrelid)) as definition,
    a.attnotnull and d.oid is null and a.attidentity = '' as restricts
  from tables t join pg_attribute a on a.attrelid = t.oid left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
  where a.attnum > 0 and not a.attisdropped
  union all
  select format('constraint %s.%s', t.relname, k.conname), t.relname, pg_get_constraintdef(k.oid), true
  from tables t join pg_constraint k on k.conrelid = t.oid
  where k.contype in ('p', 'u', 'f', 'c', 'x')
  union all
  select format('index %s', i.relname), t.relname, ${withoutOpclassSchema('pg_get_indexdef(x.indexrelid)')}, x.indisunique
  from tables t join pg_index x on x.indrelid = t.oid join pg_class i on i.oid = x.indexrelid
  where not exists (select from pg_constraint k where k.conindid = x.indexrelid)
  union all
  select format('trigger %s.%s', t.relname, g.tgname), t.relname, pg_get_triggerdef(g.oid), true
  from tables t join pg_trigger g on g.tgrelid = t.oid
  where not g.tgisinternal
  union all
  select format('function %s(%s)', p.proname, pg_get_function_identity_arguments(p.oid)), null,
    concat_ws(' ', pg_get_function_result(p.oid), (select l.lanname from pg_language l where l.oid = p.prolang), p.provolatile, p.proconfig::text, p.prosrc), false
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname = $1
  union all
  select format('sequence %s', c.relname), null, 'sequence', false
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relkind = 'S' and c.relname <> 'migration_id_seq'`;
