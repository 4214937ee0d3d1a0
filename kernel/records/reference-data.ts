import type { EntityManager } from '../database/database.ts';

/** Maximum number of organizations in the cache. Beyond it, the oldest entry is dropped. */
const MAX_KNOWN = 1_000;

/** SQL for a migration: counts the changes of these tables per organization. */
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

/** SQL expression: how often the reference data of an organization (the one parameter) has changed. */
export const changesOf = (schema: string): string =>
  `coalesce((select "changes" from "${schema}"."reference_counter" where "organization_id" = ?), 0)`;

/** Cached data, and the change counter at the time it was read. */
export interface Known<T> {
  readonly data: T;
  readonly changes: number;
}

/**
 * Cache of data that every write of an organization needs and that rarely changes, such as its categories.
 * The data is read again when its tables have changed. Notifications could arrive too late, so each writer compares `changes` with
 * `changesOf`, which it selects with a statement that it sends anyway.
 * All requests of the organization share the data. It must not be modified, and must not contain anything that only some of them may see.
 */
export class ReferenceData<T> {
  readonly #known = new Map<string, Known<T>>();

  /** `read` gets an entity manager of the organization, in the caller's transaction if there is one. */
  constructor(private readonly read: (em: EntityManager) => Promise<T>) {}

  /** Returns the data as this process last read it. */
  async of(em: EntityManager, organizationId: string): Promise<Known<T>> {
    return this.#known.get(organizationId) ?? this.refreshed(em, organizationId);
  }

  /** Reads the current data. Do not call it in a transaction that changes the data: others would see changes that may be rolled back. */
  async refreshed(em: EntityManager, organizationId: string): Promise<Known<T>> {
    const { schema } = em.config.getAll();
    // the counter is read before the data, so a change in between is detected the next time
    const [row] = await em.execute<{ changes: number }[]>(`select ${changesOf(schema as string)} as "changes"`, [organizationId]);
    // outside the unit of work, which would check the data for changes
    const data = await this.read(em.fork({ clear: true, keepTransactionContext: true }));
    const known = { data, changes: row?.changes ?? 0 };
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size === MAX_KNOWN) this.#known.delete(oldest);
    this.#known.set(organizationId, known);
    return known;
  }
}
