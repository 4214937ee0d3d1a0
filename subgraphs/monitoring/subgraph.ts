import type { Domain, RunningDomain } from '../../kernel/domain.ts';
import { buildSubgraph } from '../../kernel/graphql/build-subgraph.ts';
import { AlertTicket } from './alert-tickets/alert-ticket.entity.ts';
import { alertTicketEvents } from './alert-tickets/alert-ticket.events.ts';
import { AlertTicketResolver, AlertTicketsResolver, TicketAlertsResolver } from './alert-tickets/alert-ticket.resolver.ts';
import { Alert } from './alerts/alert.entity.ts';
import { alertEvents } from './alerts/alert.events.ts';
import { AlertInstanceResolver, AlertResolver, ServiceAlertsResolver } from './alerts/alert.resolver.ts';
import { AlertInstance } from './alerts/alert-instance.entity.ts';
import { AlertTransition } from './alerts/alert-transition.entity.ts';
import { AnalyticsResolver } from './analytics/analytics.resolver.ts';
import { AnalyticsReport } from './analytics-reports/analytics-report.entity.ts';
import { AnalyticsReportResolver } from './analytics-reports/analytics-report.resolver.ts';
import { ChartResolver, ServiceChartsResolver } from './charts/chart.resolver.ts';
import { MonitoringContext } from './context.ts';
import { createCore } from './core.ts';
import { AffectedService } from './incidents/affected-service.entity.ts';
import { Incident } from './incidents/incident.entity.ts';
import { incidentEvents } from './incidents/incident.events.ts';
import {
  AffectedServiceResolver,
  IncidentAlertResolver,
  IncidentResolver,
  IncidentTicketResolver,
  ServiceIncidentsResolver,
  TicketIncidentsResolver,
} from './incidents/incident.resolver.ts';
import { IncidentAlert } from './incidents/incident-alert.entity.ts';
import { IncidentTicket } from './incidents/incident-ticket.entity.ts';
import { IncidentUpdate } from './incidents/incident-update.entity.ts';
import { mountSamples } from './ingest/sample.routes.ts';
import { LiveSampleResolver } from './live-samples/live-sample.resolver.ts';
import { LogPageInfoResolver, LogResolver } from './logs/log.resolver.ts';
import type { Logs } from './logs/logs.ts';
import { MetricResolver } from './metrics/metric.resolver.ts';
import { migrations } from './migrations/index.ts';
import { organizationData } from './organization-data.ts';
import { mountOtlp } from './otlp/otlp.routes.ts';
import type { MonitoringPorts } from './ports.ts';
import { Service, Ticket } from './references.ts';
import { StatusResolver } from './status/status.resolver.ts';

/** The running monitoring domain, with its functions for other parts of the platform. */
export interface RunningMonitoring extends RunningDomain {
  logs: Logs;
}

/** The monitoring domain (specification 4.6): metrics, alerts, incidents and logs. */
export const monitoring: Domain<MonitoringPorts, RunningMonitoring> = {
  name: 'monitoring',
  entities: [
    Incident,
    AffectedService,
    IncidentUpdate,
    IncidentTicket,
    IncidentAlert,
    Alert,
    AlertInstance,
    AlertTransition,
    AlertTicket,
    AnalyticsReport,
  ],
  tablesWithoutEntity: ['metric', 'series', 'sample', 'rollup_1m', 'rollup_15m', 'late_minute', 'rollup_state', 'log_entry', 'component'],
  migrations,
  organizationData,
  events: [...incidentEvents, ...alertEvents, ...alertTicketEvents],
  live: [
    {
      field: 'incidentUpdated',
      subject: 'Incident',
      eventField: 'incident',
      events: ['incident.*'],
      requires: 'monitoring:read',
      description: 'Follow incidents: opened, updated and resolved.',
    },
    {
      field: 'alertUpdated',
      subject: 'Alert',
      eventField: 'alert',
      events: ['alert.*'],
      requires: 'monitoring:read',
      description: 'Follow alerts: every change of their states, and that they are acknowledged or silenced.',
    },
  ],
  start(ports) {
    const core = createCore(ports);
    return {
      subgraph: buildSubgraph<MonitoringContext>({
        name: 'monitoring',
        resolvers: [
          MetricResolver,
          ChartResolver,
          ServiceChartsResolver,
          IncidentResolver,
          AffectedServiceResolver,
          IncidentTicketResolver,
          IncidentAlertResolver,
          ServiceIncidentsResolver,
          TicketIncidentsResolver,
          AlertResolver,
          AlertInstanceResolver,
          ServiceAlertsResolver,
          AlertTicketsResolver,
          AlertTicketResolver,
          TicketAlertsResolver,
          StatusResolver,
          LiveSampleResolver,
          AnalyticsResolver,
          AnalyticsReportResolver,
          LogResolver,
          LogPageInfoResolver,
        ],
        orphanedTypes: [Service, Ticket],
        references: {
          Alert: { requires: 'monitoring:read', load: ({ id = '' }, { loaders }) => loaders.alerts.load(id) },
          // each figure is limited to the accounts of the caller
          AnalyticsScope: { requires: 'analytics:read', scope: 'open', load: async ({ id = '' }) => ({ id }) },
          Incident: { requires: 'monitoring:read', load: ({ id = '' }, { loaders }) => loaders.incidents.load(id) },
        },
        createContext: (request) => new MonitoringContext(core, request),
      }),
      logs: core.logs,
      reactions: core.reactions,
      consumers: [...core.consumers, core.logs.consumer],
      retained: [...core.retained, ...core.logs.retained],
      async mount(app) {
        await mountSamples(app, core.ingestion, ports.clock);
        await core.logs.mount(app);
        await mountOtlp(app, { ingestion: core.ingestion, logs: core.logs.intake });
        await core.reports.mount(app);
      },
      start: async () => {
        for (const one of core.working) one.start();
        core.logs.start();
      },
      stop: async () => void (await Promise.all([core.logs.stop(), ...core.working.map((one) => one.stop())])),
    };
  },
};
