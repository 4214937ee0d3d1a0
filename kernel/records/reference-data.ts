import type { EntityManager } from '../database/database.ts';

/** Maximum number of organizations in the cache. If it is exceeded, the oldest entry is removed. */
const MAX_KNOWN = 1_000;

/**
 * Returns the SQL for a migration. It creates triggers that count, for each organization, the changes of the given
 * tables.
 */
export const referenceCounter = (schema: string, tables: readonly string[]): string[] => [
  `create table "${schema}"."reference_counter" ("organization_id" text primary key, "changes" int not null)`,
  `create function "${schema}"."count_reference"() returns trigger language plpgsql as $$
     begin
       insert into "${schema}"."reference_counter" as c ("organization_id", "changes")
       values (coalesce(new."organization_id", old."organization_id"), 1)
       on conflict ("organization_id") do update set "changes" = c."changes" + 1;
       return null;
     end $$`,
  ...tables.map(
    (table) =>
      `create trigger "${table}_counted" after insert or update or delete on "${schema}"."${table}"
         for each row execute function "${schema}"."count_reference"()`,
  ),
];

/**
 * Returns an SQL expression: the number of changes of an organization's reference data. Its only parameter is the id of
 * the organization.
 */
export const changesOf = (schema: string): string =>
  `coalesce((select "changes" from "${schema}"."reference_counter" where "organization_id" = ?), 0)`;

/** Cached data, and the number of changes when the data was read. */
export interface Known<T> {
  readonly data: T;
  readonly changes: number;
}

/**
 * Cache of data that every write of an organization needs and that rarely changes, such as the ticket categories.
 * The data is read again when its tables have changed. The cache does not use notifications, because they could arrive
 * too late. Instead, each writer selects `changesOf` in a statement that it sends anyway, and compares the result with
 * `changes`.
 * All requests of the organization share the data. So the data must not be modified, and must not contain anything that
 * some callers must not see.
 */
export class ReferenceData<T> {
  readonly #known = new Map<string, Known<T>>();

  /**
   * `read` reads the data. Its entity manager is limited to the organization, and uses the caller's transaction if
   * there is one.
   */
  constructor(private readonly read: (em: EntityManager) => Promise<T>) {}

  /** Returns the cached data, or reads it if it is not cached. */
  async of(em: EntityManager, organizationId: string): Promise<Known<T>> {
    return this.#known.get(organizationId) ?? this.refreshed(em, organizationId);
  }

  /**
   * Reads the current data and caches it. Do not call it in a transaction that changes the data: other requests would
   * see changes that may be rolled back.
   */
  async refreshed(em: EntityManager, organizationId: string): Promise<Known<T>> {
    const { schema } = em.config.getAll();
    // the counter is read before the data, so that the next comparison detects a change that happens while the data is
    // read
    const [row] = await em.execute<{ changes: number }[]>(`select ${changesOf(schema as string)} as "changes"`, [organizationId]);
    // reads outside of the ORM's unit of work, which would check the data for changes
    const data = await this.read(em.fork({ clear: true, keepTransactionContext: true }));
    const known = { data, changes: row?.changes ?? 0 };
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size === MAX_KNOWN) this.#known.delete(oldest);
    this.#known.set(organizationId, known);
    return known;
  }
}
