import { errorResponse, headersWith } from '../openapi/components.ts';
import { ref } from '../openapi/types.ts';
import { del, get, type NonGraphRoute, post, type Route, view } from '../route.ts';

export const supportReports: readonly Route[] = [
  get('getSupportDashboard', '/support/analytics/dashboard', 'supportDashboard', {
    summary: 'Get the support dashboard',
    wrap: 'dashboard',
    description:
      'Everything is about the tickets that were opened in the period, as they are now: resolved and open ones are the total, and so are all days and all categories.',
  }),
  post('generateSupportReport', '/support/reports/generate', 'generateSupportReport', {
    summary: 'Generate a report',
    wrap: 'report',
    category: 'export',
    description: 'The report is made in the background: read it to see how far it is and, once it is ready, where its file is.',
    example: {
      report_type: 'sla_performance',
      parameters: {
        date_range: { start: '2026-01-01T00:00:00Z', end: '2026-02-01T00:00:00Z' },
        filters: { categories: ['connectivity'], priorities: ['high', 'critical'] },
        metrics: ['resolution_time', 'sla_compliance', 'customer_satisfaction', 'escalation_rate', 'first_contact_resolution'],
        grouping: ['category', 'week'],
        format: 'csv',
      },
      delivery: { method: 'download', notification_email: 'reports@example.com' },
    },
  }),
  get('listSupportReports', '/support/reports', 'supportReports', {
    summary: 'List reports',
    wrap: 'reports',
    list: 'support',
    addition: true,
  }),
  get('getSupportReport', '/support/reports/{report_id}', 'supportReport', {
    summary: 'Get a report',
    wrap: 'report',
    addition: true,
  }),
  del('deleteSupportReport', '/support/reports/{report_id}', 'deleteSupportReport', {
    summary: 'Delete a report',
    errors: { INVALID_STATE: 'the report is being generated' },
    description: 'Its file is deleted with it. 409 while it is being generated.',
    wrap: 'report',
    select: view('DeletedReport', '{ id reportType createdAt }'),
    addition: true,
  }),
];

const text = { type: 'string' };
const parameter = (name: string, place: 'path' | 'query', description: string) => ({
  name,
  in: place,
  required: true,
  description,
  schema: text,
});
const schema = { type: 'string', format: 'binary' };
const json = { schema, example: '{"rows":[{"tickets":42,"resolution_time":3.5}]}' };
const csv = { schema, example: 'tickets,resolution_time\r\n42,3.5\r\n' };

export const supportReportFiles: readonly NonGraphRoute[] = [
  {
    method: 'GET',
    path: '/support/reports/{report_id}/file',
    operation: {
      operationId: 'downloadSupportReport',
      summary: 'Download the file of a report',
      description:
        'The `download_url` of a report, which needs no credentials and holds for a day: read the report for a new one. Expired or changed it is 403, and 404 once the report was deleted.',
      tags: ['Support'],
      parameters: [
        parameter('report_id', 'path', 'The report.'),
        parameter('expires', 'query', 'Until when the address holds, in seconds since 1970.'),
        parameter('signature', 'query', 'That the platform made it.'),
        ref('parameters', 'ApiVersion'),
      ],
      responses: {
        200: { description: 'The file.', headers: headersWith(), content: { 'application/json': json, 'text/csv': csv } },
        ...Object.fromEntries([403, 404, 429, 500].map((status) => [status, errorResponse(status)])),
      },
      security: [],
      'x-addition': true,
    },
  },
];
