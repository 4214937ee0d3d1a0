import type { Rows } from '../database/database.ts';

/**
 * Treatment of a column when the organization is deleted, in a table whose rows are kept. `kept` does not change the value. `pseudonym`
 * replaces a value with a pseudonym that does not reveal the value; equal values get equal pseudonyms. `without_addresses` removes e-mail
 * addresses from the text. `erased` stores null, and `emptied` stores an empty JSON object.
 */
export type Treatment = 'kept' | 'pseudonym' | 'without_addresses' | 'erased' | 'emptied';

/**
 * Declares the data that a table stores about organizations: which rows belong to an organization, which columns an
 * export contains, and what happens to the rows when the organization is deleted.
 */
export interface OrganizationTable {
  /** Name of the table, without the schema. */
  table: string;
  /**
   * SQL condition that selects the rows of the organization with the id `$1`. Default: `organization_id` equals `$1`.
   */
  where?: string;
  /**
   * Columns that are never exported: secrets, digests of secrets, and derived data. `all` excludes the whole table from
   * the export.
   */
  withheld?: readonly string[] | 'all';
  /** Columns that contain no secret, although their names suggest a secret. */
  harmless?: readonly string[];
  /** Returns the keys of the files that belong to a row. The files are exported and deleted with the row. */
  files?(row: Readonly<Record<string, unknown>>): readonly string[];
  /** `deleted` if the rows are deleted with the organization. Otherwise, the treatment of each column. */
  end: 'deleted' | Readonly<Record<string, Treatment>>;
}

/** Returns the part of `OrganizationTable.end` for columns that do not change when the organization is deleted. */
export const kept = (...columns: readonly string[]): Record<string, Treatment> =>
  Object.fromEntries(columns.map((column) => [column, 'kept']));

/**
 * The data that a domain stores about organizations, by table. Rows are deleted in the order of the tables. A table
 * whose rows are selected through another table must come before that table.
 */
export interface OrganizationTables {
  tables: readonly OrganizationTable[];
  /** Tables that do not store data of an organization permanently, each with the reason. */
  others: Readonly<Record<string, string>>;
}

/** The values of a row's primary key as texts. */
export type RowKey = readonly string[];

export interface RowPage {
  /** The rows, each as a JSON text. */
  rows: string[];
  /** Key of the last row; null if there are no rows. */
  last: RowKey | null;
}

export interface RowRange {
  after: RowKey | null;
  upTo: RowKey;
}

/** Matches the pseudonyms that TREATED creates. */
const PSEUDONYM = '^deleted-[0-9a-f]{16}$';
/**
 * Functions that return the SQL expression of a treatment. Pseudonyms depend on a secret key (`$2`), so they cannot be
 * guessed. The key is deleted after the deletion of the organization's data.
 */
const TREATED: Readonly<Record<Exclude<Treatment, 'kept'>, (column: string) => string>> = {
  // existing pseudonyms are not replaced, so that the statement can be repeated
  pseudonym: (column) =>
    `case when ${column} = '' or ${column} ~ '${PSEUDONYM}' then ${column}
       else 'deleted-' || substr(encode(sha256(convert_to($2::text || lower(${column}), 'UTF8')), 'hex'), 1, 16) end`,
  without_addresses: (column) => `regexp_replace(${column}, '[^\\s@<>"'',;:()]+@[^\\s@<>"'',;()]+', '(address deleted)', 'g')`,
  erased: () => 'null',
  emptied: () => `'{}'::jsonb`,
};

/**
 * The rows of one table. They are processed in pages, in the order of the primary key, so that no statement takes long.
 */
export class OrganizationRows {
  readonly name: string;
  #key: Promise<readonly KeyColumn[]> | undefined;

  constructor(
    private readonly rows: Rows,
    schema: string,
    readonly statement: OrganizationTable,
  ) {
    this.name = `${schema}.${statement.table}`;
  }

  /**
   * Returns at most `limit` rows of an organization after the key `after`, without the columns that are never exported.
   */
  async page(organizationId: string, after: RowKey | null, limit: number): Promise<RowPage> {
    const { withheld = [] } = this.statement;
    const hidden = withheld === 'all' ? [] : withheld;
    const key = await this.#keyColumns();
    const text = `select (to_jsonb(r) - ${arrayOf(hidden)})::text as row, ${textsOf(key)} as key
      from ${this.#quoted} r where ${this.#where} ${beyond(key, after, '>', 2)} order by ${listed(key)} limit ${limit}`;
    const found = await this.rows.query<{ row: string; key: string[] }>(text, [organizationId, ...(after ?? [])]);
    return { rows: found.map(({ row }) => row), last: found.at(-1)?.key ?? null };
  }

  /**
   * Deletes the rows of an organization after the key `after`, up to and including the key `upTo`. If the rows must be
   * kept, it clears or pseudonymizes their columns instead, according to the declaration of each column.
   */
  async end(organizationId: string, { after, upTo }: RowRange, pseudonymKey: string): Promise<void> {
    const key = await this.#keyColumns();
    const { end } = this.statement;
    // the key is passed only if the statement uses it, because PostgreSQL cannot infer the type of an unused parameter
    const used = end === 'deleted' ? [organizationId] : [organizationId, pseudonymKey];
    const bounds = `${beyond(key, after, '>', used.length + 1)} ${beyond(key, upTo, '<=', used.length + 1 + (after ?? []).length)}`;
    const values = [...used, ...(after ?? []), ...upTo];
    if (end === 'deleted') await this.rows.query(`delete from ${this.#quoted} r where ${this.#where} ${bounds}`, values);
    else if (changesOf(end).length > 0)
      await this.rows.query(
        `update ${this.#quoted} r set ${changesOf(end).join(', ')} where ${this.#where} and $2::text is not null ${bounds}`,
        values,
      );
  }

  get #quoted(): string {
    return this.name.replace(/\w+/g, '"$&"');
  }

  get #where(): string {
    return `(${this.statement.where ?? '"organization_id" = $1'})`;
  }

  /** Returns the columns of the primary key. If the table has none, the physical position (`ctid`) is the key. */
  #keyColumns(): Promise<readonly KeyColumn[]> {
    this.#key ??= this.#readKey().catch((error: unknown) => {
      this.#key = undefined;
      throw error;
    });
    return this.#key;
  }

  async #readKey(): Promise<readonly KeyColumn[]> {
    const columns = await this.rows.query<KeyColumn>(
      `select a.attname as name, format_type(a.atttypid, null) as type
       from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
       where i.indrelid = $1::regclass and i.indisprimary order by array_position(i.indkey::int2[], a.attnum)`,
      [this.#quoted],
    );
    return columns.length > 0 ? columns : [{ name: 'ctid', type: 'tid' }];
  }
}

interface KeyColumn {
  name: string;
  type: string;
}

const listed = (key: readonly KeyColumn[]): string => key.map(({ name }) => `r."${name}"`).join(', ');
const textsOf = (key: readonly KeyColumn[]): string => `array[${key.map(({ name }) => `r."${name}"::text`).join(', ')}]`;
const arrayOf = (names: readonly string[]): string => `array[${names.map((name) => `'${name}'`).join(', ')}]::text[]`;
const beyond = (key: readonly KeyColumn[], bound: RowKey | null, operator: string, from: number): string =>
  bound ? `and (${listed(key)}) ${operator} (${key.map(({ type }, index) => `$${from + index}::${type}`).join(', ')})` : '';

const changesOf = (end: Readonly<Record<string, Treatment>>): string[] =>
  Object.entries(end).flatMap(([column, treatment]) =>
    treatment === 'kept' ? [] : [`"${column}" = ${TREATED[treatment](`r."${column}"`)}`],
  );

/** All tables that contain data of organizations, from all domains. Rows are deleted in the order of `tables`. */
export class OrganizationData {
  readonly tables: readonly OrganizationRows[];

  constructor(domains: readonly { schema: string; rows: Rows; organizationData: OrganizationTables }[]) {
    this.tables = domains.flatMap(({ schema, rows, organizationData }) =>
      organizationData.tables.map((table) => new OrganizationRows(rows, schema, table)),
    );
  }
}
