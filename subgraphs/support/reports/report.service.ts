import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Rows } from '../../../kernel/database/database.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import type { ReportEngine } from '../../../kernel/reports/report-engine.ts';
import { RETENTION_DAYS } from '../../../kernel/reports/report-record.ts';
import { type ReportDelivery, ReportDeliveryMethod, ReportFormat } from '../../../kernel/reports/report-values.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { requireZone } from '../../../kernel/values/zones.ts';
import { Report } from './report.entity.ts';
import { ReportMetric, type ReportParameters } from './report.values.ts';

const DEFAULT_DAYS = 30;
/** Estimated time until a report job starts. The value was measured and rounded up. */
const WAIT_MS = 5_000;
/** Estimated time to count the tickets of one week for a large organization. The value was measured and rounded up. */
const WEEK_MS = 250;

/** Default metrics by report type. */
const METRICS_OF: ReadonlyMap<string, readonly ReportMetric[]> = new Map([
  ['sla_performance', [ReportMetric.SLA_COMPLIANCE, ReportMetric.RESOLUTION_TIME]],
  ['customer_satisfaction', [ReportMetric.CUSTOMER_SATISFACTION, ReportMetric.FIRST_CONTACT_RESOLUTION]],
  ['escalations', [ReportMetric.ESCALATION_RATE, ReportMetric.RESOLUTION_TIME]],
]);

export interface ReportRequest {
  reportType: string;
  parameters?: ReportParameters | null;
  delivery?: ReportDelivery | null;
}

export interface ReportServiceDeps {
  em: EntityManager;
  rows: Rows;
  organizationId: string;
  clock: Clock;
  engine: ReportEngine<Report>;
}

/** Manages the reports of the caller's organization (specification 2.7, 3.5). */
export class ReportService {
  constructor(private readonly deps: ReportServiceDeps) {}

  /**
   * Creates a report. A job generates the file of the report.
   * @throws InvalidParameters for a time zone that the database does not support
   */
  async generate({ reportType, parameters, delivery }: ReportRequest): Promise<Report> {
    const { em, rows, organizationId, clock, engine } = this.deps;
    const now = clock.now();
    const { start, end } = parameters?.dateRange ?? { start: new Date(now.getTime() - DEFAULT_DAYS * DAY_MS), end: now };
    if (parameters?.timezone) await requireZone(rows, parameters.timezone, 'parameters.timezone');
    const report = Object.assign(new Report(), {
      id: newId('report'),
      organizationId,
      reportType,
      parameters: {
        dateRange: { start: start.toISOString(), end: end.toISOString() },
        filters: {
          customerIds: parameters?.filters?.customerIds ?? [],
          categories: parameters?.filters?.categories ?? [],
          priorities: parameters?.filters?.priorities ?? [],
        },
        metrics: parameters?.metrics ?? METRICS_OF.get(reportType) ?? Object.values(ReportMetric),
        grouping: parameters?.grouping ?? [],
        format: parameters?.format ?? ReportFormat.JSON,
        timezone: parameters?.timezone ?? 'UTC',
      },
      delivery: { method: delivery?.method ?? ReportDeliveryMethod.DOWNLOAD, notificationEmail: delivery?.notificationEmail ?? null },
      estimatedCompletion: new Date(now.getTime() + WAIT_MS + WEEK_MS * Math.ceil((end.getTime() - start.getTime()) / (7 * DAY_MS))),
      createdAt: now,
      expiresAt: new Date(now.getTime() + RETENTION_DAYS * DAY_MS),
    });
    return engine.create(em, report);
  }

  /** Returns a report; null if the caller's organization does not have it. */
  find(id: string): Promise<Report | null> {
    return this.deps.em.findOne(Report, { id });
  }

  /**
   * Deletes a report immediately. A job that is enqueued with the deletion deletes the file.
   * @throws ResourceNotFound, ReportGenerating
   */
  delete(id: string): Promise<Report> {
    return this.deps.engine.delete(this.deps.em, id);
  }

  /** Returns the address of a report's file; null if the file is not ready. */
  urlOf(report: Report): string | null {
    return this.deps.engine.urlOf(report);
  }

  list(page: PageInput): Promise<Page<Report>> {
    return listPage(this.deps.em, Report, { where: {}, page, defaultSort: NEWEST_FIRST });
  }
}
