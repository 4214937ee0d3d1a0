import type { EntityClass, EntityMetadata, Platform } from '@mikro-orm/core';
import { accountCondition, accountPathOf } from '../access/account-path.ts';
import type { RecordScope } from '../access/principal.ts';
import type { Orm, Rows } from '../database/database.ts';
import { PREPARED } from '../database/statements.ts';
import type { SelectedFields } from '../graphql/selected-fields.ts';
import { firstSeen, LOOKED_AT } from './first-seen.ts';
import { RecordLoader } from './loaders.ts';
import { RowMapper } from './row-mapper.ts';

/**
 * Reads records of one kind. It prepares the statements and the mapping of rows only once, and the ORM does not manage
 * the records. So it reads records two to three times as fast as the ORM. To change a record, load it in a transaction
 * with the ORM instead.
 */
export class RecordReader<T extends object> {
  readonly #rows: Rows;
  readonly #table: string;
  /**
   * Creates the SQL condition that limits rows to accounts. Undefined if the records belong to the whole organization.
   */
  readonly #within: ((alias: string, accounts: string) => string) | undefined;
  /** The column of the account id; undefined if the table has no such column. */
  readonly #account: string | undefined;
  readonly #metadata: EntityMetadata<T>;
  readonly #tableOf: (metadata: { tableName: string }) => string;
  readonly #metadataOf: (entity: EntityClass<object>) => EntityMetadata<object>;
  readonly #platform: Platform;
  readonly #eagerJoins: EagerJoin[];
  readonly #whole: Shape<T>;
  readonly #parts = new Map<string, Shape<T>>();
  readonly #byFields = new WeakMap<ReadonlySet<string>, Shape<T>>();

  constructor({ orm, rows }: { orm: Orm; rows: Rows }, entity: EntityClass<T>, eagerJoins: EagerJoins<T> = {}) {
    const metadata = orm.getMetadata();
    const { schema } = orm.config.getAll();
    this.#rows = rows;
    this.#platform = orm.em.getPlatform();
    this.#metadata = metadata.get<T>(entity);
    this.#tableOf = ({ tableName }) => `"${schema}"."${tableName}"`;
    this.#metadataOf = (child) => metadata.get(child);
    this.#table = this.#tableOf(this.#metadata);
    const path = accountPathOf(entity);
    this.#account = typeof path === 'string' ? this.#columnOf(path as keyof T & string) : undefined;
    if (path) this.#within = (alias, accounts) => accountCondition(metadata, schema ?? '', entity, alias, accounts);
    this.#eagerJoins = Object.entries(eagerJoins).map(([name, { entity: join, by }]) => {
      const its = metadata.get(join);
      return { name, table: this.#tableOf(its), column: this.#columnOf(by), map: new RowMapper(its, this.#platform) };
    });
    this.#whole = this.#shapeOf();
  }

  /** Creates the loader of one request for records that the caller sees. */
  forScope(scope: RecordScope): RecordLoader<T> {
    return new RecordLoader(this, scope);
  }

  /**
   * Returns the records in the order of `ids`; null for a record that does not exist for the caller. With `fields`,
   * only these fields are read, and accessing any other field of the record throws.
   */
  byIds(scope: RecordScope, ids: readonly string[], fields?: SelectedFields): Promise<(T | null)[]> {
    return this.byKeys(scope, 'id' as keyof T & string, ids, fields);
  }

  /** Works like `byIds`, for records that are identified by the property `by`. Its column needs an index. */
  async byKeys(
    { organizationId, accounts }: RecordScope,
    by: keyof T & string,
    keys: readonly string[],
    fields?: SelectedFields,
  ): Promise<(T | null)[]> {
    const { columns, joins, read } = fields ? this.#partOf(fields) : this.#whole;
    const isOne = keys.length === 1;
    const condition = `r."${this.#columnOf(by)}" = ${isOne ? '$2' : 'any($2)'}`;
    const values: unknown[] = [organizationId, isOne ? keys[0] : keys];
    const seen = this.#seen('r', accounts, values);
    const text = `select ${columns} from ${this.#table} r ${joins} where r."organization_id" = $1 and ${condition}${seen}`;
    const rows = await this.#rows.tuples(text, values, PREPARED);
    const found = new Map(rows.map(read).map((record) => [record[by] as string, record]));
    return keys.map((key) => found.get(key) ?? null);
  }

  /** Returns the newest `limit` records with the selected fields. The query uses an index. */
  async recent({ organizationId, accounts }: RecordScope, limit: number, fields?: SelectedFields): Promise<T[]> {
    const { columns, joins, read } = fields ? this.#partOf(fields) : this.#whole;
    const values: unknown[] = [organizationId, limit];
    const newest = 'order by r."created_at" desc, r."id" desc limit $2';
    const hasAccount = accounts !== null && this.#account !== undefined;
    if (hasAccount) values.push(accounts);
    const seen = hasAccount
      ? ` and r."id" in (select "id" from (${this.#newestOf(accounts, newest)}) ids)`
      : this.#seen('r', accounts, values);
    const text = `select ${columns} from ${this.#table} r ${joins} where r."organization_id" = $1${seen} ${newest}`;
    return (await this.#rows.tuples(text, values, PREPARED)).map(read);
  }

  /** Returns the SQL that selects the ids of the newest `$2` records of the accounts `$3`. It reads only indexes. */
  #newestOf(accounts: readonly string[], newest: string): string {
    const keys = `select r."id", r."created_at", r."${this.#account}" from ${this.#table} r where r."organization_id" = $1`;
    const everybody = `${keys} order by r."created_at" desc, r."id" desc limit $2 * ${LOOKED_AT}`;
    const merged = `select r.* from unnest($3::text[]) as a(id) cross join lateral (${keys} and r."${this.#account}" = a.id ${newest}) r ${newest}`;
    if (accounts.length === 1) return merged;
    return `${firstSeen(everybody, `s."${this.#account}" = any($3::text[])`, merged, '$2')} order by "created_at" desc, "id" desc limit $2`;
  }

  /**
   * Returns, for each key, the newest `limit` records whose property `by` equals the key and that match `only`. One
   * statement reads the records of all keys.
   */
  async newest(
    { organizationId, accounts }: RecordScope,
    by: Key<T>,
    keys: readonly string[],
    limit: number,
    only?: Only<T>,
  ): Promise<T[][]> {
    const values: unknown[] = [keys, organizationId, limit];
    const narrowed = Object.entries<string | readonly string[] | undefined>(only ?? {}).map(
      ([name, value]) => ` and n."${this.#columnOf(name as keyof T & string)}" = any($${values.push([value].flat())})`,
    );
    const seen = this.#seen('n', accounts, values);
    const { columns, joins, read } = this.#whole;
    const rows = await this.#rows.tuples(
      `select ${columns}, k.key from unnest($1::text[]) as k(key) cross join lateral (
         select n.* from ${this.#table} n where n."organization_id" = $2 and ${this.#isOf(by)}${narrowed.join('')}${seen}
         order by n."created_at" desc, n."id" desc limit $3
       ) r ${joins}`,
      values,
    );
    return inGroups(keys, rows, read);
  }

  /**
   * Returns, for each owner, all records whose property `by` contains the id of the owner, in the order of `orderBy`
   * (default: oldest first). Use it only if an owner has few records. One statement reads the records of all owners.
   */
  async of(
    { organizationId, accounts }: RecordScope,
    by: keyof T & string,
    owners: readonly string[],
    orderBy: readonly (keyof T & string)[],
  ): Promise<T[][]> {
    const { columns, joins, read } = this.#whole;
    const owner = `r."${this.#columnOf(by)}"`;
    const order = (orderBy.length > 0 ? orderBy : OLDEST_FIRST).map((name) => `r."${columnOf(this.#metadata, name)}"`);
    const values: unknown[] = [organizationId, owners];
    const seen = this.#seen('r', accounts, values);
    const text = `select ${columns}, ${owner} from ${this.#table} r ${joins} where r."organization_id" = $1 and ${owner} = any($2)${seen} order by ${order}`;
    return inGroups(owners, await this.#rows.tuples(text, values), read);
  }

  /** Returns the SQL condition that is true if the property `by` of the record `n` equals the key `k.key`. */
  #isOf(by: Key<T>): string {
    if (typeof by === 'string') return `n."${this.#columnOf(by)}" = k.key`;
    const child = this.#metadataOf(by.child);
    const column = (name: string): string => `c."${columnOf(child, name)}"`;
    return `n."id" in (select ${column(by.owner)} from ${this.#tableOf(child)} c
      where ${column('organizationId')} = $2 and ${column(by.property)} = k.key)`;
  }

  /**
   * Returns the SQL condition that limits a query to records of these accounts. Empty if `accounts` is null, because
   * the caller sees all accounts.
   */
  #seen(alias: string, accounts: readonly string[] | null, values: unknown[]): string {
    return accounts && this.#within ? ` and ${this.#within(alias, `$${values.push(accounts)}::text[]`)}` : '';
  }

  #columnOf(property: keyof T & string): string {
    return columnOf(this.#metadata, property);
  }

  #partOf(fields: ReadonlySet<string>): Shape<T> {
    let part = this.#byFields.get(fields);
    if (!part) {
      part = this.#newPart(fields);
      this.#byFields.set(fields, part);
    }
    return part;
  }

  /**
   * Returns the shape that reads these fields. The shape reads the whole record if one of the fields is not a property, because this field
   * may need any property, or if there are already `MAX_PARTS` shapes.
   */
  #newPart(fields: ReadonlySet<string>): Shape<T> {
    const isField = (name: string): boolean => name in this.#metadata.properties || this.#eagerJoins.some((one) => one.name === name);
    if (![...fields].every(isField)) return this.#whole;
    const wanted = new Set([...PAGED_BY, ...fields]);
    const names = [...wanted].sort().join();
    const known = this.#parts.get(names);
    if (known || this.#parts.size === MAX_PARTS) return known ?? this.#whole;
    const part = this.#shapeOf(wanted);
    this.#parts.set(names, part);
    return part;
  }

  #shapeOf(fields?: SelectedFields): Shape<T> {
    const map = new RowMapper(this.#metadata, this.#platform, fields);
    const eagerJoins = this.#eagerJoins.filter((join) => !fields || fields.has(join.name));
    return {
      // names each column instead of `*`, because a prepared statement must not change when a newer process adds a
      // column
      columns: [map.columns('r'), ...eagerJoins.map((join) => join.map.columns(`"${join.name}"`))].join(', '),
      joins: eagerJoins
        .map(
          ({ name: its, table, column }) =>
            `left join ${table} "${its}" on "${its}"."id" = r."${column}" and "${its}"."organization_id" = r."organization_id"`,
        )
        .join(' '),
      read(row) {
        const record = map.read(row);
        let first = map.width;
        for (const join of eagerJoins) {
          (record as Record<string, unknown>)[join.name] = join.map.readJoined(row, first);
          first += join.map.width;
        }
        return record;
      },
    };
  }
}

/** Fields that are always read, because the cursor to the next page needs them. */
const PAGED_BY = ['id', 'createdAt'];
const OLDEST_FIRST = ['createdAt', 'id'];

/**
 * Maximum number of shapes. Each shape has prepared statements, and callers choose the fields. Beyond the maximum,
 * whole records are read.
 */
const MAX_PARTS = 64;

/** The selected columns and joins, and the conversion of a row to a record. */
interface Shape<T> {
  columns: string;
  joins: string;
  read(row: readonly unknown[]): T;
}

/**
 * The property whose value is compared with the keys of `RecordReader.newest`. It is a property of the record, or of
 * child rows. The `owner` property of a child row contains the id of the record.
 */
export type Key<T> = (keyof T & string) | ChildKey;

interface ChildKey {
  child: EntityClass<object>;
  owner: string;
  property: string;
}

const columnOf = <T>({ properties }: EntityMetadata<T>, name: string): string =>
  (properties[name as never] as { fieldNames: string[] }).fieldNames[0] ?? name;

/** Groups rows by key. The key is the last value of each row. */
function inGroups<T>(keys: readonly string[], rows: readonly (readonly unknown[])[], read: (row: readonly unknown[]) => T): T[][] {
  const groups = new Map<unknown, T[]>(keys.map((key) => [key, []]));
  for (const row of rows) groups.get(row.at(-1))?.push(read(row));
  return keys.map((key) => groups.get(key) ?? []);
}

/** The allowed values of some properties. Records with other values are not returned. */
export type Only<T> = Readonly<Partial<Record<keyof T & string, string | readonly string[]>>>;

/**
 * The related records that the statement joins, by the name of the property that contains the related record. Their
 * tables must be in the same database schema.
 */
export type EagerJoins<T> = Readonly<Record<string, { entity: EntityClass<{ id: string }>; by: keyof T & string }>>;

interface EagerJoin {
  name: string;
  table: string;
  column: string;
  map: RowMapper<object>;
}
