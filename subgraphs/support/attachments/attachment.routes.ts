import { Readable } from 'node:stream';
import { create as dispositionOf } from 'content-disposition';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { InvalidParameters, PlatformError, ResourceNotFound } from '../../../kernel/errors/errors.ts';
import type { FileStore } from '../../../kernel/files/files.ts';
import { checkVersion } from '../../../kernel/http/api-version.ts';
import { heldTag } from '../../../kernel/http/entity-tags.ts';
import { sendError } from '../../../kernel/http/http.ts';
import type { RecordReader } from '../../../kernel/records/record-reader.ts';
import { isStorable, UNSTORABLE } from '../../../kernel/values/text.ts';
import { mayRead } from '../visibility.ts';
import { type Attachment, fileKeyOf } from './attachment.entity.ts';
import { attachmentPath } from './attachment-paths.ts';

/**
 * Serves `GET /attachments/{attachment_id}` (specification 4.7). Requires that the edge has authenticated the request.
 */
export async function mountAttachments(app: FastifyInstance, reader: RecordReader<Attachment>, files: FileStore): Promise<void> {
  await app.register((scope, _, done) => {
    scope.setErrorHandler(sendError);
    scope.get(attachmentPath(':id'), (request, reply) => download(reader, files, request, reply));
    done();
  });
}

/**
 * Headers that make browsers save the file and never display or execute it as a page of the platform. The content never
 * changes, but clients must revalidate a cached copy, so access is checked at every request.
 */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cache-control': 'private, no-cache',
};

async function download(
  reader: RecordReader<Attachment>,
  files: FileStore,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { principal } = request.caller;
  checkVersion(request.headers['api-version']);
  principal.require('support:read');
  return sendAttachment(files, await findFor(request, reader), request, reply.header('vary', 'Authorization, X-API-Key, API-Version'));
}

/**
 * Sends the content of an attachment. Does not check permissions, so it must be called only for an attachment that the
 * client of the request may read.
 */
export async function sendAttachment(
  files: FileStore,
  attachment: Attachment,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { filename, contentType, size, sha256 } = attachment;
  const tag = `"${sha256}"`;
  if (heldTag(request.headers['if-none-match'], tag))
    return reply
      .code(304)
      .headers({ ...HEADERS, etag: tag })
      .send();
  // sends an empty stream to a HEAD request, because Fastify would replace Content-Length by the length of a string
  const stream = request.method === 'HEAD' ? Readable.from([]) : await contentOf(files, attachment);
  // an error after the response has begun aborts the response, so the reason is only in the log
  stream.on('error', (error) => request.caller.log.error({ err: error, attachment: attachment.id }, 'a download broke off'));
  const described = { 'content-type': contentType, 'content-length': size, 'content-disposition': dispositionOf(filename) };
  return reply.headers({ ...HEADERS, ...described, etag: tag, 'x-request-id': request.id }).send(stream);
}

async function findFor({ caller, params }: FastifyRequest, reader: RecordReader<Attachment>): Promise<Attachment> {
  const { id } = params as { id: string };
  // uses the message that other paths use for invalid ids
  if (!isStorable(id)) throw new InvalidParameters([{ field: 'attachment_id', reason: UNSTORABLE }]);
  const [attachment] = await reader.byIds(caller.principal, [id]);
  if (!attachment || !mayRead(caller.principal, attachment.visibility)) throw new ResourceNotFound('attachment', id);
  return attachment;
}

/**
 * Returns a stream of the content.
 * @throws PlatformError INTERNAL_ERROR if the file is missing in the store or has another size
 */
async function contentOf(files: FileStore, attachment: Attachment): Promise<Readable> {
  const file = await files.open(fileKeyOf(attachment));
  if (file?.size === attachment.size) return file.stream;
  file?.stream.destroy();
  throw new PlatformError(
    'INTERNAL_ERROR',
    'The content of this attachment cannot be read. Try again. If it fails again, contact support with the request id.',
    {},
    {
      cause: new Error(
        `${fileKeyOf(attachment)} is ${file ? `${file.size} bytes and not ${attachment.size}` : 'missing'} in the file store.`,
      ),
    },
  );
}
