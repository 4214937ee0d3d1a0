import type { Rows } from '../database/database.ts';

/**
 * What becomes of a column of rows that stay when an organization's records are deleted: `pseudonym` is the same for the same value,
 * and leads back to none; `without_addresses` is the text without the e-mail addresses in it.
 */
export type Treatment = 'kept' | 'pseudonym' | 'without_addresses' | 'erased' | 'emptied';

/** What a table holds of an organization: which rows are its, what an export shows of them, and what becomes of them at its end. */
export interface OrganizationTable {
  /** Without its schema. */
  table: string;
  /** What is true of its rows, in SQL, with `$1` for the organization. Default: that it is their `organization_id`. */
  where?: string;
  /** Columns that no export shows: secrets, digests of secrets, and what is derived. `all`: none is shown. */
  withheld?: readonly string[] | 'all';
  /** Columns that look like secrets by their name and are none. */
  harmless?: readonly string[];
  /** Keys of the files of a row, exported and deleted with it. */
  files?(row: Readonly<Record<string, unknown>>): readonly string[];
  /** `deleted`, or what becomes of each column of rows that stay. */
  end: 'deleted' | Readonly<Record<string, Treatment>>;
}

/** Columns of rows that stay, which stay as they are. */
export const kept = (...columns: readonly string[]): Record<string, Treatment> =>
  Object.fromEntries(columns.map((column) => [column, 'kept']));

/** What a domain holds of organizations, table by table. Tables are deleted in this order: what is found through another table before it. */
export interface OrganizationTables {
  tables: readonly OrganizationTable[];
  /** Tables that hold nothing of an organization for long, each with the reason. */
  others: Readonly<Record<string, string>>;
}

/** The key of a row as texts: where a walk goes on. */
export type RowKey = readonly string[];

export interface RowPage {
  /** Each row as JSON. */
  rows: string[];
  /** Of the last row; null where there is no row. */
  last: RowKey | null;
}

export interface RowRange {
  after: RowKey | null;
  upTo: RowKey;
}

/** Looks like the pseudonym that the statement below makes. */
const PSEUDONYM = '^deleted-[0-9a-f]{16}$';
/** `$pseudonymKey` makes them impossible to guess, until it is forgotten. */
const TREATED: Readonly<Record<Exclude<Treatment, 'kept'>, (column: string) => string>> = {
  // once: a walk that is repeated meets its own pseudonyms
  pseudonym: (column) =>
    `case when ${column} = '' or ${column} ~ '${PSEUDONYM}' then ${column}
       else 'deleted-' || substr(encode(sha256(convert_to($2::text || lower(${column}), 'UTF8')), 'hex'), 1, 16) end`,
  without_addresses: (column) => `regexp_replace(${column}, '[^\\s@<>"'',;:()]+@[^\\s@<>"'',;()]+', '(address deleted)', 'g')`,
  erased: () => 'null',
  emptied: () => `'{}'::jsonb`,
};

/** One table of the database, walked in the order of its primary key: however many rows it has, no statement takes long. */
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

  /** The next rows of an organization, without what is withheld. */
  async page(organizationId: string, after: RowKey | null, limit: number): Promise<RowPage> {
    const { withheld = [] } = this.statement;
    const hidden = withheld === 'all' ? [] : withheld;
    const key = await this.#keyColumns();
    const text = `select (to_jsonb(r) - ${arrayOf(hidden)})::text as row, ${textsOf(key)} as key
      from ${this.#quoted} r where ${this.#where} ${beyond(key, after, '>', 2)} order by ${listed(key)} limit ${limit}`;
    const found = await this.rows.query<{ row: string; key: string[] }>(text, [organizationId, ...(after ?? [])]);
    return { rows: found.map(({ row }) => row), last: found.at(-1)?.key ?? null };
  }

  /** Deletes rows of an organization, or leaves of them what stays. */
  async end(organizationId: string, { after, upTo }: RowRange, pseudonymKey: string): Promise<void> {
    const key = await this.#keyColumns();
    const { end } = this.statement;
    // a parameter that a statement does not use has no type
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

  /** Of a table without a primary key, where its rows lie. */
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

/** What all domains hold of organizations, in the order in which it is deleted. */
export class OrganizationData {
  readonly tables: readonly OrganizationRows[];

  constructor(domains: readonly { schema: string; rows: Rows; organizationData: OrganizationTables }[]) {
    this.tables = domains.flatMap(({ schema, rows, organizationData }) =>
      organizationData.tables.map((table) => new OrganizationRows(rows, schema, table)),
    );
  }
}
