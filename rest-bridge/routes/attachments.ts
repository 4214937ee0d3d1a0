import { errorResponse, headersWith } from '../openapi/components.ts';
import { ref } from '../openapi/types.ts';
import type { NonGraphRoute } from '../route.ts';

/** The download of a file (specification 4.7): bare bytes, which the support domain serves itself. */
export const attachmentRoutes: readonly NonGraphRoute[] = [
  {
    method: 'GET',
    path: '/attachments/{attachment_id}',
    operation: {
      operationId: 'downloadAttachment',
      summary: 'Download an attachment',
      description: [
        'The bytes, under the type that the content was found to have, always to be saved (`Content-Disposition: attachment`) and never to be shown. The ETag is the SHA-256 of the content.',
        'An attachment of an internal comment is 404 for callers without `support:write`.',
        'Permission: `support:read`.',
      ].join('\n\n'),
      tags: ['Support'],
      parameters: [
        { name: 'attachment_id', in: 'path', required: true, schema: { type: 'string' } },
        ref('parameters', 'IfNoneMatch'),
        ref('parameters', 'ApiVersion'),
      ],
      responses: {
        200: {
          description: 'The content.',
          headers: headersWith('ETag'),
          content: { '*/*': { schema: { type: 'string', contentEncoding: 'binary' } } },
        },
        304: ref('responses', 'NotModified'),
        ...Object.fromEntries([400, 401, 403, 404, 429, 500].map((status) => [status, errorResponse(status)])),
      },
      'x-permission': 'support:read',
    },
  },
];
