import type { EntityClass, EntityMetadata } from '@mikro-orm/core';
import DataLoader from 'dataloader';
import type { Orm, Rows } from './database.ts';
import { InvalidParameters } from './errors.ts';
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from './graphql/page.ts';
import { once } from './once.ts';
import { RowMapper } from './row-mapper.ts';

/** How many records of a relation are asked for, checked as every list is. */
export function relationLimit(limit: number | null | undefined): number {
  const size = limit ?? PAGE_SIZE_DEFAULT;
  if (size < 1 || size > PAGE_SIZE_MAX)
    throw new InvalidParameters([{ field: 'limit', value: size, reason: `must be between 1 and ${PAGE_SIZE_MAX}` }]);
  return size;
}

/**
 * How the records of one kind are read, prepared once: the statements and the mapping of their rows. What it reads is not
 * managed by the ORM, which makes a read two to three times as fast; to change a record, find it in a transaction.
 */
export class RecordReader<T extends { id: string }> {
  readonly #rows: Rows;
  readonly #table: string;
  readonly #map: RowMapper<T>;
  readonly #metadata: EntityMetadata<T>;
  readonly #companions: Companion[];
  readonly #columns: string;
  readonly #joins: string;

  constructor({ orm, rows }: { orm: Orm; rows: Rows }, entity: EntityClass<T>, companions: Companions<T> = {}) {
    const metadata = orm.getMetadata();
    const platform = orm.em.getPlatform();
    const { schema } = orm.config.getAll();
    this.#rows = rows;
    this.#metadata = metadata.get<T>(entity);
    this.#table = `"${schema}"."${this.#metadata.tableName}"`;
    this.#map = new RowMapper(this.#metadata, platform);
    this.#companions = Object.entries(companions).map(([name, { entity: companion, by }]) => {
      const its = metadata.get(companion);
      return { name, table: `"${schema}"."${its.tableName}"`, column: this.#columnOf(by), map: new RowMapper(its, platform) };
    });
    // each by its name: what is prepared must not change its shape when a newer process adds a column
    this.#columns = [this.#map.columns('r'), ...this.#companions.map(({ name, map }) => map.columns(`"${name}"`))].join(', ');
    this.#joins = this.#companions
      .map(
        ({ name, table, column }) =>
          `left join ${table} "${name}" on "${name}"."id" = r."${column}" and "${name}"."organization_id" = r."organization_id"`,
      )
      .join(' ');
  }

  /** The batched reads of one request. */
  forOrganization(organizationId: string): RecordLoader<T> {
    return new RecordLoader(this, organizationId);
  }

  async byIds(organizationId: string, ids: readonly string[]): Promise<(T | null)[]> {
    const isOne = ids.length === 1;
    const condition = isOne ? 'r."id" = $2' : 'r."id" = any($2)';
    const text = `select ${this.#columns} from ${this.#table} r ${this.#joins} where r."organization_id" = $1 and ${condition}`;
    const rows = await this.#rows.tuples(text, [organizationId, isOne ? ids[0] : ids], `${this.#table}.${isOne ? 'one' : 'some'}`);
    const found = new Map(rows.map((row) => this.#read(row)).map((record) => [record.id, record]));
    return ids.map((id) => found.get(id) ?? null);
  }

  /** The newest `limit` records for each key, in one statement; of them those whose properties are as `only` says. */
  async newest(organizationId: string, property: keyof T & string, keys: readonly string[], limit: number, only?: Only<T>): Promise<T[][]> {
    const values: unknown[] = [keys, organizationId, limit];
    const narrowed = Object.entries(only ?? {}).map(
      ([name, value]) => ` and "${this.#columnOf(name as keyof T & string)}" = $${values.push(value)}`,
    );
    const rows = await this.#rows.tuples(
      `select ${this.#columns} from unnest($1::text[]) as k(key) cross join lateral (
         select * from ${this.#table} where "organization_id" = $2 and "${this.#columnOf(property)}" = k.key${narrowed.join('')} order by "created_at" desc, "id" desc limit $3
       ) r ${this.#joins}`,
      values,
    );
    const byKey = new Map<string, T[]>(keys.map((key) => [key, []]));
    for (const record of rows.map((row) => this.#read(row))) byKey.get(String(record[property]))?.push(record);
    return keys.map((key) => byKey.get(key) ?? []);
  }

  #columnOf(property: keyof T & string): string {
    return (this.#metadata.properties[property as never] as { fieldNames: string[] }).fieldNames[0] ?? property;
  }

  #read(row: readonly unknown[]): T {
    const record = this.#map.read(row);
    let first = this.#map.width;
    for (const { name, map } of this.#companions) {
      (record as Record<string, unknown>)[name] = map.readJoined(row, first);
      first += map.width;
    }
    return record;
  }
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

/** Batched reads of one kind of record within one request: by id, and the newest of each of many owners. */
export class RecordLoader<T extends { id: string }> {
  #byId: DataLoader<string, T | null> | undefined;
  readonly #newest = new Map<string, DataLoader<string, T[]>>();

  constructor(
    private readonly reader: RecordReader<T>,
    private readonly organizationId: string,
  ) {}

  /** The record, or null where the organization has none such. */
  load(id: string): Promise<T | null> {
    this.#byId ??= new DataLoader((ids) => this.reader.byIds(this.organizationId, ids));
    return this.#byId.load(id);
  }

  /** Those of a list that there are: they are asked for together as it is. */
  async all(ids: readonly string[]): Promise<T[]> {
    if (ids.length === 0) return [];
    return (await this.reader.byIds(this.organizationId, ids)).filter((record) => record !== null);
  }

  /** The newest `limit` records whose `property` is `key`, and are as `only` says; one statement for all keys asked for together. */
  newest(property: keyof T & string, key: string, limit: number, only?: Only<T>): Promise<T[]> {
    const name = `${property}:${limit}:${JSON.stringify(only ?? {})}`;
    let loader = this.#newest.get(name);
    if (!loader) {
      loader = new DataLoader((keys) => this.reader.newest(this.organizationId, property, keys, limit, only));
      this.#newest.set(name, loader);
    }
    return loader.load(key);
  }
}

type LoadersOf<R> = { [K in keyof R]: R[K] extends { forOrganization(organizationId: string): infer L } ? L : never };

type Readers = Readonly<Record<string, { forOrganization(organizationId: string): unknown }>>;

/** By the readers, of which a domain has one set. */
const classes = new WeakMap<Readers, new (organizationId: string) => object>();

/** The batched reads of one request: of each reader one, made when it is first asked for. */
export function loadersOf<R extends Readers>(readers: R, organizationId: string): LoadersOf<R> {
  const Loaders = classes.get(readers) ?? compile(readers);
  return new Loaders(organizationId) as LoadersOf<R>;
}

function compile(readers: Readers): new (organizationId: string) => object {
  class Loaders {
    constructor(readonly organizationId: string) {}
  }
  for (const [name, reader] of Object.entries(readers)) {
    const get = function (this: Loaders): unknown {
      return reader.forOrganization(this.organizationId);
    };
    Object.defineProperty(Loaders.prototype, name, once(Loaders.prototype, name, { get }));
  }
  classes.set(readers, Loaders);
  return Loaders;
}
