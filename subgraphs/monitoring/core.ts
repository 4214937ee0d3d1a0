import { NO_LIMIT } from '../../kernel/access/allowances.ts';
import { RecordReader } from '../../kernel/records/record-reader.ts';
import { RetentionTask } from '../../kernel/work/retention.ts';
import { alertConsumer } from './alert-effects/alert-consumer.ts';
import { alertSweeper } from './alert-evaluation/alert.sweeper.ts';
import { MaintainedServices } from './alert-evaluation/maintained-services.ts';
import { AlertTicket } from './alert-tickets/alert-ticket.entity.ts';
import { alertTicketRetention } from './alert-tickets/alert-ticket.retention.ts';
import { alertTicketSweeper } from './alert-tickets/alert-ticket.sweeper.ts';
import { ticketOpened } from './alert-tickets/ticket-opened.reaction.ts';
import { Alert } from './alerts/alert.entity.ts';
import { alertRetention } from './alerts/alert.retention.ts';
import { AlertInstance } from './alerts/alert-instance.entity.ts';
import { AlertMails } from './alerts/alert-mail.job.ts';
import { AlertTransition } from './alerts/alert-transition.entity.ts';
import { analyticsReports } from './analytics-reports/analytics-reports.ts';
import { componentSweeper } from './components/component.sweeper.ts';
import { AffectedService } from './incidents/affected-service.entity.ts';
import { Incident } from './incidents/incident.entity.ts';
import { incidentRetention } from './incidents/incident.retention.ts';
import { incidentSweeper } from './incidents/incident.sweeper.ts';
import { IncidentAlert } from './incidents/incident-alert.entity.ts';
import { healthConsumer } from './incidents/incident-health.ts';
import { IncidentTicket } from './incidents/incident-ticket.entity.ts';
import { IncidentUpdate } from './incidents/incident-update.entity.ts';
import { Ingestion } from './ingest/ingestion.ts';
import { SampleFollower } from './live-samples/sample-follower.ts';
import { Logs } from './logs/logs.ts';
import { measurementConsumer } from './measurements/measurement-consumer.ts';
import type { MonitoringPorts } from './ports.ts';
import { Rollups } from './rollups/rollups.ts';
import { DEFAULT_KEPT, sampleRetention } from './samples/sample.retention.ts';
import { SampleStore } from './samples/sample.store.ts';
import { samplePartitions } from './samples/sample-partitions.ts';
import { SampleWriter } from './samples/sample-writer.ts';
import { SeriesStore } from './series/series.store.ts';
import { SeriesRegistry } from './series/series-registry.ts';
import { ServiceAccounts } from './services/service-accounts.ts';

const RETENTION_MS = 600_000;

/** Objects that exist once per process. All requests share these objects. */
export type MonitoringCore = ReturnType<typeof createCore>;

export function createCore({ sampleAllowance: allowance = NO_LIMIT, kept = DEFAULT_KEPT, ...ports }: MonitoringPorts) {
  const { orm, clock, graph, log } = ports;
  const partitions = samplePartitions(orm);
  const samples = sampleRetention({ ...ports, partitions, kept });
  const incidents = incidentRetention(ports);
  const alerts = [alertRetention(ports), alertTicketRetention(ports)];
  const alertMails = new AlertMails(ports);
  const services = new ServiceAccounts(graph, ports.log);
  const store = new SampleStore(orm, partitions);
  const series = new SeriesRegistry({ store: new SeriesStore(ports), services, clock });
  const sampleFollower = new SampleFollower(ports);
  return {
    ports,
    sampleFollower,
    logs: new Logs(ports, services),
    kept,
    services,
    reports: analyticsReports(ports),
    alertMails,
    partitions,
    retained: [...samples, incidents, ...alerts],
    reactions: [ticketOpened(ports)],
    consumers: [healthConsumer(ports), alertConsumer({ ...ports, services }), measurementConsumer({ ...ports, store, series, kept })],
    working: [
      sampleFollower,
      componentSweeper({ ...ports, checks: ports.componentChecks ?? {} }),
      new Rollups({ ...ports, partitions }),
      incidentSweeper(ports),
      alertTicketSweeper(ports),
      alertSweeper({ ...ports, mails: alertMails, maintained: new MaintainedServices(ports) }),
      new RetentionTask({ name: 'monitoring.samples', everyMs: RETENTION_MS, log }, () => samples),
      new RetentionTask({ name: 'monitoring.incidents', everyMs: RETENTION_MS, log }, () => [incidents]),
      new RetentionTask({ name: 'monitoring.alerts', everyMs: RETENTION_MS, log }, () => alerts),
    ],
    ingestion: new Ingestion({ allowance, clock, series, writer: new SampleWriter(store) }),
    readers: {
      alerts: new RecordReader(ports, Alert),
      alertInstances: new RecordReader(ports, AlertInstance),
      alertTransitions: new RecordReader(ports, AlertTransition),
      alertTickets: new RecordReader(ports, AlertTicket),
      incidents: new RecordReader(ports, Incident),
      affectedServices: new RecordReader(ports, AffectedService),
      incidentUpdates: new RecordReader(ports, IncidentUpdate),
      incidentAlerts: new RecordReader(ports, IncidentAlert),
      incidentTickets: new RecordReader(ports, IncidentTicket),
    },
  };
}
