import { errorResponse, headersWith } from '../openapi/components.ts';
import { ref } from '../openapi/types.ts';
import type { NonGraphRoute } from '../route.ts';

const text = { type: 'string' };
const timestamp = { type: 'string', format: 'date-time' };
const list = (items: object, description: string, name: string) => ({
  name,
  in: 'query' as const,
  description,
  style: 'form' as const,
  explode: false,
  schema: { type: 'array', maxItems: 100, items },
});
const errors = (...statuses: number[]) => Object.fromEntries(statuses.map((status) => [status, errorResponse(status)]));

const csv = 'number,status,created_at,due_date,currency,bill_to_name\r\nINV-1042,paid,2026-01-31T10:00:00.000Z,…';

/** Downloads of invoices as PDF or CSV. The billing domain serves them, because the responses are not JSON. */
export const invoiceDocumentRoutes: readonly NonGraphRoute[] = [
  {
    method: 'GET',
    path: '/billing/invoices/{invoice_id}/pdf',
    operation: {
      operationId: 'downloadInvoice',
      summary: 'Download an invoice as PDF',
      description: [
        'Responds with the invoice as PDF. It shows seller, customer and lines as they were when the invoice was issued, and what was paid since then. The file and its ETag change only if the invoice changes.',
        'Permission: `billing:read`.',
      ].join('\n\n'),
      tags: ['Billing'],
      parameters: [
        { name: 'invoice_id', in: 'path', required: true, schema: { type: 'string' } },
        ref('parameters', 'IfNoneMatch'),
        ref('parameters', 'ApiVersion'),
      ],
      responses: {
        200: {
          description: 'The invoice as PDF.',
          headers: headersWith('ETag'),
          content: { 'application/pdf': { schema: { type: 'string', contentEncoding: 'binary' }, example: '%PDF-1.3 …' } },
        },
        304: ref('responses', 'NotModified'),
        ...errors(400, 401, 403, 404, 429, 500),
      },
      'x-permission': 'billing:read',
      'x-addition': true,
    },
  },
  {
    method: 'GET',
    path: '/billing/invoices.csv',
    operation: {
      operationId: 'exportInvoices',
      summary: 'Export invoices as CSV',
      description: [
        'Responds with all invoices that meet the conditions, oldest first, without pages. The first line has the names of the columns. Later releases add new columns at the end. An apostrophe is added before a text that a spreadsheet program could run as a formula.',
        'The request counts as a large export. At most 10 large exports per hour are allowed. Permission: `billing:read`.',
      ].join('\n\n'),
      tags: ['Billing'],
      parameters: [
        list(text, 'Only invoices of these accounts.', 'account_id'),
        list({ type: 'string', enum: ['pending', 'paid', 'overdue', 'cancelled'] }, 'Only invoices in these states.', 'status'),
        { name: 'date_from', in: 'query', description: 'Only invoices created at this time or later.', schema: timestamp },
        { name: 'date_to', in: 'query', description: 'Only invoices created before this time.', schema: timestamp },
        ref('parameters', 'ApiVersion'),
      ],
      responses: {
        200: {
          description: 'The invoices as CSV.',
          headers: headersWith(),
          content: { 'text/csv': { schema: { type: 'string', format: 'binary' }, example: csv } },
        },
        ...errors(400, 401, 403, 429, 500),
      },
      'x-permission': 'billing:read',
      'x-addition': true,
    },
  },
];
