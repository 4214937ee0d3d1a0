import { errorResponse, headersWith } from '../openapi/components.ts';
import { ref } from '../openapi/types.ts';
import type { NonGraphRoute } from '../route.ts';

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };

/** Codes that state why a sample was refused. */
export const REFUSAL_CODES = [
  ...[
    'invalid_sample',
    'invalid_metric',
    'reserved_metric',
    'invalid_labels',
    'secret_label',
    'invalid_value',
    'invalid_time',
    'too_old',
    'in_future',
  ],
  ...['conflict', 'conflicting_type', 'service_not_found', 'service_required', 'too_many_series'],
];

const sample = {
  type: 'object',
  required: ['metric', 'value'],
  additionalProperties: false,
  properties: {
    metric: { ...text, pattern: '^[A-Za-z_][\\w.:/-]{0,199}$', description: 'Name of the metric, such as `queue.length`.' },
    service_id: { type: ['string', 'null'], description: 'Service that was measured (`svc_…`). Null for a metric without a service.' },
    labels: {
      type: 'object',
      maxProperties: 16,
      additionalProperties: { ...text, maxLength: 256 },
      description: 'Names and values that distinguish the series of a metric. A name has 1 to 64 letters, digits, `_`, `.` or `-`.',
    },
    at: {
      type: ['string', 'null'],
      format: 'date-time',
      description: 'When the value was measured: at most an hour ago, and at most 5 minutes in the future. Default: now.',
    },
    value: { type: 'number', minimum: -1e100, maximum: 1e100, description: 'The measured value. For a counter, its total so far.' },
    type: {
      type: ['string', 'null'],
      enum: ['gauge', 'counter', null],
      description: 'Type of a new metric. Default: `gauge`. A sample with another type than its metric is refused.',
    },
    unit: { type: ['string', 'null'], maxLength: 64, description: 'Unit of a new metric, such as `ms`.' },
  },
};

const receipt = {
  type: 'object',
  required: ['accepted', 'duplicates', 'refused', 'refused_total'],
  properties: {
    accepted: { ...count, description: 'Number of new samples.' },
    duplicates: { ...count, description: 'Number of samples that were stored before, with the same value.' },
    refused: {
      type: 'array',
      maxItems: 100,
      description: 'The first 100 refused samples.',
      items: {
        type: 'object',
        required: ['index', 'code', 'reason'],
        properties: {
          index: { ...count, description: 'Position in `samples`, from 0.' },
          code: { ...text, enum: REFUSAL_CODES },
          reason: { ...text, description: 'What is wrong, as text for people.' },
        },
      },
    },
    refused_total: { ...count, description: 'Number of all refused samples.' },
  },
};

/**
 * Operations that send samples of metrics (specification 4.6). The monitoring domain serves them, because samples are too many for the
 * graph.
 */
export const sampleRoutes: readonly NonGraphRoute[] = [
  {
    method: 'POST',
    path: '/monitoring/samples',
    operation: {
      operationId: 'recordSamples',
      summary: 'Record samples of metrics',
      description: [
        'Stores up to 5,000 samples. The response is sent after the samples are stored. Metric, service and labels identify a series. The first sample creates the series. A series has at most one value for each point in time: a sample that is sent again counts once, so you can repeat a failed request. An invalid sample is listed in `refused`, and the other samples are stored.',
        'The body has at most 2 MiB after decoding, and may be compressed with gzip. The request does not count against the request limits of the plan. The plan limits the number of samples in any 60 seconds, and the number of series with a sample in 24 hours.',
        'Permission: `monitoring:write`.',
      ].join('\n\n'),
      tags: ['Monitoring'],
      parameters: [ref('parameters', 'ApiVersion')],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['samples'],
              additionalProperties: false,
              properties: { samples: { type: 'array', minItems: 1, maxItems: 5000, items: sample } },
            },
            example: {
              samples: [
                { metric: 'queue.length', labels: { queue: 'mail' }, at: '2026-01-31T09:30:00Z', value: 17 },
                { metric: 'http.server.requests', type: 'counter', service_id: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G', value: 48_210 },
              ],
            },
          },
        },
      },
      responses: {
        200: {
          description: 'Number of new, duplicate and refused samples.',
          headers: headersWith(),
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['success', 'data', 'metadata'],
                properties: { success: { const: true }, data: receipt, metadata: ref('schemas', 'ResponseMetadata') },
              },
              example: {
                success: true,
                data: {
                  accepted: 1,
                  duplicates: 0,
                  refused: [{ index: 1, code: 'too_old', reason: 'The sample is older than an hour.' }],
                  refused_total: 1,
                },
                metadata: { request_id: 'req_01JQ8Z6V4T9M3N2B1C0D9E8F7G', timestamp: '2026-01-31T09:30:01.000Z', version: '1.2.3' },
              },
            },
          },
        },
        ...Object.fromEntries([400, 401, 403, 413, 415, 429, 500, 503].map((status) => [status, errorResponse(status)])),
      },
      'x-permission': 'monitoring:write',
      'x-rate-weight': 0,
      'x-addition': true,
    },
  },
];
