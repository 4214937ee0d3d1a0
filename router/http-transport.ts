import { type DocumentNode, type ExecutionResult, type FormattedExecutionResult, GraphQLError, print } from 'graphql';
import { type Client, createClient } from 'graphql-ws/client';
import { Agent } from 'undici';
import { WebSocket } from 'ws';
import type { RequestContext } from '../kernel/request.ts';
import { traceparent } from '../kernel/tracing/tracing.ts';
import { isObject, type JsonObject } from './execution/merge.ts';
import type { SubgraphRequest, Transport } from './transport.ts';

export interface HttpTransportOptions {
  url: string;
  /**
   * Returns headers for each request, for example with the signed principal. These headers are also the
   * `connection_init` payload of each WebSocket.
   */
  headers?: (context: RequestContext) => Record<string, string>;
  /** Maximum time until the complete response has arrived, in milliseconds. Default: 30 s. */
  timeoutMs?: number;
  /** Maximum number of connections to the subgraph. Default: 64. */
  connections?: number;
}

const TIMEOUT_MS = 30_000;
const CONNECTIONS = 64;
const KEEP_ALIVE_MS = 30_000;
/** Maximum size of a subgraph's response. It is limited because the whole response is held in memory. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
const PING_MS = 15_000;

/**
 * A subgraph behind a URL. Queries and mutations use keep-alive connections. Subscriptions use a WebSocket at the same
 * URL (graphql-ws).
 */
export class HttpTransport implements Transport {
  readonly #agent: Agent;
  readonly #texts = new WeakMap<DocumentNode, string>();
  readonly #sockets = new Set<Client>();
  readonly #url: URL;

  constructor(private readonly options: HttpTransportOptions) {
    this.#url = new URL(options.url);
    const { timeoutMs = TIMEOUT_MS, connections = CONNECTIONS } = options;
    this.#agent = new Agent({
      connections,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connect: { timeout: timeoutMs },
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      maxResponseSize: MAX_ANSWER_BYTES,
    });
  }

  async execute({ document, variables, context }: SubgraphRequest): Promise<ExecutionResult> {
    const { origin, pathname, search } = this.#url;
    const parent = traceparent() ?? context.client?.traceparent;
    const { statusCode, body } = await this.#agent.request({
      origin,
      path: pathname + search,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/graphql-response+json, application/json;q=0.9',
        'x-request-id': context.requestId,
        ...this.options.headers?.(context),
        ...(parent && { traceparent: parent }),
      },
      body: `{"query":${this.#quotedText(document)},"variables":${JSON.stringify(variables ?? {})}}`,
      signal: this.#deadline(context),
    });
    return readResult(await body.text(), statusCode, this.options.url);
  }

  subscribe({ document, variables, context }: SubgraphRequest): AsyncIterable<ExecutionResult> {
    const url = new URL(this.#url);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const client = createClient({
      url: url.href,
      webSocketImpl: WebSocket,
      connectionParams: () => ({ ...this.options.headers?.(context) }),
      // No automatic retry, because events during the interruption would be lost. The subscriber gets an error and
      // resumes.
      retryAttempts: 0,
      keepAlive: PING_MS,
    });
    this.#sockets.add(client);
    const events = client.iterate({ query: JSON.parse(this.#quotedText(document)) as string, variables: { ...variables } });
    return closingWith(events, async () => {
      this.#sockets.delete(client);
      await client.dispose();
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#sockets].map((client) => client.dispose()));
    await this.#agent.close();
  }

  #deadline({ signal }: RequestContext): AbortSignal {
    const timeout = AbortSignal.timeout(this.options.timeoutMs ?? TIMEOUT_MS);
    return signal ? AbortSignal.any([signal, timeout]) : timeout;
  }

  #quotedText(document: DocumentNode): string {
    let text = this.#texts.get(document);
    if (!text) {
      text = JSON.stringify(print(document));
      this.#texts.set(document, text);
    }
    return text;
  }
}

/**
 * Parses the response of a subgraph.
 * @throws Error if it is not a GraphQL response
 */
function readResult(text: string, statusCode: number, url: string): ExecutionResult {
  const response = parseJson(text);
  if (!response || (response.data === undefined && response.errors === undefined))
    throw new Error(`${url} responded with ${statusCode} and no GraphQL result`);
  const errors = response.errors === undefined ? [] : readErrors(response.errors, url);
  return { ...response, errors: errors.length > 0 ? errors : undefined } as ExecutionResult;
}

function parseJson(text: string): { data?: unknown; errors?: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads the errors in a subgraph's response.
 * @throws Error if they are not a list of GraphQL errors
 */
function readErrors(errors: unknown, url: string): GraphQLError[] {
  // some servers send null if there are no errors
  if (errors === null) return [];
  if (!Array.isArray(errors) || !errors.every((error) => isObject(error) && typeof error.message === 'string'))
    throw new Error(`${url} responded with errors that are not a list of GraphQL errors`);
  return (errors as JsonObject[]).map(toError);
}

/** Creates an error from a subgraph's JSON. A path or extensions that violate the GraphQL specification are omitted. */
function toError({ message, path, extensions }: JsonObject): GraphQLError {
  const isPath = Array.isArray(path) && path.every((step) => typeof step === 'string' || Number.isInteger(step));
  return new GraphQLError(String(message), {
    path: isPath ? (path as (string | number)[]) : undefined,
    extensions: isObject(extensions) ? extensions : undefined,
  });
}

/**
 * Returns the events of a graphql-ws client, and closes the client when the events end.
 * If the subgraph rejects the subscription, the client throws an array of errors. If the connection is lost, the client
 * throws a close event.
 */
function closingWith(
  events: AsyncIterableIterator<Pick<FormattedExecutionResult, 'data' | 'errors'>>,
  close: () => Promise<void>,
): AsyncIterable<ExecutionResult> {
  const iterator: AsyncIterableIterator<ExecutionResult> = {
    async next() {
      try {
        const { done, value } = await events.next();
        if (!done) return { done, value: { ...value, errors: value.errors && readErrors(value.errors, 'A subgraph') } as ExecutionResult };
        await close();
        return { done: true, value: undefined };
      } catch (thrown) {
        await close();
        if (Array.isArray(thrown)) return { done: false, value: { errors: readErrors(thrown, 'A subgraph') } };
        throw new Error(`The connection to the subgraph was lost: ${reasonOf(thrown)}`, { cause: thrown });
      }
    },
    async return() {
      await events.return?.();
      await close();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}

function reasonOf(thrown: unknown): string {
  const { code, reason, message } = thrown as { code?: unknown; reason?: unknown; message?: unknown };
  return [code, reason, message].filter(Boolean).join(' ') || 'closed';
}
