import { errorResponse, headersWith } from '../openapi/components.ts';
import { ref } from '../openapi/types.ts';
import type { NonGraphRoute } from '../route.ts';

/**
 * The download of an attachment (specification 4.7). The support domain serves it, because the response is bytes
 * instead of JSON.
 */
export const attachmentRoutes: readonly NonGraphRoute[] = [
  {
    method: 'GET',
    path: '/attachments/{attachment_id}',
    operation: {
      operationId: 'downloadAttachment',
      summary: 'Download an attachment',
      description: [
        'Responds with the content of the file. `Content-Type` is the type that the platform detected in the content. Browsers save the file and do not display it (`Content-Disposition: attachment`). The ETag is the SHA-256 hash of the content.',
        'Callers without `support:write` get 404 for attachments of internal comments.',
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
          description: 'The content of the file.',
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
