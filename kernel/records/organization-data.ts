import type { Rows } from '../database/database.ts';

/**
 * What happens to a column of rows that remain after an organization's records are deleted. `pseudonym` replaces equal values by equal
 * pseudonyms that cannot be traced back. `without_addresses` removes e-mail addresses from the text.
 */
export type Treatment = 'kept' | 'pseudonym' | 'without_addresses' | 'erased' | 'emptied';

/**
 * What a table stores about organizations: which rows belong to one, what an export contains, and what happens when the organization is
 * deleted.
 */
export interface OrganizationTable {
  /** Without its schema. */
  table: string;
  /** SQL condition of an organization's rows, with `$1` as its id. Default: `organization_id` equals the id. */
  where?: string;
  /** Columns that are never exported: secrets, digests of secrets, and derived data. `all` withholds the whole table. */
  withheld?: readonly string[] | 'all';
  /** Columns that are not secrets although their names suggest it. */
  harmless?: readonly string[];
  /** Keys of the files of a row. They are exported and deleted with it. */
  files?(row: Readonly<Record<string, unknown>>): readonly string[];
  /** `deleted`, or what happens to each column of rows that remain. */
  end: 'deleted' | Readonly<Record<string, Treatment>>;
}

/** Columns that keep their value in rows that remain. */
export const kept = (...columns: readonly string[]): Record<string, Treatment> =>
  Object.fromEntries(columns.map((column) => [column, 'kept']));

/**
 * What a domain stores about organizations, table by table. Tables are deleted in this order: rows that are found through another table
 * come before it.
 */
export interface OrganizationTables {
  tables: readonly OrganizationTable[];
  /** Tables that store nothing of an organization for long, each with the reason. */
  others: Readonly<Record<string, string>>;
}

/** The primary key of a row as texts: the position of a walk. */
export type RowKey = readonly string[];

export interface RowPage {
  /** Each row as JSON. */
  rows: string[];
  /** Key of the last row; null if there are no rows. */
  last: RowKey | null;
}

export interface RowRange {
  after: RowKey | null;
  upTo: RowKey;
}

/** Matches the pseudonyms that the statement below creates. */
const PSEUDONYM = '^deleted-[0-9a-f]{16}$';
/** SQL expressions of treatments. Pseudonyms depend on a secret key (`$2`), so they cannot be guessed; the key is deleted afterwards. */
const TREATED: Readonly<Record<Exclude<Treatment, 'kept'>, (column: string) => string>> = {
  // applied once: a repeated walk skips its own pseudonyms
  pseudonym: (column) =>
    `case when ${column} = '' or ${column} ~ '${PSEUDONYM}' then ${column}
       else 'deleted-' || substr(encode(sha256(convert_to($2::text || lower(${column}), 'UTF8')), 'hex'), 1, 16) end`,
  without_addresses: (column) => `regexp_replace(${column}, '[^\\s@<>"'',;:()]+@[^\\s@<>"'',;()]+', '(address deleted)', 'g')`,
  erased: () => 'null',
  emptied: () => `'{}'::jsonb`,
};

/** The rows of one table, visited in the order of its primary key, so that no statement takes long however many rows there are. */
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

  /** Returns the next rows of an organization, without withheld columns. */
  async page(organizationId: string, after: RowKey | null, limit: number): Promise<RowPage> {
    const { withheld = [] } = this.statement;
    const hidden = withheld === 'all' ? [] : withheld;
    const key = await this.#keyColumns();
    const text = `select (to_jsonb(r) - ${arrayOf(hidden)})::text as row, ${textsOf(key)} as key
      from ${this.#quoted} r where ${this.#where} ${beyond(key, after, '>', 2)} order by ${listed(key)} limit ${limit}`;
    const found = await this.rows.query<{ row: string; key: string[] }>(text, [organizationId, ...(after ?? [])]);
    return { rows: found.map(({ row }) => row), last: found.at(-1)?.key ?? null };
  }

  /** Deletes rows of an organization, or applies the treatments to rows that remain. */
  async end(organizationId: string, { after, upTo }: RowRange, pseudonymKey: string): Promise<void> {
    const key = await this.#keyColumns();
    const { end } = this.statement;
    // PostgreSQL cannot infer the type of an unused parameter
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

  /** Without a primary key, the physical position (`ctid`) serves as key. */
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

/** What all domains store about organizations, in the order of deletion. */
export class OrganizationData {
  readonly tables: readonly OrganizationRows[];

  constructor(domains: readonly { schema: string; rows: Rows; organizationData: OrganizationTables }[]) {
    this.tables = domains.flatMap(({ schema, rows, organizationData }) =>
      organizationData.tables.map((table) => new OrganizationRows(rows, schema, table)),
    );
  }
}
