import { type Client, createClient } from 'graphql-ws';
import { WebSocket } from 'ws';
import type { Grant } from '../kernel/access/principal.ts';

/** Any JSON value. It has no static type, because the tests check the values. */
// biome-ignore lint/suspicious/noExplicitAny: a response has no type before it was checked
export type Json = any;

export interface RestResponse {
  status: number;
  headers: Headers;
  body: Json;
}

export interface RestOptions {
  body?: unknown;
  headers?: Record<string, string>;
}

/** A client of one organization over REST, GraphQL and WebSocket, with one API key. */
export class Tenant {
  constructor(
    readonly origin: string,
    readonly organizationId: string,
    readonly apiKey: string,
  ) {}

  /** Headers that contain the credentials of the client. */
  get credentials(): Record<string, string> {
    return this.apiKey ? { authorization: `Bearer ${this.apiKey}` } : {};
  }

  /** Calls a REST operation at `/v1<path>`. */
  async rest(method: string, path: string, { body, headers }: RestOptions = {}): Promise<RestResponse> {
    const response = await fetch(`${this.origin}/v1${path}`, {
      method,
      headers: {
        ...this.credentials,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text && /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : text,
    };
  }

  async graphql(query: string, variables: Record<string, unknown> = {}): Promise<{ data: Json; errors?: Json[]; headers: Headers }> {
    const response = await fetch(`${this.origin}/graphql`, {
      method: 'POST',
      headers: {
        ...this.credentials,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body: JSON.stringify({ query, variables }),
    });
    return { ...((await response.json()) as { data: Json; errors?: Json[] }), headers: response.headers };
  }

  /** A graphql-ws client; the test disposes of it. `params` are added to the credentials in `connection_init`. */
  socket(params: Readonly<Record<string, string>> = {}): Client {
    return createClient({
      url: `${this.origin.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { ...this.credentials, ...params },
      retryAttempts: 0,
    });
  }

  /** A client of the same organization whose key has only these permissions. */
  async limitedTo(...permissions: Grant[]): Promise<Tenant> {
    const { body } = await this.rest('POST', '/auth/api-keys', { body: { name: 'limited', permissions } });
    return new Tenant(this.origin, this.organizationId, body.api_key.key);
  }
}
