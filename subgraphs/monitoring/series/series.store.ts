import type { EntityManager, Orm, Rows } from '../../../kernel/database/database.ts';
import { advisoryLock } from '../../../kernel/records/records.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { MetricType } from '../metrics/metric.states.ts';
import { digestOf, type KnownSeries, labelsText, type NamedSeries } from './series.ts';

/** Time for which a series counts towards the limit of the plan after its last sample. */
const ACTIVE_MS = DAY_MS;

interface SeriesRow {
  id: number;
  name: string;
  digest: string;
  type: MetricType;
  is_delta: boolean;
  account_id: string | null;
}

/** A series to create, and the account of its service. */
export interface NewSeries extends NamedSeries {
  accountId: string | null;
}

/** Returns a text that identifies a series within an organization. */
export const seriesKey = ({ metric, serviceId, labels }: NamedSeries): string =>
  `${metric} ${digestOf(serviceId, labelsText(labels)).toString('hex')}`;

/** Stores the series of organizations. */
export class SeriesStore {
  constructor(private readonly deps: { orm: Orm; rows: Rows }) {}

  /** Returns the series that are stored, by key, and marks them as active. */
  async find(organizationId: string, named: readonly NamedSeries[], now: Date): Promise<Map<string, KnownSeries>> {
    const found = await this.deps.rows.query<SeriesRow>(FIND, [organizationId, JSON.stringify(named.map(rowOf)), now]);
    return byKey(found);
  }

  /**
   * Creates series until the organization has `limit` active series. Returns the created series, by key. A metric is created with its first
   * series. Measured series neither count nor have a limit.
   */
  async create(
    organizationId: string,
    series: readonly NewSeries[],
    { limit = Number.POSITIVE_INFINITY, isMeasured = false }: { limit?: number; isMeasured?: boolean },
    now: Date,
  ): Promise<Map<string, KnownSeries>> {
    return this.deps.orm.em.fork().transactional(async (tx) => {
      // the count below must not change before the new series are stored
      await advisoryLock(tx, `monitoring.series:${organizationId}`);
      const free = Number.isFinite(limit) ? Math.max(0, limit - (await this.#active(tx, organizationId, now))) : series.length;
      const rows = JSON.stringify(series.slice(0, free).map((one) => ({ ...rowOf(one), account_id: one.accountId })));
      const at = now.toISOString();
      await tx.execute(CREATE_METRICS, [organizationId, at, rows]);
      return byKey(await tx.execute<SeriesRow[]>(CREATE, [organizationId, isMeasured, at, rows, organizationId]));
    });
  }

  async #active(tx: EntityManager, organizationId: string, now: Date): Promise<number> {
    const [row] = await tx.execute<{ count: number }[]>(
      `select count(*)::int as "count" from "monitoring"."series" where "organization_id" = ? and "active_at" > ?::timestamptz
         and not "is_measured"`,
      [organizationId, new Date(now.getTime() - ACTIVE_MS).toISOString()],
    );
    return row?.count ?? 0;
  }
}

const rowOf = ({ metric, serviceId, labels, type, isDelta, unit, description }: NamedSeries) => {
  const text = labelsText(labels);
  const digest = digestOf(serviceId, text).toString('hex');
  const described = { type: type ?? MetricType.GAUGE, unit, description };
  return { name: metric, service_id: serviceId, labels, digest, is_delta: isDelta ?? false, ...described };
};

const byKey = (rows: readonly SeriesRow[]): Map<string, KnownSeries> =>
  new Map(
    rows.map(({ id, name, digest, type, is_delta: isDelta, account_id: accountId }) => [
      `${name} ${digest}`,
      { id, type, isDelta, accountId },
    ]),
  );

const COLUMNS = `s."id", m."name", encode(s."digest", 'hex') as "digest", m."type", s."is_delta", s."account_id"`;
const GIVEN = (parameter: string): string => `json_to_recordset(${parameter}::json) as g("name" text, "service_id" text, "account_id" text,
  "labels" jsonb, "digest" text, "is_delta" boolean, "type" text, "unit" text, "description" text)`;

const FIND = `
  with "found" as (
    select ${COLUMNS}, s."active_at" from ${GIVEN('$2')}
    join "monitoring"."metric" m on m."organization_id" = $1 and m."name" = g."name"
    join "monitoring"."series" s on s."metric_id" = m."id" and s."digest" = decode(g."digest", 'hex')
  ), "marked" as (
    update "monitoring"."series" set "active_at" = $3::timestamptz
    where "id" in (select "id" from "found" where "active_at" < $3::timestamptz - interval '1 hour')
  )
  select "id", "name", "digest", "type", "is_delta", "account_id" from "found"`;

// one row for each metric: the first series that names it decides its type
const CREATE_METRICS = `
  insert into "monitoring"."metric" ("organization_id", "name", "type", "unit", "description", "created_at")
  select distinct on (g."name") ?, g."name", g."type", g."unit", g."description", ?::timestamptz from ${GIVEN('?')} order by g."name"
  on conflict ("organization_id", "name") do nothing`;

const CREATE = `
  with "created" as (
    insert into "monitoring"."series" ("organization_id", "metric_id", "service_id", "account_id", "labels", "digest", "is_delta",
      "is_measured", "created_at", "active_at")
    select ?, m."id", g."service_id", g."account_id", g."labels", decode(g."digest", 'hex'), g."is_delta" and m."type" <> 'gauge',
      ?::boolean, at."now", at."now"
    from (select ?::timestamptz as "now") at cross join ${GIVEN('?')}
    join "monitoring"."metric" m on m."organization_id" = ? and m."name" = g."name"
    on conflict ("metric_id", "digest") do update set "active_at" = excluded."active_at"
    returning *
  )
  select ${COLUMNS} from "created" s join "monitoring"."metric" m on m."id" = s."metric_id"`;
