import { writeFileSync } from 'node:fs';
import { Agent, type RequestOptions, request as requestOverTls } from 'node:https';
import { join } from 'node:path';
import { createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import { scratchFolder } from '../../bench/scratch-folder.ts';
import type { Json } from '../tenant.ts';
import { type Issued, issueAuthority, issueForServer } from './certificates.ts';

export function written(pem: string): string {
  const file = join(scratchFolder(), 'file.pem');
  writeFileSync(file, pem);
  return file;
}

/**
 * The certificate authority of the test servers. It is valid for years, because tests can move the platform's clock.
 */
export const serverAuthority = await issueAuthority({ validFromDays: -3000, validToDays: 3000 });

export const serverFiles = async (): Promise<{ TLS_CERT: string; TLS_KEY: string }> => {
  const { pem, key } = await issueForServer({ issuer: serverAuthority, validFromDays: -3000, validToDays: 3000 });
  return { TLS_CERT: written(pem), TLS_KEY: written(key) };
};

type Headers = Record<string, string>;

/** An HTTPS client with or without a client certificate. */
export class SecureClient {
  readonly options: RequestOptions;

  constructor(
    private readonly origin: string,
    shown?: Issued,
    more: RequestOptions = {},
  ) {
    this.options = { ca: serverAuthority.pem, ...(shown && { cert: shown.pem, key: shown.key }), ...more };
  }

  /** Sends a request for `/v1<path>`. Uses a new connection unless an agent is given. */
  rest(method: string, path: string, { body, headers = {} }: { body?: unknown; headers?: Headers } = {}) {
    return this.#call(method, `/v1${path}`, headers, body);
  }

  graphql(query: string): Promise<{ status: number; body: Json }> {
    return this.#call('POST', '/graphql', {}, { query });
  }

  /** The first result of a GraphQL operation over a WebSocket. Rejects with the close event if the socket is closed. */
  async socket(query: string, headers: Headers = {}): Promise<Json> {
    const options = { ...this.options, headers };
    const client = createClient({
      url: `${this.origin.replace('http', 'ws')}/graphql`,
      webSocketImpl: class extends WebSocket {
        constructor(url: string, protocol: string) {
          super(url, protocol, options as never);
        }
      },
      retryAttempts: 0,
    });
    try {
      return (await client.iterate({ query }).next()).value;
    } finally {
      await client.dispose();
    }
  }

  #call(method: string, path: string, headers: Headers, body: unknown): Promise<{ status: number; body: Json }> {
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: Json }>();
    const sent = body === undefined ? headers : { 'content-type': 'application/json', ...headers };
    const options = { agent: new Agent({ keepAlive: false }), ...this.options, method, headers: sent };
    const request = requestOverTls(`${this.origin}${path}`, options, async (response) => {
      const text = (await response.toArray()).join('');
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) });
    });
    request.once('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
    return promise;
  }
}

/** Registers a certificate in an organization and returns its record. */
export async function register(origin: string, apiKey: string, pem: string, permissions: string[]): Promise<Json> {
  const body = { certificate: pem, name: 'Test', permissions };
  const answer = await new SecureClient(origin).rest('POST', '/auth/certificates', { body, headers: { 'x-api-key': apiKey } });
  if (answer.status !== 201) throw new Error(`The certificate was not registered: ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}
