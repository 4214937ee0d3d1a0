import type { Principal } from '../../kernel/access/principal.ts';
import { AnalyticsReads } from '../../kernel/analytics/analytics-reads.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { EntityManager } from '../../kernel/database/database.ts';
import { once } from '../../kernel/once.ts';
import { loadersOf } from '../../kernel/records/loaders.ts';
import { organizationEm } from '../../kernel/records/organization-filter.ts';
import type { RequestContext } from '../../kernel/request.ts';
import { AlertService } from './alerts/alert.service.ts';
import { AnalyticsService } from './analytics/analytics.service.ts';
import { incidentAnalytics } from './analytics/incident-analytics.store.ts';
import { QualityService } from './analytics/quality.service.ts';
import { AnalyticsReportService } from './analytics-reports/analytics-report.service.ts';
import { ChartService } from './charts/chart.service.ts';
import { ComponentService } from './components/component.service.ts';
import type { MonitoringCore } from './core.ts';
import { IncidentService } from './incidents/incident.service.ts';
import { LiveSampleService } from './live-samples/live-sample.service.ts';
import type { LogService } from './logs/log.service.ts';
import { MetricService } from './metrics/metric.service.ts';
import { ServiceList } from './services/service-list.ts';
import { StatusService } from './status/status.service.ts';

/** Services and values that the resolvers of one request use. Each of them is created at its first use. */
export class MonitoringContext {
  readonly principal: Principal;
  readonly clock: Clock;
  readonly #core: MonitoringCore;
  readonly #request: RequestContext;

  constructor(core: MonitoringCore, request: RequestContext) {
    this.principal = request.principal;
    this.clock = core.ports.clock;
    this.#core = core;
    this.#request = request;
  }

  /** True if organizations can advance the clock of billing. */
  get isSandbox(): boolean {
    return this.#core.ports.sandbox ?? false;
  }

  @once get loaders() {
    return loadersOf(this.#core.readers, this.principal);
  }

  @once get charts(): ChartService {
    const { ports, kept } = this.#core;
    return new ChartService({ ...ports, kept, scope: this.principal });
  }

  @once get metrics(): MetricService {
    return new MetricService(this.#core.ports.rows, this.principal);
  }

  @once get liveSamples(): LiveSampleService {
    return new LiveSampleService(this.#core.sampleFollower, this.principal);
  }

  @once get logs(): LogService {
    return this.#core.logs.forScope(this.principal);
  }

  @once get incidents(): IncidentService {
    return new IncidentService({ ...this.shared, services: this.#core.services });
  }

  @once get alerts(): AlertService {
    const { alertMails: mails, services } = this.#core;
    return new AlertService({ ...this.shared, mails, services });
  }

  @once get components(): ComponentService {
    return new ComponentService(this.#core.ports.rows, this.clock);
  }

  @once get status(): StatusService {
    return new StatusService(this.shared);
  }

  @once get analytics(): AnalyticsService {
    const { ports, services } = this.#core;
    return new AnalyticsService({ ...this.shared, rows: ports.rows, services, list: this.serviceList, isSandbox: this.isSandbox });
  }

  @once get analyticsReports(): AnalyticsReportService {
    return new AnalyticsReportService({
      ...this.shared,
      engine: this.#core.reports,
      analytics: this.analytics,
      list: this.serviceList,
      isSandbox: this.isSandbox,
    });
  }

  @once get quality() {
    const service = new QualityService({ rows: this.#core.ports.rows, clock: this.clock, scope: this.principal });
    return {
      figures: new AnalyticsReads((range) => service.read(range)),
      trends: new AnalyticsReads((range) => service.trend(range)),
    };
  }

  @once get incidentFigures() {
    return new AnalyticsReads((range) => incidentAnalytics(this.#core.ports.rows, this.principal, range));
  }

  @once private get serviceList(): ServiceList {
    return new ServiceList(this.#core.ports.graph, this.#request);
  }

  @once private get shared() {
    const { clock, graph } = this.#core.ports;
    return { em: this.em, request: this.#request, clock, graph };
  }

  @once private get em(): EntityManager {
    return organizationEm(this.#core.ports.orm, this.principal);
  }
}
