import type { JsonSchema } from '../json-schema.ts';
import { errorResponse, headersWith } from '../openapi/components.ts';
import { ref } from '../openapi/types.ts';
import { get, type NonGraphRoute, post, type Route } from '../route.ts';

const QUERY =
  '`query` contains words, "phrases", and `key:value` for attributes. A `-` before a term excludes the entries that match the term. The error for an invalid query states the position of the problem.';
const COUNTED =
  '`total` counts at most 10,000 entries, for at most half a second. `is_total_exact` is false if there may be more entries. With `page`, you can read the first 10,000 entries; with `cursor`, all entries.';
const SEARCHED =
  'Entries come newest first. If the search takes longer than two seconds, the response contains the entries that were found, and `scanned_until`. To continue, use `next_cursor`.';

export const monitoringLogs: readonly Route[] = [
  get('listSystemLogs', '/monitoring/logs', 'logs', {
    summary: 'List log entries',
    list: 'counted',
    description: `Lists the log entries of your organization: the entries that you have sent, and entries that the platform writes. The platform writes entries about refused and failed requests, failed jobs, provisioning, problems with webhooks and changes of services. ${QUERY} ${SEARCHED} ${COUNTED}`,
  }),
  get('listServiceLogs', '/monitoring/logs/{service_id}', 'serviceLogs', {
    summary: 'List the log entries of a service',
    list: 'counted',
    resource: 'service',
    description: `Lists the log entries about one service. ${SEARCHED} ${COUNTED}`,
  }),
  post('searchLogs', '/monitoring/logs/search', 'searchLogs', {
    summary: 'Search log entries',
    list: 'cursor',
    weight: 1,
    description: `Searches log entries like \`GET /monitoring/logs\`, with the conditions in the body. ${QUERY} ${SEARCHED} The search costs as much as a GET.`,
    example: { query: 'service "to operational" event:service.status_changed -down', levels: ['info', 'warn', 'error'], limit: 20 },
  }),
];

const text: JsonSchema = { type: 'string' };
const count: JsonSchema = { type: 'integer', minimum: 0 };
const entry: JsonSchema = {
  type: 'object',
  required: ['message'],
  additionalProperties: false,
  properties: {
    message: { ...text, minLength: 1, description: 'What happened. At most 8 KiB.' },
    level: { enum: ['debug', 'info', 'warn', 'error'], default: 'info' },
    at: {
      ...text,
      format: 'date-time',
      description: 'When it happened: within the last 24 hours, at most 5 minutes in the future. Default: now.',
    },
    service_id: { ...text, maxLength: 128, description: 'The service that the entry is about (`svc_…`).' },
    attributes: { type: 'object', additionalProperties: true, description: 'Details. At most 16 KiB as JSON.' },
    request_id: { ...text, maxLength: 128 },
    trace_id: { ...text, maxLength: 128, description: 'W3C trace id.' },
    id: {
      ...text,
      maxLength: 64,
      description: 'Your id for the entry. Requires `at`. An entry with the same `id` and `at` is stored only once.',
    },
  },
};
const refused: JsonSchema = {
  type: 'object',
  required: ['index', 'code', 'reason'],
  properties: {
    index: { ...count, description: 'Position of the entry in the request, from 0.' },
    code: { enum: ['invalid_entry', 'too_large', 'too_old', 'in_future', 'service_not_found'] },
    reason: text,
  },
};
const receipt: JsonSchema = {
  type: 'object',
  required: ['accepted', 'duplicates', 'refused', 'refused_total'],
  properties: {
    accepted: { ...count, description: 'Number of stored entries.' },
    duplicates: { ...count, description: 'Number of entries that were stored before.' },
    refused: { type: 'array', maxItems: 100, items: refused, description: 'The first 100 entries that were not stored.' },
    refused_total: { ...count, description: 'Number of entries that were not stored.' },
  },
};

export const logIngestionRoutes: readonly NonGraphRoute[] = [
  {
    method: 'POST',
    path: '/monitoring/logs',
    operation: {
      operationId: 'recordLogs',
      summary: 'Send log entries',
      description: [
        'Stores up to 1,000 entries. Entries that cannot be stored are refused one by one; the others are stored. The response is sent after the entries are stored. Secrets, such as keys, tokens and card numbers, are removed before an entry is stored. The body may be compressed with gzip, and has at most 2 MiB.',
        'Permission: `monitoring:write`. The request does not count against the limits of requests: the plan limits the entries in any 60 seconds. A request counts as at least 10 entries.',
      ].join('\n\n'),
      tags: ['Monitoring'],
      parameters: [ref('parameters', 'ApiVersion')],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['entries'],
              additionalProperties: false,
              properties: { entries: { type: 'array', minItems: 1, maxItems: 1000, items: entry } },
            },
            example: { entries: [{ message: 'Link lost on port 3', level: 'error', attributes: { port: 3 } }] },
          },
        },
      },
      responses: {
        200: {
          description: 'Number of stored, duplicate and refused entries.',
          headers: headersWith(),
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['success', 'data', 'metadata'],
                properties: {
                  success: { type: 'boolean', const: true },
                  data: receipt,
                  metadata: { ...ref('schemas', 'ResponseMetadata') },
                },
              },
              example: {
                success: true,
                data: { accepted: 1, duplicates: 0, refused: [], refused_total: 0 },
                metadata: { request_id: 'req_01JQ8Z6V4T9M3N2B1C0D9E8F7G', timestamp: '2026-01-31T09:30:00.000Z', version: '1.2.3' },
              },
            },
          },
        },
        ...Object.fromEntries([400, 401, 403, 413, 415, 429, 500, 503].map((status) => [status, errorResponse(status)])),
      },
      'x-permission': 'monitoring:write',
      'x-addition': true,
    },
  },
];
