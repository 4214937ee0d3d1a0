import { area, get, view } from '../route.ts';
import { alertRoutes } from './monitoring-alerts.ts';
import { incidentRoutes } from './monitoring-incidents.ts';
import { monitoringLogs } from './monitoring-logs.ts';
import { maintenanceRoutes } from './monitoring-maintenance.ts';

const status = view(
  'MonitoringStatus',
  `{
  ...fields
  openIncidents { id number title status severity startedAt }
}`,
);

/** REST routes of monitoring (specification 4.6). */
export const monitoring = area(
  'Monitoring',
  'Metrics that your services send, alerts on them, log entries, incidents and maintenance, and the use of your rate limits.',
  [
    get('getMonitoringStatus', '/monitoring/status', 'monitoringStatus', {
      summary: 'Get the overall status',
      description:
        'Gets the overall status of the services that the caller can access, and the status of each component of the platform in `components`. `status` is `major_outage` if half of the services or more are down, and `partial_outage` if fewer services are down. If no service is down, `status` is `degraded` if a service is degraded or an incident is open. The components do not count in `status`: they are the same for all organizations, and are measured every 15 seconds.',
      select: status,
    }),
    get('getMonitoredServiceStatus', '/monitoring/services/{service_id}/status', 'monitoredServiceStatus', {
      summary: 'Get the status of a monitored service',
      description:
        'Gets the status, uptime and latest measurements of a service. Returns the same record as `GET /services/{service_id}/status`, for callers with `monitoring:read`.',
      resource: 'service',
    }),
    ...incidentRoutes,
    ...maintenanceRoutes,
    get('listMetrics', '/monitoring/metrics', 'metrics', {
      summary: 'List metrics',
      description:
        'Lists the metrics of your organization, sorted by name, each with its newest value and its services. The platform itself measures `up`, `latency_ms`, `jitter_ms`, `packet_loss`, `bandwidth_utilization`, `security_incidents` and `transferred_bytes` of every service. It measures the same, except `transferred_bytes`, for each site of a network, as `site_up`, `site_latency_ms` and so on.',
    }),
    get('getMetric', '/monitoring/metrics/{metric_name}', 'metric', {
      summary: 'Get a metric',
      description:
        'Gets the values of a metric in the steps of a range. `times` contains the start of each step. `values` of each series contains the value of each step. Steps of 15 minutes or more are kept for 400 days, steps of minutes for 30 days, and shorter steps for 2 days. Values after `complete_until` are computed from the samples that have arrived so far.',
      names: { metric_name: 'name' },
      resource: 'metric',
    }),
    ...alertRoutes,
    ...monitoringLogs,
    get('getRateLimitUsage', '/monitoring/rate-limits', 'rateLimitUsage', {
      summary: 'Get rate limit usage',
      description:
        'Gets the usage of the rate limits. This request does not count against rate limits, and works while the key is suspended. `current_usage` has the same values as the rate limit headers of this response. A limit that the plan does not have is null.',
      weight: 0,
    }),
  ],
  'Services',
);
