import type { RecordScope } from '../../../kernel/access/principal.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import type { Window } from '../../../kernel/records/pagination.ts';
import type { MetricQuery } from './metric.inputs.ts';
import type { MetricType } from './metric.states.ts';
import { METRIC_SERVICES_MAX, type Metric, RECENT_SERIES } from './metric.types.ts';

interface MetricRow {
  name: string;
  type: MetricType;
  unit: string | null;
  description: string | null;
  created_at: Date | string;
  series_count: number;
  service_ids: string[];
  value: number | null;
  at: Date | string | null;
}

/**
 * SQL for the metrics that a caller may see: metrics with a series of one of the caller's accounts. `$1` is the organization, `$2` the
 * accounts (null for all), `$3` a service or null, and `$4` a name pattern or null.
 */
const SEEN_SERIES = `
  from "monitoring"."series" s where s."organization_id" = $1 and s."metric_id" = m."id"
    and ($2::text[] is null or s."account_id" = any($2)) and ($3::text is null or s."service_id" = $3)`;
const SEEN = `
  from "monitoring"."metric" m where m."organization_id" = $1 and ($4::text is null or m."name" ilike $4)
    and exists (select 1 ${SEEN_SERIES})`;

/** Reads the metrics of an organization. */
export class MetricStore {
  constructor(
    private readonly rows: Rows,
    private readonly scope: RecordScope,
  ) {}

  /** Returns a page of metrics, sorted by name. */
  async list(query: MetricQuery, { limit, offset, after }: Window): Promise<Metric[]> {
    const found = await this.rows.query<MetricRow>(
      `select m."name", m."type", m."unit", m."description", m."created_at", (select count(*)::int ${SEEN_SERIES}) as "series_count",
         array(select distinct s."service_id" ${SEEN_SERIES} and s."service_id" is not null order by 1 limit ${METRIC_SERVICES_MAX}) as "service_ids",
         l."value", l."at"
       from (select m.* ${SEEN} and ($5::text is null or m."name" > $5) order by m."name" limit $6 offset $7) m
       left join lateral (
         select x."value", x."at" from (select s."id" ${SEEN_SERIES} order by s."active_at" desc limit ${RECENT_SERIES}) r
         cross join lateral (
           select x."value", x."at" from "monitoring"."sample" x where x."series_id" = r."id" order by x."at" desc limit 1
         ) x order by x."at" desc limit 1
       ) l on true
       order by m."name"`,
      [...this.#values(query), after?.[0] ?? null, limit, offset],
    );
    return found.map(({ created_at: createdAt, series_count: seriesCount, service_ids: serviceIds, value, at, ...metric }) => ({
      ...{ ...metric, seriesCount, serviceIds },
      last: value === null || at === null ? null : { value, at: new Date(at) },
      createdAt: new Date(createdAt),
    }));
  }

  /** Returns the number of metrics that match the query. */
  async count(query: MetricQuery): Promise<number> {
    const [row] = await this.rows.query<{ count: number }>(`select count(*)::int as "count" ${SEEN}`, this.#values(query));
    return row?.count ?? 0;
  }

  #values({ serviceId, search }: MetricQuery): unknown[] {
    const { organizationId, accounts } = this.scope;
    return [organizationId, accounts, serviceId ?? null, search ? `%${search.replace(/[\\%_]/g, '\\$&')}%` : null];
  }
}
