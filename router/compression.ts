import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Encoding, encodedTag } from '../kernel/http/entity-tags.ts';
import { addVary } from '../kernel/http/http.ts';

/** Minimum size of a response that is compressed. Compressing a smaller response costs more time than it saves. */
const MIN_BYTES = 1024;
/**
 * Maximum size of a response that is compressed synchronously. For small responses, this is faster than a worker
 * thread. Worker threads may also be busy with password hashing.
 */
const MAX_SYNC_BYTES = 16 * 1024;

/**
 * Content types that are compressed: texts, except HTML pages and event streams.
 * HTML pages contain a session token and values that the user sent. The size of a compressed HTML page would leak the
 * token (BREACH attack).
 */
const COMPRESSIBLE = /^(application\/(json|javascript|xml|[\w.-]+\+(json|xml))|text\/(?!event-stream|html)|image\/svg\+xml)/;

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT } };
const GZIP = { level: 5 };

/**
 * Compresses responses of at least 1 KiB for clients that accept it. Each encoding has its own entity tag.
 * Event streams and attachments are not compressed.
 * Call this function on the root instance of Fastify, after all hooks that read a payload.
 */
export function mountCompression(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (!isCompressible(reply)) return done(null, payload);
    addVary(reply, 'Accept-Encoding');
    const bytes = typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : 0;
    const encoding = bytes < MIN_BYTES ? undefined : acceptedEncoding(request.headers['accept-encoding']);
    if (!encoding) return done(null, payload);
    compress(payload as string | Buffer, bytes, encoding, (compressed) => {
      if (compressed) markEncoded(request, reply, encoding);
      done(null, compressed ?? payload);
    });
  });
}

function isCompressible(reply: FastifyReply): boolean {
  return (
    COMPRESSIBLE.test(String(reply.getHeader('content-type') ?? '')) &&
    reply.getHeader('content-encoding') === undefined &&
    !/^attachment/i.test(String(reply.getHeader('content-disposition') ?? ''))
  );
}

/**
 * Sets the headers of a compressed response. In the response to GET or HEAD, the entity tag names the encoding.
 * In the response to another method, the entity tag is for a later `If-Match` and does not depend on the encoding.
 */
export function markEncoded({ method }: FastifyRequest, reply: FastifyReply, encoding: Encoding): void {
  const tag = reply.getHeader('etag');
  reply.removeHeader('content-length').header('content-encoding', encoding);
  if (typeof tag === 'string' && (method === 'GET' || method === 'HEAD')) reply.header('etag', encodedTag(tag, encoding));
}

/**
 * Compresses a payload and passes the result to `done`. If compression fails, `done` gets undefined, and the response
 * is sent uncompressed.
 */
function compress(payload: string | Buffer, bytes: number, encoding: Encoding, done: (compressed?: Buffer) => void): void {
  const take = (error: Error | null, compressed: Buffer): void => done(error ? undefined : compressed);
  if (bytes <= MAX_SYNC_BYTES) done(encoding === 'br' ? brotliCompressSync(payload, BROTLI) : gzipSync(payload, GZIP));
  else if (encoding === 'br') brotliCompress(payload, BROTLI, take);
  else gzip(payload, GZIP, take);
}

const RANGES_MAX = 20;

/**
 * Returns the preferred encoding that Accept-Encoding allows (RFC 9110, 12.5.3). Returns undefined if the client
 * accepts no supported encoding.
 */
export function acceptedEncoding(header: string | string[] | undefined): Encoding | undefined {
  const weights = new Map<string, number>();
  for (const range of String(header ?? '')
    .toLowerCase()
    .split(',', RANGES_MAX)) {
    const [coding = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    weights.set(coding === 'x-gzip' ? 'gzip' : coding, weight ? Number(weight.slice(2)) || 0 : 1);
  }
  const weightOf = (coding: Encoding): number => weights.get(coding) ?? weights.get('*') ?? 0;
  const [br, gzipped] = [weightOf('br'), weightOf('gzip')];
  if (br <= 0 && gzipped <= 0) return undefined;
  return br >= gzipped ? 'br' : 'gzip';
}
