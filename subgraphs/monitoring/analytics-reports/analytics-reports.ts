import { ReportEngine, type ReportPorts } from '../../../kernel/reports/report-engine.ts';
import { requestOf } from '../../../kernel/request.ts';
import type { MonitoringPorts } from '../ports.ts';
import { AnalyticsReport } from './analytics-report.entity.ts';
import { AnalyticsReportMails } from './analytics-report-mail.job.ts';
import { buildReport } from './report-rows.ts';

/** Creates the engine of the reports: figures of the graph, and a mail when the file is ready. */
export function analyticsReports(ports: MonitoringPorts & ReportPorts): ReportEngine<AnalyticsReport> {
  const { graph, log, clock } = ports;
  const engine: ReportEngine<AnalyticsReport> = new ReportEngine(ports, {
    domain: 'monitoring',
    entity: AnalyticsReport,
    resource: 'analytics_report',
    permission: 'analytics:read',
    pathOf: (id) => `/v1/analytics/reports/${id}/file`,
    build: (report, progress) =>
      buildReport({ graph, request: requestOf('monitoring.report', report.organizationId, log), now: clock.now() }, report, progress),
    onReady: async (tx, report) => {
      if (report.delivery.notificationEmail) await mails.enqueue(tx, report);
    },
  });
  const mails = new AnalyticsReportMails(ports, (report) => engine.urlOf(report));
  return engine;
}
