import { errorResponse, headersWith } from '../openapi/components.ts';
import { ref } from '../openapi/types.ts';
import { area, get, type NonGraphRoute, post, view } from '../route.ts';

const PERIOD = 'period accountId serviceIds type';
const performance = view('PerformanceAnalytics', `{ ${PERIOD} availabilityTarget availability quality incidents tickets }`);
const usage = view('UsageAnalyticsOfPeriod', `{ ${PERIOD} usage apiRequests }`);
const costs = view('CostAnalyticsOfPeriod', `{ ${PERIOD} costs trend: costTrend }`);
const trends = view(
  'AnalyticsTrends',
  `{ ${PERIOD} latency: latencyTrend availability: availabilityTrend usage: usageTrends cost: costTrend tickets: ticketTrend }`,
);

/** Analytics of all areas (specification 4.6). */
export const analytics = area(
  'Analytics',
  'Figures about services in a period: availability, quality, incidents, tickets, usage and costs, how they develop, and reports.',
  [
    get('getPerformanceAnalytics', '/analytics/performance', 'analytics', {
      summary: 'Get how services performed',
      description:
        'Returns the availability, latency, jitter, packet loss, incidents and tickets of services in a period, each with the figures of the period before. Both periods have the same number of days.',
      select: performance,
      partial: true,
    }),
    get('getUsageAnalytics', '/analytics/usage', 'analytics', {
      summary: 'Get how services were used',
      description:
        'Returns the metered usage of services in a period: in total, by day, by type and by service. The quantities equal those of `GET /billing/usage`. Days are those of the time zone of each account. `api_requests` has the API requests of the organization, as in `GET /monitoring/rate-limits`.',
      select: usage,
    }),
    get('getCostAnalytics', '/analytics/costs', 'costAnalytics', {
      summary: 'Get what services cost in a period',
      description:
        'Returns the cost analysis of `GET /billing/cost-analysis`, and the costs of the months of the period: in total, by category, by month and by service. Costs belong to whole months. `trend` has the last twelve months that have ended, and a forecast.',
      select: costs,
    }),
    get('getAnalyticsTrends', '/analytics/trends', 'analytics', {
      summary: 'Get trends',
      description:
        'Returns how the latency, availability, usage and tickets of each day and the costs of each month develop, with a forecast and anomalies. Without `billing:read`, `cost` is null. With fewer than 7 values, `insufficient_data` is true.',
      select: trends,
      partial: true,
    }),
    post('createAnalyticsReport', '/analytics/reports', 'createAnalyticsReport', {
      summary: 'Create a report',
      category: 'export',
      description:
        'The report is generated in the background. Get the report to see its progress and, once it is ready, the address of its file. A report with costs also requires `billing:read`.',
      example: {
        report_type: 'performance',
        date_range: { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' },
        grouping: ['week'],
        format: 'csv',
        timezone: 'America/New_York',
      },
    }),
    get('getAnalyticsReport', '/analytics/reports/{analytics_report_id}', 'analyticsReport', {
      summary: 'Get a report',
      addition: true,
    }),
  ],
  'Services',
);

const text = { type: 'string' };
const parameter = (name: string, place: 'path' | 'query', description: string) => ({
  name,
  in: place,
  required: true,
  description,
  schema: text,
});
const schema = { type: 'string', format: 'binary' };
const json = { schema, example: '{"rows":[{"month":"2026-01","uptime_percentage":99.98}]}' };
const csv = { schema, example: 'month,uptime_percentage\r\n2026-01,99.98\r\n' };

export const analyticsReportFiles: readonly NonGraphRoute[] = [
  {
    method: 'GET',
    path: '/analytics/reports/{analytics_report_id}/file',
    operation: {
      operationId: 'downloadAnalyticsReport',
      summary: 'Download the file of a report about services',
      description:
        'Serves the `download_url` of a report. The address needs no credentials and is valid for a day; get the report again for a new one. An expired or changed address gets 403. The address of a deleted report gets 404.',
      tags: ['Analytics'],
      parameters: [
        parameter('analytics_report_id', 'path', 'The id of the report.'),
        parameter('expires', 'query', 'When the address expires, in Unix seconds.'),
        parameter('signature', 'query', 'Signature of the platform for this address.'),
        ref('parameters', 'ApiVersion'),
      ],
      responses: {
        200: { description: 'The file of the report.', headers: headersWith(), content: { 'application/json': json, 'text/csv': csv } },
        ...Object.fromEntries([403, 404, 429, 500].map((status) => [status, errorResponse(status)])),
      },
      security: [],
      'x-addition': true,
    },
  },
];
