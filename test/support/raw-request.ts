import { type IncomingHttpHeaders, request } from 'node:http';

export interface RawResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** The body as received, which can be compressed. */
  body: Buffer;
}

/** Sends a request without the defaults of `fetch`: it sends no Accept-Encoding and does not decode the response. */
export function rawRequest(
  url: string,
  { body, ...options }: { method?: string; headers?: Record<string, string>; body?: string | undefined } = {},
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
