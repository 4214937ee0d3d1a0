import { AVAILABILITY_TARGETS } from '../../../kernel/access/availability-targets.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import type { ReportEngine } from '../../../kernel/reports/report-engine.ts';
import { RETENTION_DAYS } from '../../../kernel/reports/report-record.ts';
import { ReportDeliveryMethod, ReportFormat } from '../../../kernel/reports/report-values.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { DAY_MS, dateOf } from '../../../kernel/values/days.ts';
import { localTime } from '../../../kernel/values/local-time.ts';
import { ServiceType } from '../../../kernel/values/service-type.ts';
import type { AnalyticsService } from '../analytics/analytics.service.ts';
import { LISTED_SERVICES_MAX, type ServiceList, TooManyServices } from '../services/service-list.ts';
import { AnalyticsReport } from './analytics-report.entity.ts';
import type { AnalyticsReportInput } from './analytics-report.inputs.ts';
import { AnalyticsReportGrouping, AnalyticsReportType, METRICS_OF } from './analytics-report.states.ts';
import { periodsOf, ROWS_MAX } from './report-rows.ts';

/** Estimated time until a report job starts, and for one row. The values were measured and rounded up. */
const WAIT_MS = 5_000;
const ROW_MS = 100;

export interface AnalyticsReportServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  engine: ReportEngine<AnalyticsReport>;
  analytics: AnalyticsService;
  list: ServiceList;
  isSandbox: boolean;
}

/** Manages the reports about services of the caller's organization (specification 4.6). */
export class AnalyticsReportService {
  constructor(private readonly deps: AnalyticsReportServiceDeps) {}

  /**
   * Creates a report. A job generates the file of the report.
   * @throws InvalidParameters for too many rows; ResourceNotFound for an unknown account or service
   */
  async create(input: AnalyticsReportInput): Promise<AnalyticsReport> {
    const { em, request, clock, engine, analytics, isSandbox } = this.deps;
    const { reportType, dateRange, metrics, format, delivery } = input;
    const now = clock.now();
    const timezone = input.timezone ?? 'UTC';
    const dayOf = (time: number): string => dateOf(new Date(localTime(time, timezone)));
    const end = dateRange.end.getTime() - 1;
    // in a sandbox, billing can have figures of later days
    const [firstDay, lastDay] = [dayOf(dateRange.start.getTime()), dayOf(isSandbox ? end : Math.min(end, now.getTime()))];
    const accountId = input.accountId ?? null;
    const serviceIds = input.serviceIds ? [...new Set(input.serviceIds)] : null;
    await analytics.begin({ dateRange: `${firstDay}..${lastDay}`, timezone, accountId, serviceIds });
    const grouping = input.grouping ?? [];
    const rows = await this.#requireRows({ firstDay, lastDay, grouping, accountId, serviceIds });
    const report = Object.assign(new AnalyticsReport(), {
      id: newId('report'),
      organizationId: request.principal.organizationId,
      reportType,
      parameters: {
        ...{ firstDay, lastDay, timezone, grouping, accountId, serviceIds, format: format ?? ReportFormat.JSON },
        metrics: reportType === AnalyticsReportType.CUSTOM ? (metrics ?? []) : [...METRICS_OF[reportType]],
        availabilityTarget: AVAILABILITY_TARGETS[request.principal.plan],
      },
      delivery: { method: delivery?.method ?? ReportDeliveryMethod.DOWNLOAD, notificationEmail: delivery?.notificationEmail ?? null },
      estimatedCompletion: new Date(now.getTime() + WAIT_MS + ROW_MS * rows),
      createdAt: now,
      expiresAt: new Date(now.getTime() + RETENTION_DAYS * DAY_MS),
    });
    return engine.create(em, report);
  }

  /** Returns a report; null if the caller's organization does not have it. */
  find(id: string): Promise<AnalyticsReport | null> {
    return this.deps.em.findOne(AnalyticsReport, { id });
  }

  list(page: PageInput): Promise<Page<AnalyticsReport>> {
    return listPage(this.deps.em, AnalyticsReport, { where: {}, page, defaultSort: NEWEST_FIRST });
  }

  /**
   * Deletes a report immediately. A job that is enqueued with the deletion deletes the file.
   * @throws ResourceNotFound, ReportGenerating
   */
  delete(id: string): Promise<AnalyticsReport> {
    return this.deps.engine.delete(this.deps.em, id);
  }

  /** Returns the address of a report's file; null if the file is not ready, or if it has costs that the caller may not read. */
  urlOf(report: AnalyticsReport): string | null {
    const { engine, request } = this.deps;
    return report.hasCosts && !request.principal.may('billing:read') ? null : engine.urlOf(report);
  }

  /** Returns the number of rows. @throws InvalidParameters for too many rows */
  async #requireRows(
    parameters: Pick<AnalyticsReport['parameters'], 'firstDay' | 'lastDay' | 'grouping' | 'accountId' | 'serviceIds'>,
  ): Promise<number> {
    const rows = periodsOf(parameters).length * (await this.#countGroups(parameters));
    if (rows > ROWS_MAX)
      throw new InvalidParameters([
        {
          field: 'grouping',
          reason: `must give at most ${ROWS_MAX} rows, not ${rows}; use a shorter period, longer groups or fewer services`,
        },
      ]);
    return rows;
  }

  /** Returns the number of services or types of services that have a row of their own in each period. */
  async #countGroups({ grouping, accountId, serviceIds }: Pick<AnalyticsReport['parameters'], 'grouping' | 'accountId' | 'serviceIds'>) {
    const { SERVICE, TYPE } = AnalyticsReportGrouping;
    if (!grouping.includes(SERVICE) && !grouping.includes(TYPE)) return 1;
    const services = serviceIds?.length ?? (await this.deps.list.count({ accountId }));
    if (grouping.includes(SERVICE)) return services;
    if (services > LISTED_SERVICES_MAX) throw new TooManyServices();
    return Object.values(ServiceType).length;
  }
}
