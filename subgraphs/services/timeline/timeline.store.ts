import DataLoader from 'dataloader';
import type { RecordScope } from '../../../kernel/access/principal.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import type { Window } from '../../../kernel/records/pagination.ts';
import type { TimelineEntry, TimelineKind } from './timeline.types.ts';

const TABLES: Record<TimelineKind, string> = {
  statusChanges: 'service_status_change',
  serviceChanges: 'service_change',
  maintenanceWindows: 'maintenance_window',
};
const KINDS = Object.entries(TABLES);

interface EntryRow extends Omit<TimelineEntry, 'createdAt'> {
  service_id: string;
  created_at: Date | string;
}

const NEWEST_FIRST = 'order by "created_at" desc, "id" desc';
/**
 * SQL for the services with the ids `$1` that the caller may see, with the alias `s`. `$2` is the organization, and `$3` the accounts, or
 * null for all accounts.
 */
const SEEN = `from "services"."service" s where s."id" = any($1) and s."organization_id" = $2 and ($3::text[] is null or s."account_id" = any($3))`;
const ofService = (table: string): string => `from "services"."${table}" where "organization_id" = $2 and "service_id" = seen."id"`;

/**
 * Reads the timelines of services from the tables of their entries. One statement reads all timelines that are requested at
 * the same time. From each table, it reads only as many rows of a service as the page may need, through an index.
 */
export class TimelineStore {
  readonly #pages = new Map<string, DataLoader<string, TimelineEntry[]>>();
  readonly #totals: DataLoader<string, number>;

  constructor(
    private readonly rows: Rows,
    private readonly scope: RecordScope,
  ) {
    this.#totals = new DataLoader((ids) => this.#readTotals(ids));
  }

  /** Returns the entries of a part of the timeline, newest first. */
  entries(serviceId: string, window: Window): Promise<TimelineEntry[]> {
    const name = JSON.stringify(window);
    const pages = this.#pages.get(name) ?? new DataLoader((ids: readonly string[]) => this.#readEntries(ids, window));
    this.#pages.set(name, pages);
    return pages.load(serviceId);
  }

  /** Returns the number of entries of the whole timeline. */
  total(serviceId: string): Promise<number> {
    return this.#totals.load(serviceId);
  }

  async #readEntries(serviceIds: readonly string[], { limit, offset, after }: Window): Promise<TimelineEntry[][]> {
    const beyond = after ? ` and ("created_at", "id") < ($6::timestamptz, $7)` : '';
    const ofKinds = KINDS.map(
      ([kind, table]) =>
        `(select '${kind}' as "kind", "id", "created_at" ${ofService(table)}${beyond} ${NEWEST_FIRST} limit $4::bigint + $5::bigint)`,
    );
    const found = await this.rows.query<EntryRow>(
      `select seen."id" as "service_id", e.* from (select s."id" ${SEEN}) seen
       cross join lateral (select * from (${ofKinds.join(' union all ')}) all_of ${NEWEST_FIRST} limit $4 offset $5) e
       ${NEWEST_FIRST}`,
      [...this.#values(serviceIds), limit, offset, ...(after ?? [])],
    );
    const read = found.map(({ service_id: serviceId, kind, id, created_at: at }) => ({ serviceId, kind, id, createdAt: new Date(at) }));
    return serviceIds.map((id) => read.filter(({ serviceId }) => serviceId === id));
  }

  async #readTotals(serviceIds: readonly string[]): Promise<number[]> {
    const counts = KINDS.map(([, table]) => `(select count(*) ${ofService(table)})`).join(' + ');
    const found = await this.rows.query<{ id: string; total: number | string }>(
      `select seen."id", ${counts} as "total" from (select s."id" ${SEEN}) seen`,
      this.#values(serviceIds),
    );
    return serviceIds.map((id) => Number(found.find((row) => row.id === id)?.total ?? 0));
  }

  #values(serviceIds: readonly string[]): unknown[] {
    return [serviceIds, this.scope.organizationId, this.scope.accounts];
  }
}
