import type { ReportContent } from '../../../kernel/reports/report-definition.ts';
import { ReportFormat } from '../../../kernel/reports/report-values.ts';
import { csvTable } from '../../../kernel/values/csv.ts';
import { isoWeek } from '../../../kernel/values/days.ts';
import {
  averageResolutionHours,
  type Cell,
  customerSatisfaction,
  escalationRate,
  firstContactResolution,
  groupedBy,
  type Sums,
  slaCompliance,
  sumOf,
} from '../analytics/figures.ts';
import type { Report } from './report.entity.ts';
import { ReportGrouping, type ReportMetric } from './report.values.ts';

/**
 * A row of a report. It has one column for each grouping (category or week), the numbers of tickets, and one column for
 * each requested metric. The columns have the names that REST uses.
 */
type Line = Record<string, string | number | null>;

const METRICS: Record<ReportMetric, { name: string; of(sums: Sums): number | null }> = {
  resolution_time: { name: 'avg_resolution_time', of: averageResolutionHours },
  sla_compliance: { name: 'sla_compliance', of: slaCompliance },
  customer_satisfaction: { name: 'customer_satisfaction', of: customerSatisfaction },
  escalation_rate: { name: 'escalation_rate', of: escalationRate },
  first_contact_resolution: { name: 'first_contact_resolution', of: firstContactResolution },
};

const GROUPS: Record<ReportGrouping, (cell: Cell) => string> = {
  [ReportGrouping.CATEGORY]: ({ category }) => category,
  [ReportGrouping.WEEK]: ({ day }) => isoWeek(day),
};

/** Builds the file of a report from the counts of its tickets. */
export function contentOf(report: Report, cells: readonly Cell[], now: Date): ReportContent {
  const { id, reportType, parameters } = report;
  const metrics = [...new Set(parameters.metrics ?? [])].map((metric) => METRICS[metric]);
  const grouping = [...new Set(parameters.grouping ?? [])];
  const rows = linesOf(cells, grouping, metrics);
  const names = [...grouping, 'total_tickets', 'tickets_resolved', 'tickets_open', ...metrics.map(({ name }) => name)];
  const { dateRange, filters, timezone } = parameters;
  const text =
    parameters.format === ReportFormat.CSV
      ? csvTable(names, rows)
      : `${JSON.stringify(
          {
            report: { id, report_type: reportType, generated_at: now.toISOString() },
            period: { start: dateRange?.start, end: dateRange?.end, timezone },
            filters: {
              customer_ids: filters?.customerIds ?? [],
              categories: filters?.categories ?? [],
              priorities: filters?.priorities ?? [],
            },
            grouping,
            totals: lineOf(sumOf(cells), metrics),
            rows,
          },
          null,
          2,
        )}\n`;
  return { content: Buffer.from(text), rows: rows.length };
}

type Metrics = readonly (typeof METRICS)[ReportMetric][];

function linesOf(cells: readonly Cell[], grouping: readonly ReportGrouping[], metrics: Metrics): Line[] {
  const [first, ...others] = grouping;
  if (!first) return [lineOf(sumOf(cells), metrics)];
  return groupedBy(cells, GROUPS[first]).flatMap(([group, some]) =>
    linesOf(some, others, metrics).map((line) => ({ [first]: group, ...line })),
  );
}

const lineOf = (sums: Sums, metrics: Metrics): Line => ({
  total_tickets: sums.opened,
  tickets_resolved: sums.resolved,
  tickets_open: sums.opened - sums.resolved,
  ...Object.fromEntries(metrics.map(({ name, of }) => [name, of(sums)])),
});
