import { del, get, post, put, type Route, view } from '../route.ts';

const alert = view(
  'Alert',
  `{
  ...fields
  instances(limit: 20) { id serviceId labels state since value firedAt notifiedAt acknowledgedAt acknowledgedBy }
}`,
);

/** REST routes of alerts (specification 4.6). */
export const alertRoutes: readonly Route[] = [
  get('listAlerts', '/monitoring/alerts', 'alerts', {
    summary: 'List alerts',
    description: 'Lists alerts, newest first, each with its newest 20 instances that are not `ok`.',
    select: alert,
  }),
  post('createAlert', '/monitoring/alerts', 'createAlert', {
    summary: 'Create an alert',
    errors: { INVALID_STATE: 'the plan does not allow more alerts' },
    description:
      'Creates an alert, which compares a metric with a limit. The alert is evaluated immediately, and then every `interval_seconds`. The value is the aggregation of all samples in the window. With `group_by`, each combination of the labels has its own value. When the alert fires, and when it is resolved, the addresses in `notify` get an e-mail, and webhooks the events `alert.firing` and `alert.resolved`. Nobody is notified that it fires while it is silenced or its service is in maintenance.',
    select: alert,
    example: {
      name: 'High latency',
      service_id: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
      metric: 'latency_ms',
      condition: 'above',
      threshold: 100,
      recovery_threshold: 80,
      for_seconds: 120,
      severity: 'critical',
      notify: ['noc@example.com'],
    },
  }),
  get('getAlert', '/monitoring/alerts/{alert_id}', 'alert', {
    summary: 'Get an alert',
    select: alert,
    addition: true,
  }),
  put('updateAlert', '/monitoring/alerts/{alert_id}', 'updateAlert', {
    summary: 'Update an alert',
    description:
      'Changes an alert. The alert is evaluated immediately, and keeps its state until then. The metric and the service cannot be changed.',
    select: alert,
    addition: true,
    example: { threshold: 150, recovery_threshold: 120 },
  }),
  del('deleteAlert', '/monitoring/alerts/{alert_id}', 'deleteAlert', {
    summary: 'Delete an alert',
    description: 'Deletes an alert and its history. If people were notified that it fires, the event `alert.resolved` is sent.',
    select: alert,
    addition: true,
  }),
  post('silenceAlert', '/monitoring/alerts/{alert_id}/silence', 'silenceAlert', {
    summary: 'Silence an alert',
    description:
      'Silences an alert: until the given time, nobody is notified that it fires. The alert is still evaluated. If it fires when the silence ends, people are notified at that time. To end a silence now, omit `until`.',
    status: 200,
    select: alert,
    addition: true,
    example: { comment: 'The carrier is working on it.' },
  }),
  post('acknowledgeAlert', '/monitoring/alerts/{alert_id}/acknowledge', 'acknowledgeAlert', {
    summary: 'Acknowledge an alert',
    description:
      'Acknowledges that an alert fires. People are not notified again of the instances that fire now. Instances that begin to fire later are notified. If nothing fires, nothing changes.',
    status: 200,
    select: alert,
    addition: true,
  }),
];
