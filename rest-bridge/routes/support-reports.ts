import { errorResponse, headersWith } from '../openapi/components.ts';
import { ref } from '../openapi/types.ts';
import { del, get, type NonGraphRoute, post, type Route, view } from '../route.ts';

export const supportReports: readonly Route[] = [
  get('getSupportDashboard', '/support/analytics/dashboard', 'supportDashboard', {
    summary: 'Get the support dashboard',
    wrap: 'dashboard',
    description:
      'Gets key figures about tickets. All figures are about the tickets that were created in the period, with their current state. The numbers of resolved and open tickets add up to the total number. The numbers of all days, and the numbers of all categories, also add up to the total number.',
  }),
  post('generateSupportReport', '/support/reports/generate', 'generateSupportReport', {
    summary: 'Generate a report',
    wrap: 'report',
    category: 'export',
    description: 'Generates a report in the background. Get the report to see its progress and, once it is ready, the address of its file.',
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
    description: 'Deletes a report and its file. A report cannot be deleted while it is being generated (409).',
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
        'Responds with the file of a report. Its address is the `download_url` of the report. The address needs no credentials and is valid for a day; to get a new address, get the report again. An expired or changed address gets 403. The address of a deleted report gets 404.',
      tags: ['Support'],
      parameters: [
        parameter('report_id', 'path', 'The id of the report.'),
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
