import type { EntityClass, EntityMetadata, Platform } from '@mikro-orm/core';
import type { Orm, Rows } from '../database/database.ts';
import { PREPARED } from '../database/statements.ts';
import type { Members } from '../graphql/members.ts';
import { RecordLoader } from './loaders.ts';
import { RowMapper } from './row-mapper.ts';

/**
 * How the records of one kind are read, prepared once: the statements and the mapping of their rows. What it reads is not
 * managed by the ORM, which makes a read two to three times as fast; to change a record, find it in a transaction.
 */
export class RecordReader<T extends { id: string }> {
  readonly #rows: Rows;
  readonly #table: string;
  readonly #metadata: EntityMetadata<T>;
  readonly #platform: Platform;
  readonly #companions: Companion[];
  readonly #whole: Shape<T>;
  readonly #parts = new Map<string, Shape<T>>();
  readonly #byMembers = new WeakMap<ReadonlySet<string>, Shape<T>>();

  constructor({ orm, rows }: { orm: Orm; rows: Rows }, entity: EntityClass<T>, companions: Companions<T> = {}) {
    const metadata = orm.getMetadata();
    const { schema } = orm.config.getAll();
    this.#rows = rows;
    this.#platform = orm.em.getPlatform();
    this.#metadata = metadata.get<T>(entity);
    this.#table = `"${schema}"."${this.#metadata.tableName}"`;
    this.#companions = Object.entries(companions).map(([name, { entity: companion, by }]) => {
      const its = metadata.get(companion);
      return { name, table: `"${schema}"."${its.tableName}"`, column: this.#columnOf(by), map: new RowMapper(its, this.#platform) };
    });
    this.#whole = this.#shapeOf();
  }

  /** The batched reads of one request. */
  forOrganization(organizationId: string): RecordLoader<T> {
    return new RecordLoader(this, organizationId);
  }

  /** `members`: those that are wanted of each; another one throws when it is asked for. */
  async byIds(organizationId: string, ids: readonly string[], members?: Members): Promise<(T | null)[]> {
    const { columns, joins, read } = members ? this.#partOf(members) : this.#whole;
    const isOne = ids.length === 1;
    const condition = isOne ? 'r."id" = $2' : 'r."id" = any($2)';
    const text = `select ${columns} from ${this.#table} r ${joins} where r."organization_id" = $1 and ${condition}`;
    const rows = await this.#rows.tuples(text, [organizationId, isOne ? ids[0] : ids], PREPARED);
    const found = new Map(rows.map(read).map((record) => [record.id, record]));
    return ids.map((id) => found.get(id) ?? null);
  }

  /** The organization's newest `limit`, with the members that are wanted of each. By its index, however many there are. */
  async recent(organizationId: string, limit: number, members?: Members): Promise<T[]> {
    const { columns, joins, read } = members ? this.#partOf(members) : this.#whole;
    const text = `select ${columns} from ${this.#table} r ${joins} where r."organization_id" = $1
      order by r."created_at" desc, r."id" desc limit $2`;
    return (await this.#rows.tuples(text, [organizationId, limit], PREPARED)).map(read);
  }

  /** The newest `limit` records for each key, in one statement; of them those whose properties are as `only` says. */
  async newest(organizationId: string, property: keyof T & string, keys: readonly string[], limit: number, only?: Only<T>): Promise<T[][]> {
    const values: unknown[] = [keys, organizationId, limit];
    const narrowed = Object.entries(only ?? {}).map(
      ([name, value]) => ` and "${this.#columnOf(name as keyof T & string)}" = $${values.push(value)}`,
    );
    const { columns, joins, read } = this.#whole;
    const rows = await this.#rows.tuples(
      `select ${columns} from unnest($1::text[]) as k(key) cross join lateral (
         select * from ${this.#table} where "organization_id" = $2 and "${this.#columnOf(property)}" = k.key${narrowed.join('')} order by "created_at" desc, "id" desc limit $3
       ) r ${joins}`,
      values,
    );
    const byKey = new Map<string, T[]>(keys.map((key) => [key, []]));
    for (const record of rows.map(read)) byKey.get(String(record[property]))?.push(record);
    return keys.map((key) => byKey.get(key) ?? []);
  }

  #columnOf(property: keyof T & string): string {
    return (this.#metadata.properties[property as never] as { fieldNames: string[] }).fieldNames[0] ?? property;
  }

  #partOf(members: ReadonlySet<string>): Shape<T> {
    let part = this.#byMembers.get(members);
    if (!part) {
      part = this.#newPart(members);
      this.#byMembers.set(members, part);
    }
    return part;
  }

  /** What is no member of the record itself may need any of them. */
  #newPart(members: ReadonlySet<string>): Shape<T> {
    const isMember = (name: string): boolean => name in this.#metadata.properties || this.#companions.some((one) => one.name === name);
    if (![...members].every(isMember)) return this.#whole;
    const wanted = new Set([...PAGED_BY, ...members]);
    const names = [...wanted].sort().join();
    const known = this.#parts.get(names);
    if (known || this.#parts.size === MAX_PARTS) return known ?? this.#whole;
    const part = this.#shapeOf(wanted);
    this.#parts.set(names, part);
    return part;
  }

  #shapeOf(members?: Members): Shape<T> {
    const map = new RowMapper(this.#metadata, this.#platform, members);
    const companions = this.#companions.filter((companion) => !members || members.has(companion.name));
    return {
      // each by its name: what is prepared must not change its shape when a newer process adds a column
      columns: [map.columns('r'), ...companions.map((companion) => companion.map.columns(`"${companion.name}"`))].join(', '),
      joins: companions
        .map(
          ({ name: its, table, column }) =>
            `left join ${table} "${its}" on "${its}"."id" = r."${column}" and "${its}"."organization_id" = r."organization_id"`,
        )
        .join(' '),
      read(row) {
        const record = map.read(row);
        let first = map.width;
        for (const companion of companions) {
          (record as Record<string, unknown>)[companion.name] = companion.map.readJoined(row, first);
          first += companion.map.width;
        }
        return record;
      },
    };
  }
}

/** What the page after the newest ones is found by. */
const PAGED_BY = ['id', 'createdAt'];

/** Each has prepared statements, and callers write queries: those of their own that come later read whole records. */
const MAX_PARTS = 64;

/** Which columns are read, and what a row of them becomes. */
interface Shape<T> {
  columns: string;
  joins: string;
  read(row: readonly unknown[]): T;
}

/** Properties with the value that they must have. */
export type Only<T> = Readonly<Partial<Record<keyof T & string, string>>>;

/** Records of the same schema that are nearly always wanted with one, by property name: read in the same statement. */
export type Companions<T> = Readonly<Record<string, { entity: EntityClass<{ id: string }>; by: keyof T & string }>>;

interface Companion {
  name: string;
  table: string;
  column: string;
  map: RowMapper<object>;
}
