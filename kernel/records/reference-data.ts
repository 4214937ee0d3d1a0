import type { EntityManager } from '../database/database.ts';

/** How many organizations a process knows the data of; beyond, the one that was read first is forgotten. */
const MAX_KNOWN = 1_000;

/** Counts the changes of these tables by organization: SQL for a migration of their schema. */
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

/** SQL for how often the reference data of an organization (the one parameter) has changed. */
export const changesOf = (schema: string): string =>
  `coalesce((select "changes" from "${schema}"."reference_counter" where "organization_id" = ?), 0)`;

/** What was read when `changes` changes had been made. */
export interface Known<T> {
  readonly data: T;
  readonly changes: number;
}

/**
 * What every write of an organization needs and few change, such as its categories: known to the process, and read anew when the
 * tables that it is made of have changed. No notification tells of that, which may come late: whoever writes compares `changes` with
 * `changesOf`, asked for with a statement that is sent anyway. What is known is shared by all who
 * act in the organization: nobody changes it, and it holds nothing that only some of them see.
 */
export class ReferenceData<T> {
  readonly #known = new Map<string, Known<T>>();

  /** `read` is given an entity manager that sees the organization's records, in the caller's transaction where there is one. */
  constructor(private readonly read: (em: EntityManager) => Promise<T>) {}

  /** As it was when this process last read it. */
  async of(em: EntityManager, organizationId: string): Promise<Known<T>> {
    return this.#known.get(organizationId) ?? this.refreshed(em, organizationId);
  }

  /** As it is now. Not in a transaction that changes it: others would know what may be rolled back. */
  async refreshed(em: EntityManager, organizationId: string): Promise<Known<T>> {
    const { schema } = em.config.getAll();
    // counted before it is read: a change in between is seen the next time
    const [row] = await em.execute<{ changes: number }[]>(`select ${changesOf(schema as string)} as "changes"`, [organizationId]);
    // of no unit of work, which would look for changes in it
    const data = await this.read(em.fork({ clear: true, keepTransactionContext: true }));
    const known = { data, changes: row?.changes ?? 0 };
    const [oldest] = this.#known.keys();
    if (oldest !== undefined && this.#known.size === MAX_KNOWN) this.#known.delete(oldest);
    this.#known.set(organizationId, known);
    return known;
  }
}
