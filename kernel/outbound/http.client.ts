import type { Dispatcher } from 'undici';
import type { z } from 'zod';
import { type Clock, systemClock } from '../clock.ts';
import { traceparent } from '../tracing/tracing.ts';
import { retryAfterMs } from './backoff.ts';
import { connectionProblem, type RequestTimeouts } from './connection-problem.ts';
import { DeadlineExceeded, type Ended, Exchange, type Received } from './exchange.ts';
import { UrlGuard } from './ssrf.ts';

const TIMEOUTS: RequestTimeouts = { connectMs: 5000, wholeMs: 10_000 };
const MAX_BYTES = 512 * 1024;
const USER_AGENT = 'Telecom-Platform/1.3';
/** 4xx statuses about credentials, addresses, limits or timing, for which a retry may succeed. */
const RETRIED_STATUSES = [401, 403, 404, 405, 408, 409, 425, 429];

export interface HttpClientOptions {
  /**
   * Guard of a client whose URLs come from callers. Without a guard, every address is allowed, which is safe only for
   * URLs that the operator configures.
   */
  guard?: UrlGuard;
  timeouts?: RequestTimeouts;
  /** Maximum size of a response body that is read. Default: 512 KiB. */
  maxBytes?: number;
  userAgent?: string;
  /**
   * True if only the status of the response matters. In this case, a request succeeds even if the body of the response is interrupted or
   * too slow.
   */
  isStatusEnough?: boolean;
  /** The clock that converts a date in `Retry-After` to a delay. Default: the system clock. */
  clock?: Clock;
}

export interface OutboundRequest {
  method?: 'GET' | 'POST' | 'PUT';
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** The value that is sent as a JSON body. */
  json?: unknown;
  /** The text that is sent unchanged as the body if `json` is missing. */
  body?: string;
  /** Time limit of this request. Default: the limit of the client. */
  timeoutMs?: number;
}

/**
 * Thrown if no response was received, so the outcome of the request is unknown. The message is written for the person
 * who provided the URL.
 */
export class NoResponse extends Error {
  override readonly name = 'NoResponse';
}

/** A response with any status. Redirects are not followed, so the status can be a redirect. */
export class OutboundResponse {
  constructor(
    private readonly received: Received,
    private readonly clock: Clock,
  ) {}

  get status(): number {
    return this.received.status;
  }

  /** True if the body exceeded the size limit, so only the beginning was read. */
  get isCut(): boolean {
    return this.received.isCut;
  }

  /**
   * The outcome of the request: `done`, `refused` permanently, or `later` if a retry may succeed. A response that
   * exceeds the size limit counts as `later`.
   */
  get outcome(): 'done' | 'refused' | 'later' {
    if (this.isCut) return 'later';
    if (this.status < 300) return 'done';
    return this.status >= 400 && this.status < 500 && !RETRIED_STATUSES.includes(this.status) ? 'refused' : 'later';
  }

  get bytes(): Buffer {
    return this.received.bytes;
  }

  get text(): string {
    return this.bytes.length === 0 ? '' : decoder.decode(this.bytes);
  }

  header(name: string): string | undefined {
    return this.received.headers[name]?.toString();
  }

  /**
   * The delay that the remote server demands in `Retry-After`, in milliseconds; 0 if the header is missing or invalid.
   */
  get retryAfterMs(): number {
    return retryAfterMs(this.header('retry-after'), this.clock.now());
  }

  /** Validates the JSON body with `schema`. A body that is not JSON is validated as undefined. */
  json<T>(schema: z.ZodType<T>): z.ZodSafeParseResult<T> {
    return schema.safeParse(jsonIn(this.text));
  }
}

/**
 * HTTP client for outgoing requests. It has pooled connections, one time limit per request, a size limit for responses,
 * no redirects, and no network details in errors.
 * A GET or PUT is repeated once if its pooled connection was closed. Requests contain the current `traceparent`.
 */
export class HttpClient {
  readonly #agent;
  readonly #options: Required<Omit<HttpClientOptions, 'guard'>>;

  constructor({ guard = ANYWHERE, ...options }: HttpClientOptions = {}) {
    this.#options = {
      timeouts: TIMEOUTS,
      maxBytes: MAX_BYTES,
      userAgent: USER_AGENT,
      isStatusEnough: false,
      clock: systemClock,
      ...options,
    };
    this.#agent = guard.agent({ connectTimeoutMs: this.#options.timeouts.connectMs, headersTimeout: 0, bodyTimeout: 0 });
  }

  /**
   * Sends a request and returns its response.
   * @throws NoResponse if no response was received
   */
  async send({
    method = 'GET',
    url,
    headers,
    json,
    body,
    timeoutMs = this.#options.timeouts.wholeMs,
  }: OutboundRequest): Promise<OutboundResponse> {
    const { maxBytes, userAgent, isStatusEnough, timeouts, clock } = this.#options;
    const { origin, pathname, search } = new URL(url);
    const parent = traceparent();
    const request: Dispatcher.DispatchOptions = {
      origin,
      path: `${pathname}${search}`,
      method,
      headers: {
        'user-agent': userAgent,
        ...(json !== undefined && { 'content-type': 'application/json; charset=utf-8' }),
        ...(parent && { traceparent: parent }),
        ...headers,
      },
      body: json === undefined ? (body ?? null) : JSON.stringify(json),
    };
    let exchange = new Exchange(maxBytes);
    const deadline = setTimeout(() => exchange.end(new DeadlineExceeded()), timeoutMs);
    this.#agent.dispatch(request, exchange);
    if (method !== 'POST' && isDropped(await exchange.ended)) {
      exchange = new Exchange(maxBytes);
      this.#agent.dispatch(request, exchange);
    }
    const { received, failure } = await exchange.ended;
    clearTimeout(deadline);
    if (received && (isStatusEnough || !failure)) return new OutboundResponse(received, clock);
    // the error has no cause, because the log would then contain addresses and headers
    throw new NoResponse(connectionProblem(failure instanceof DeadlineExceeded ? 'late' : failure, { ...timeouts, wholeMs: timeoutMs }));
  }

  /** Waits for running requests to end, and closes all connections. */
  close(): Promise<void> {
    return this.#agent.close();
  }

  /** Aborts running requests, and closes all connections. */
  destroy(): Promise<void> {
    return this.#agent.destroy();
  }
}

/**
 * Returns true if the connection ended before any response. The usual reason is that the server closed an idle pooled
 * connection at the moment the request was sent. Only GET and PUT requests are repeated, because a POST may have had
 * its effect.
 */
function isDropped({ received, failure }: Ended): boolean {
  return !received && failure !== undefined && 'code' in failure && DROPPED.includes(String(failure.code));
}

const DROPPED = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];
const ANYWHERE = new UrlGuard({ allowPrivate: true });
const decoder = new TextDecoder();

/** Parses JSON. Returns undefined for text that is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
