import type { FastifyRequest } from 'fastify';
import { PlatformError } from '../kernel/errors.ts';

const LIMIT_BYTES = 1024 * 1024;

/** The JSON body of a GET, which Fastify leaves unread; undefined where there is none. */
export async function readBodyOfGet({ raw, headers }: FastifyRequest): Promise<unknown> {
  if (!headers['transfer-encoding'] && !Number(headers['content-length'] ?? 0)) return undefined;
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) {
    throw new PlatformError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.');
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of raw as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LIMIT_BYTES) throw new PlatformError('BODY_TOO_LARGE', 'The body is larger than this operation accepts.');
    chunks.push(chunk);
  }
  return parseJson(Buffer.concat(chunks).toString('utf8'));
}

/** @throws INVALID_JSON; also for a member `__proto__`, which no record has and which is only ever sent as an attack. */
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

/** An escape may hide it. */
const MAY_NAME_PROTOTYPE = /__proto__|\\u/;

function refusePrototype(name: string, value: unknown): unknown {
  if (name === '__proto__') throw new SyntaxError('__proto__');
  return value;
}

/** V8 says where it stopped; the text around it may be a secret and is not shown. */
function positionIn({ message }: SyntaxError): { position?: number } {
  const [, position] = /at position (\d+)/.exec(message) ?? [];
  return position ? { position: Number(position) } : {};
}
