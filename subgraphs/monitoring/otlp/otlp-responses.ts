import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { failureOf, retryHeaders } from '../../../kernel/http/http.ts';

export const PROTOBUF_TYPE = 'application/x-protobuf';
const JSON_TYPE = 'application/json';

/** Codes of gRPC by HTTP status. */
const CODES: Readonly<Record<number, number>> = {
  400: 3, // INVALID_ARGUMENT
  401: 16, // UNAUTHENTICATED
  403: 7, // PERMISSION_DENIED
  404: 5, // NOT_FOUND
  413: 3, // as 400
  415: 3,
  429: 8, // RESOURCE_EXHAUSTED
  503: 14, // UNAVAILABLE
};
const INTERNAL = 13;

/** Number and reasons of the items of a request that were rejected. `countField` is the JSON name of the number, such as `rejectedLogRecords`. */
export interface Rejected {
  countField: 'rejectedDataPoints' | 'rejectedLogRecords';
  count: number;
  /** Message that names the reasons. Empty if nothing was rejected. */
  message: string;
}

const isProtobuf = ({ headers }: FastifyRequest): boolean => (headers['content-type'] ?? '').trim().toLowerCase().startsWith(PROTOBUF_TYPE);

/** Sends the response to a request that was stored as a whole or in part, in the encoding of the request. */
export function sendStored(request: FastifyRequest, reply: FastifyReply, { countField, count, message }: Rejected): FastifyReply {
  const isComplete = count === 0;
  if (!isProtobuf(request))
    return send(
      request,
      reply,
      JSON_TYPE,
      isComplete ? '{}' : JSON.stringify({ partialSuccess: { [countField]: String(count), errorMessage: message } }),
    );
  const writer = new BinaryWriter();
  if (!isComplete)
    writer
      .tag(1, WireType.LengthDelimited)
      .fork()
      .tag(1, WireType.Varint)
      .int64(count)
      .tag(2, WireType.LengthDelimited)
      .string(message)
      .join();
  return send(request, reply, PROTOBUF_TYPE, Buffer.from(writer.finish()));
}

/** Sends an error as `google.rpc.Status`, in the encoding of the request. */
export function sendStatus(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const shown = failureOf(error, request);
  const code = CODES[shown.status] ?? INTERNAL;
  reply.code(shown.status).headers(retryHeaders(shown));
  if (!isProtobuf(request)) return send(request, reply, JSON_TYPE, JSON.stringify({ code, message: shown.message }));
  const status = new BinaryWriter().tag(1, WireType.Varint).int32(code).tag(2, WireType.LengthDelimited).string(shown.message);
  return send(request, reply, PROTOBUF_TYPE, Buffer.from(status.finish()));
}

const send = ({ id }: FastifyRequest, reply: FastifyReply, type: string, body: string | Buffer): FastifyReply =>
  reply.headers({ 'content-type': type, 'cache-control': 'no-store', 'x-request-id': id }).send(body);

/** Maximum number of reasons in a message. */
const REASONS = 5;

/** Returns a text with the number of rejected items for each reason, and the name of one of them. */
export function rejectionText(refused: readonly { code: string; reason: string; name?: string | undefined }[]): string {
  const kinds = [...Map.groupBy(refused, ({ code }) => code)].toSorted(([, one], [, other]) => other.length - one.length);
  const texts = kinds.slice(0, REASONS).map(([code, [first, ...rest]]) => {
    const example = first?.name ? `, such as ${first.name}` : '';
    return `${rest.length + 1} ${code}${example}: ${first?.reason ?? ''}`;
  });
  return texts.join('; ');
}
