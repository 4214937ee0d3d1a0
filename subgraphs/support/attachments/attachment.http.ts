import { Readable } from 'node:stream';
import { create as dispositionOf } from 'content-disposition';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { InvalidParameters, PlatformError, ResourceNotFound } from '../../../kernel/errors/errors.ts';
import type { FileStore } from '../../../kernel/files/files.ts';
import { checkVersion } from '../../../kernel/http/api-version.ts';
import { heldTag } from '../../../kernel/http/entity-tags.ts';
import { answerError } from '../../../kernel/http/http.ts';
import type { RecordReader } from '../../../kernel/records/record-reader.ts';
import { isStorable, UNSTORABLE } from '../../../kernel/values/text.ts';
import { mayRead } from '../visibility.ts';
import { type Attachment, fileKeyOf } from './attachment.entity.ts';
import { attachmentPath } from './attachment.paths.ts';

/** `GET /attachments/{attachment_id}` (specification 4.7), on a server behind the edge. */
export async function mountAttachments(app: FastifyInstance, reader: RecordReader<Attachment>, files: FileStore): Promise<void> {
  await app.register((scope, _, done) => {
    scope.setErrorHandler(answerError);
    scope.get(attachmentPath(':id'), (request, reply) => download(reader, files, request, reply));
    done();
  });
}

/**
 * Whatever it is, a browser saves it: no content of a customer is shown, or run, as a page of the platform. Its bytes never
 * change, and whether the caller may still read them is asked each time.
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

/** The content, for a caller who may read it. */
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
  // without bytes, which HEAD does not get: Fastify would tell the length of a text
  const stream = request.method === 'HEAD' ? Readable.from([]) : await contentOf(files, attachment);
  // an answer that has begun can only be broken off; who reads the log learns why
  stream.on('error', (error) => request.caller.log.error({ err: error, attachment: attachment.id }, 'a download broke off'));
  const described = { 'content-type': contentType, 'content-length': size, 'content-disposition': dispositionOf(filename) };
  return reply.headers({ ...HEADERS, ...described, etag: tag, 'x-request-id': request.id }).send(stream);
}

async function findFor({ caller, params }: FastifyRequest, reader: RecordReader<Attachment>): Promise<Attachment> {
  const { id } = params as { id: string };
  // as the bridge says of its routes' ids
  if (!isStorable(id)) throw new InvalidParameters([{ field: 'attachment_id', reason: UNSTORABLE }]);
  const [attachment] = await reader.byIds(caller.principal, [id]);
  if (!attachment || !mayRead(caller.principal, attachment.visibility)) throw new ResourceNotFound('attachment', id);
  return attachment;
}

/** @throws INTERNAL_ERROR where the store has lost it, or has another file in its place */
async function contentOf(files: FileStore, attachment: Attachment): Promise<Readable> {
  const file = await files.open(fileKeyOf(attachment));
  if (file?.size === attachment.size) return file.stream;
  file?.stream.destroy();
  throw new PlatformError(
    'INTERNAL_ERROR',
    'The content of this attachment cannot be read. Try again, and quote the request id if it persists.',
    {},
    {
      cause: new Error(
        `${fileKeyOf(attachment)} is ${file ? `${file.size} bytes and not ${attachment.size}` : 'missing'} in the file store.`,
      ),
    },
  );
}
