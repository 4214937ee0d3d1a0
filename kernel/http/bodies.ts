import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { PlatformError } from '../errors/errors.ts';

/** Default maximum size of a request body after decoding, in bytes. */
export const BODY_LIMIT = 256 * 1024;

/** Decoders of `Content-Encoding`, with a size limit. */
const DECODERS = { gzip: promisify(gunzip), 'x-gzip': promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) };
const isKnown = (encoding: string): encoding is keyof typeof DECODERS => Object.hasOwn(DECODERS, encoding);

/** Accepts only JSON bodies on all routes of a Fastify scope. An empty body counts as no body. */
export function acceptJson(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, sent: Buffer) =>
    parseJson(await readBody(request, sent)),
  );
}

/** Accepts only HTML forms on all routes of a Fastify scope. `parse` gets the text of the form. */
export function acceptForms(scope: FastifyInstance, bodyLimit: number, parse: (text: string) => unknown): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer', bodyLimit },
    async (request: FastifyRequest, sent: Buffer) => parse(await readBody(request, sent, bodyLimit)),
  );
}

/**
 * Returns the text of a body. The body is decoded by its `Content-Encoding` to at most `limit` bytes, and must be
 * UTF-8. It may have at most `maxParts` JSON values.
 * @throws PlatformError BODY_TOO_LARGE if the body is too large; UNSUPPORTED_MEDIA_TYPE for another encoding or
 * charset; INVALID_JSON if the bytes are not UTF-8
 */
export async function readBody(
  { headers, routeOptions }: FastifyRequest,
  sent: Buffer,
  limit = routeOptions.bodyLimit,
  maxParts = MAX_PARTS,
): Promise<string> {
  checkCharset(headers['content-type']);
  const decoded = await decode(sent, headers['content-encoding'], limit);
  if (!isUtf8(decoded)) throw new PlatformError('INVALID_JSON', 'The body is not valid UTF-8.');
  if (decoded.length > BODY_LIMIT) refuseManyParts(decoded, maxParts);
  return decoded.toString('utf8');
}

/**
 * Checks the charset of a body.
 * @throws PlatformError UNSUPPORTED_MEDIA_TYPE unless the charset is UTF-8 or its subset US-ASCII
 */
function checkCharset(contentType = ''): void {
  const [, charset] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType) ?? [];
  if (charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset)) return;
  throw new PlatformError('UNSUPPORTED_MEDIA_TYPE', 'Send the body in UTF-8.', { supported: ['utf-8'] });
}

/**
 * Returns the bytes of a body, decoded by its `Content-Encoding` to at most `limit` bytes.
 * @throws PlatformError BODY_TOO_LARGE if the body is too large; UNSUPPORTED_MEDIA_TYPE for another encoding
 */
export const readBytes = ({ headers }: FastifyRequest, sent: Buffer, limit: number): Promise<Buffer> =>
  decode(sent, headers['content-encoding'], limit);

async function decode(sent: Buffer, contentEncoding: string | undefined, limit: number): Promise<Buffer> {
  const encoding = contentEncoding?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity') return sent;
  if (!isKnown(encoding)) throw unsupportedEncoding();
  try {
    return await DECODERS[encoding](sent, { maxOutputLength: limit });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw bodyTooLarge(limit);
    throw new PlatformError('INVALID_JSON', `The body is not valid ${encoding}, although Content-Encoding says so.`, {}, { cause });
  }
}

export const unsupportedEncoding = (): PlatformError =>
  new PlatformError('UNSUPPORTED_MEDIA_TYPE', 'Send the body without Content-Encoding, or with gzip, deflate or br.', {
    supported: ['gzip', 'deflate', 'br'],
  });

export const bodyTooLarge = (limit: number): PlatformError =>
  new PlatformError('BODY_TOO_LARGE', `The body is larger than the ${limit / 1024} KiB (after decoding) that this operation accepts.`, {
    limit_bytes: limit,
  });

const MAX_PARTS = 100_000;

/**
 * Refuses a large body that has too many JSON values, before it is parsed: parsing 25 MiB of objects would take seconds
 * and hundreds of megabytes of memory. Valid large bodies contain files, which are few but long strings. The function
 * counts quotes, commas and opening brackets.
 */
function refuseManyParts(body: Buffer, maxParts: number): void {
  let parts = 0;
  for (const sign of ['"', ',', '[', '{'])
    for (let at = body.indexOf(sign); at >= 0; at = body.indexOf(sign, at + 1))
      if (++parts > maxParts)
        throw new PlatformError('BODY_TOO_LARGE', `The body has too many JSON values (more than ${maxParts}).`, {
          limit_parts: maxParts,
        });
}

/**
 * Parses JSON.
 * @throws PlatformError INVALID_JSON for invalid JSON, and for a property `__proto__`, which only attackers send
 */
export function parseJson(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text, MAY_NAME_PROTOTYPE.test(text) ? refusePrototype : undefined) as unknown;
  } catch (cause) {
    throw new PlatformError('INVALID_JSON', 'The body is not valid JSON.', cause instanceof SyntaxError ? positionIn(cause) : {}, {
      cause,
    });
  }
}

/** Matches a text that may contain the name `__proto__`, also in escaped form. */
const MAY_NAME_PROTOTYPE = /__proto__|\\u/;

function refusePrototype(name: string, value: unknown): unknown {
  if (name === '__proto__') throw new SyntaxError('__proto__');
  return value;
}

/**
 * Reads the position of the error from V8's message. The text around the position may be secret, so it is not returned.
 */
function positionIn({ message }: SyntaxError): { position?: number } {
  const [, position] = /at position (\d+)/.exec(message) ?? [];
  return position ? { position: Number(position) } : {};
}
