import type { EntityManager } from '../../../kernel/database/database.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import type { Alert } from '../alerts/alert.entity.ts';
import type { MetricType } from '../metrics/metric.states.ts';
import type { Labels } from '../series/series.ts';

/** Time without samples after which a series counts as ended. */
const ENDED_MS = DAY_MS;
/** Length of the longest window that is read from samples. Longer windows are read from 1-minute rollups. */
export const SAMPLE_WINDOW_SECONDS = 1800;
/** Maximum number of series that an alert watches. A long window has up to 1,440 rollups for each series. */
const MAX_SERIES = 1000;
const MAX_SERIES_OF_LONG_WINDOW = 100;

/** A series that an alert watches. */
export interface WatchedSeries {
  id: number;
  serviceId: string | null;
  labels: Labels;
  isDelta: boolean;
}

/** The metric of an alert, and the series that it watches. */
export interface Watched {
  /** Type of the metric. Null if the metric does not exist. */
  type: MetricType | null;
  series: WatchedSeries[];
  /** Maximum number of series that the alert watches. */
  limit: number;
  /** True if more series match than the limit allows. */
  isCut: boolean;
}

interface Row {
  index: number;
  type: MetricType;
  id: number | null;
  service_id: string | null;
  labels: Labels;
  is_delta: boolean;
}

const limitOf = ({ windowSeconds }: Alert): number => (windowSeconds > SAMPLE_WINDOW_SECONDS ? MAX_SERIES_OF_LONG_WINDOW : MAX_SERIES);

/** Reads the series that alerts watch, with one statement. Returns them in the order of the alerts. */
export async function seriesOf(tx: EntityManager, alerts: readonly Alert[], now: Date): Promise<Watched[]> {
  const wanted = alerts.map((alert, index) => ({
    index,
    organization_id: alert.organizationId,
    metric: alert.metric,
    service_id: alert.serviceId,
    labels: labelsOf(alert.labels),
    limit: limitOf(alert) + 1,
  }));
  const since = new Date(now.getTime() - ENDED_MS);
  const rows = await tx.execute<Row[]>(SERIES, [JSON.stringify(wanted), since.toISOString()]);
  const byAlert = Map.groupBy(rows, ({ index }) => index);
  return alerts.map((alert, index) => {
    const found = byAlert.get(index) ?? [];
    const limit = limitOf(alert);
    const series = found.flatMap(({ id, service_id: serviceId, labels, is_delta: isDelta }) =>
      id === null ? [] : [{ id, serviceId, labels, isDelta }],
    );
    return { type: found[0]?.type ?? null, series: series.slice(0, limit), limit, isCut: series.length > limit };
  });
}

/** Parses labels that are written as `name=value`. */
const labelsOf = (texts: readonly string[]): Labels =>
  Object.fromEntries(texts.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]));

const SERIES = `
  select g."index", m."type", s."id", s."service_id", s."labels", s."is_delta"
  from json_to_recordset(?::json) as g("index" int, "organization_id" text, "metric" text, "service_id" text, "labels" jsonb, "limit" int)
  join "monitoring"."metric" m on m."organization_id" = g."organization_id" and m."name" = g."metric"
  left join lateral (
    select s."id", s."service_id", s."labels", s."is_delta" from "monitoring"."series" s
    where s."organization_id" = g."organization_id" and s."metric_id" = m."id" and (g."service_id" is null or s."service_id" = g."service_id")
      and s."labels" @> g."labels" and s."active_at" > ?::timestamptz
    order by s."digest" limit g."limit"
  ) s on true`;
