import { monitoringTables } from './0001-monitoring.ts';
import { samples } from './0002-samples.ts';
import { logs } from './0004-logs.ts';
import { incidentTables } from './0010-incidents.ts';
import { measuredSeries } from './0011-measured-series.ts';
import { alertTables } from './0012-alerts.ts';
import { analyticsReportTable } from './0013-analytics-reports.ts';
import { alertIncidents } from './0014-alert-incidents.ts';
import { alertMailLimit } from './0015-alert-mail-limit.ts';
import { histograms } from './0020-histograms.ts';
import { logOrder } from './0021-log-order.ts';
import { components } from './0022-components.ts';
import { alertTickets } from './0024-alert-tickets.ts';
import { outboxNotification } from './0025-outbox-notification.ts';

/** Migrations in the order in which they are applied. */
export const migrations = [
  monitoringTables,
  samples,
  logs,
  incidentTables,
  measuredSeries,
  alertTables,
  analyticsReportTable,
  alertIncidents,
  alertMailLimit,
  histograms,
  logOrder,
  components,
  alertTickets,
  outboxNotification,
];
