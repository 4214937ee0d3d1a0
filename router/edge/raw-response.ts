import { STATUS_CODES } from 'node:http';
import type { PlatformError } from '../../kernel/errors/errors.ts';
import { errorBody, JSON_TYPE } from '../../kernel/http/http.ts';
import { newId } from '../../kernel/records/ids.ts';

/**
 * Builds the text of a complete response that has the standard error body and closes the connection. Use it when Node
 * provides only the socket, and no response object.
 */
export function rawResponse(error: PlatformError): string {
  const requestId = newId('request');
  const body = JSON.stringify(errorBody(error, requestId));
  return [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'Connection: close',
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    '',
    body,
  ].join('\r\n');
}
