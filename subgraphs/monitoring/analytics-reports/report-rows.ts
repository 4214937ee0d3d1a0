import { parse } from 'graphql';
import type { Graph } from '../../../kernel/graph.ts';
import type { ReportContent, ReportProgress } from '../../../kernel/reports/report-definition.ts';
import { ReportFormat } from '../../../kernel/reports/report-values.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { csvTable } from '../../../kernel/values/csv.ts';
import { datesBetween, isoWeek } from '../../../kernel/values/days.ts';
import { ServiceType } from '../../../kernel/values/service-type.ts';
import { ServiceList } from '../services/service-list.ts';
import type { AnalyticsReport } from './analytics-report.entity.ts';
import { AnalyticsReportGrouping, AnalyticsReportMetric } from './analytics-report.states.ts';
import type { AnalyticsReportParameters } from './analytics-report.values.ts';

/** Largest number of rows of a report. Each row is one query of the graph. */
export const ROWS_MAX = 1000;

const FIGURES = parse(`query ReportFigures($dateRange: String!, $timezone: String!, $accountId: ID, $serviceIds: [ID!], $type: ServiceType,
    $availability: Boolean!, $quality: Boolean!, $incidents: Boolean!, $usage: Boolean!, $costs: Boolean!, $tickets: Boolean!) {
  analytics(dateRange: $dateRange, timezone: $timezone, accountId: $accountId, serviceIds: $serviceIds, type: $type) {
    availability @include(if: $availability) { uptimePercentage downtimeSeconds }
    quality @include(if: $quality) { latencyAverageMs latencyP50Ms latencyP95Ms latencyP99Ms jitterAverageMs packetLossAverage }
    incidents @include(if: $incidents) { opened resolved meanSecondsToIdentify meanSecondsToResolve }
    usage @include(if: $usage) { totalUsage { voiceMinutes dataGb cloudStorageGb apiCalls } }
    costs @include(if: $costs) { total currency }
    tickets @include(if: $tickets) { opened resolved averageResolutionHours slaCompliance }
  }
}`);

type Figures = Readonly<Record<string, number | string | null>>;

/** Response of the graph. A field is missing if the report does not need it. */
interface Found {
  analytics: {
    availability?: Figures;
    quality?: Figures;
    incidents?: Figures;
    usage?: { totalUsage: Figures };
    costs?: Figures;
    tickets?: Figures;
  };
}

/** The columns of each metric, with their names in the file, and where the value is. */
const COLUMNS: Readonly<Record<AnalyticsReportMetric, Readonly<Record<string, (found: Found['analytics'], target: number) => unknown>>>> = {
  [AnalyticsReportMetric.AVAILABILITY]: {
    uptime_percentage: ({ availability }) => availability?.uptimePercentage,
    availability_target: (_, target) => target,
    downtime_seconds: ({ availability }) => availability?.downtimeSeconds,
  },
  [AnalyticsReportMetric.LATENCY]: {
    latency_average_ms: ({ quality }) => quality?.latencyAverageMs,
    latency_p50_ms: ({ quality }) => quality?.latencyP50Ms,
    latency_p95_ms: ({ quality }) => quality?.latencyP95Ms,
    latency_p99_ms: ({ quality }) => quality?.latencyP99Ms,
  },
  [AnalyticsReportMetric.JITTER]: { jitter_average_ms: ({ quality }) => quality?.jitterAverageMs },
  [AnalyticsReportMetric.PACKET_LOSS]: { packet_loss_average: ({ quality }) => quality?.packetLossAverage },
  [AnalyticsReportMetric.INCIDENTS]: {
    incidents_opened: ({ incidents }) => incidents?.opened,
    incidents_resolved: ({ incidents }) => incidents?.resolved,
    mean_seconds_to_identify: ({ incidents }) => incidents?.meanSecondsToIdentify,
    mean_seconds_to_resolve: ({ incidents }) => incidents?.meanSecondsToResolve,
  },
  [AnalyticsReportMetric.USAGE]: {
    voice_minutes: ({ usage }) => usage?.totalUsage.voiceMinutes,
    data_gb: ({ usage }) => usage?.totalUsage.dataGb,
    cloud_storage_gb: ({ usage }) => usage?.totalUsage.cloudStorageGb,
    api_calls: ({ usage }) => usage?.totalUsage.apiCalls,
  },
  [AnalyticsReportMetric.COSTS]: { cost: ({ costs }) => costs?.total, currency: ({ costs }) => costs?.currency },
  [AnalyticsReportMetric.TICKETS]: {
    tickets_opened: ({ tickets }) => tickets?.opened,
    tickets_resolved: ({ tickets }) => tickets?.resolved,
    average_resolution_hours: ({ tickets }) => tickets?.averageResolutionHours,
    sla_compliance: ({ tickets }) => tickets?.slaCompliance,
  },
};

const { SERVICE, TYPE, DAY, WEEK, MONTH } = AnalyticsReportGrouping;
const PERIOD_OF: Readonly<Partial<Record<AnalyticsReportGrouping, (day: string) => string>>> = {
  [DAY]: (day) => day,
  [WEEK]: isoWeek,
  [MONTH]: (day) => day.slice(0, 7),
};

/** A group of consecutive days. `name` is undefined if the days are not grouped. */
interface Days {
  name?: string;
  first: string;
  last: string;
}

/** Returns the periods of the rows of a report, oldest first. */
export function periodsOf({ firstDay, lastDay, grouping }: Pick<AnalyticsReportParameters, 'firstDay' | 'lastDay' | 'grouping'>): Days[] {
  const nameOf = grouping.map((one) => PERIOD_OF[one]).find((one) => one !== undefined);
  if (!nameOf) return [{ first: firstDay, last: lastDay }];
  return [...Map.groupBy(datesBetween(firstDay, lastDay), nameOf)].map(([name, days]) => ({
    ...{ name, first: days[0] ?? firstDay, last: days.at(-1) ?? lastDay },
  }));
}

/** A group of services. Its value is a column of the file. */
interface ServiceGroup {
  column?: { service_id: string } | { type: ServiceType };
  /** Selection of the services in the query. */
  selected: { serviceIds?: readonly string[] | null; type?: string | null };
}

/** Returns the groups of services that have a row of their own in each period. */
async function groupsOf(
  list: ServiceList,
  { grouping, accountId, serviceIds }: Pick<AnalyticsReportParameters, 'grouping' | 'accountId' | 'serviceIds'>,
): Promise<ServiceGroup[]> {
  if (grouping.includes(SERVICE)) {
    const ids = serviceIds ?? (await list.ids({ accountId })).slice(0, ROWS_MAX);
    return ids.map((id) => ({ column: { service_id: id }, selected: { serviceIds: [id] } }));
  }
  if (!grouping.includes(TYPE)) return [{ selected: { serviceIds } }];
  const groups: ServiceGroup[] = [];
  for (const [name, type] of Object.entries(ServiceType)) {
    if (!serviceIds) groups.push({ column: { type }, selected: { type: name } });
    else {
      const ids = await list.ids({ ids: serviceIds, accountId, type });
      if (ids.length > 0) groups.push({ column: { type }, selected: { serviceIds: ids } });
    }
  }
  return groups;
}

/** Builds the file of a report: a query of the graph for each row, with the figures that clients get. */
export async function buildReport(
  { graph, request, now }: { graph: Graph; request: RequestContext; now: Date },
  report: AnalyticsReport,
  progress: ReportProgress,
): Promise<ReportContent> {
  const { parameters } = report;
  const { metrics, grouping, accountId, timezone, availabilityTarget } = parameters;
  const has = (...some: AnalyticsReportMetric[]): boolean => some.some((one) => metrics.includes(one));
  const { AVAILABILITY, LATENCY, JITTER, PACKET_LOSS, INCIDENTS, USAGE, COSTS, TICKETS } = AnalyticsReportMetric;
  const selected = {
    availability: has(AVAILABILITY),
    quality: has(LATENCY, JITTER, PACKET_LOSS),
    incidents: has(INCIDENTS),
    usage: has(USAGE),
    costs: has(COSTS),
    tickets: has(TICKETS),
  };
  const time = grouping.find((one) => one !== SERVICE && one !== TYPE);
  const columns = metrics.flatMap((metric) => Object.entries(COLUMNS[metric]));
  const groups = await groupsOf(new ServiceList(graph, request), parameters);
  const periods = periodsOf(parameters);
  const rows: Record<string, unknown>[] = [];
  for (const { name, first, last } of periods)
    for (const { column: group, selected: services } of groups) {
      const variables = { dateRange: `${first}..${last}`, timezone, accountId, ...services, ...selected };
      const { analytics } = await graph.query<Found>(FIGURES, variables, request);
      rows.push({
        ...(time && { [time]: name }),
        ...group,
        ...Object.fromEntries(columns.map(([column, of]) => [column, of(analytics, availabilityTarget) ?? null])),
      });
      await progress(rows.length / (periods.length * groups.length));
    }
  const names = [
    ...(time ? [time] : []),
    ...(grouping.includes(SERVICE) ? ['service_id'] : grouping.includes(TYPE) ? ['type'] : []),
    ...columns.map(([column]) => column),
  ];
  const text =
    parameters.format === ReportFormat.CSV ? csvTable(names, rows) : `${JSON.stringify(documentOf(report, rows, now), null, 2)}\n`;
  return { content: Buffer.from(text), rows: rows.length };
}

const documentOf = ({ id, reportType, parameters }: AnalyticsReport, rows: readonly object[], now: Date): object => ({
  report: { id, report_type: reportType, generated_at: now.toISOString() },
  period: { first_day: parameters.firstDay, last_day: parameters.lastDay, timezone: parameters.timezone },
  account_id: parameters.accountId,
  service_ids: parameters.serviceIds,
  metrics: parameters.metrics,
  grouping: parameters.grouping,
  rows,
});
