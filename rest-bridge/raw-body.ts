import type { FastifyRequest } from 'fastify';
import { PlatformError } from '../kernel/errors/errors.ts';
import { bodyTooLarge, parseJson, readBody } from '../kernel/http/bodies.ts';

/** Reads the JSON body of a GET, which Fastify does not parse. Returns undefined if there is no body. */
export async function readBodyOfGet(request: FastifyRequest): Promise<unknown> {
  const { raw, headers } = request;
  if (!headers['transfer-encoding'] && !Number(headers['content-length'] ?? 0)) return undefined;
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) {
    throw new PlatformError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.');
  }
  const limit = request.routeOptions.bodyLimit;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of raw as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw bodyTooLarge(limit);
    chunks.push(chunk);
  }
  return parseJson(await readBody(request, Buffer.concat(chunks)));
}
