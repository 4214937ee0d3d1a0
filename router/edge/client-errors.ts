import type { Socket } from 'node:net';
import { type ErrorCode, PlatformError } from '../../kernel/errors/errors.ts';
import { rawResponse } from './raw-response.ts';

/** Error responses. The keys are error codes of Node's HTTP parser. */
const REFUSALS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE', 'The headers are larger than 16 KiB. Send less in them, such as fewer cookies.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT', 'The request did not arrive in time. Send it again, on a new connection.'],
};
const MALFORMED = ['MALFORMED_REQUEST', 'This is not a valid HTTP request.'] as const;

/**
 * Handles a request that Node cannot parse, because its headers are too large, it arrives too slowly, or it is
 * malformed. Sends an error response, unless another response has already begun, and closes the connection.
 */
export function sendClientError({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable || isBeingAnswered(socket)) {
    socket.destroy();
    return;
  }
  const [refusal, message] = REFUSALS[code] ?? MALFORMED;
  socket.end(rawResponse(new PlatformError(refusal, message)), () => socket.destroy());
}

/**
 * Returns true if a response has already begun on the connection. A second response would corrupt the first. Node's
 * default handler makes the same check.
 */
const isBeingAnswered = (socket: Socket & { _httpMessage?: { headersSent: boolean } | null }): boolean =>
  socket._httpMessage?.headersSent === true;
