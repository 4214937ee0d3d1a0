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
  /** Guards URLs that callers provide. Default: any address, for URLs that the operator configures. */
  guard?: UrlGuard;
  timeouts?: RequestTimeouts;
  /** Maximum size of a response body that is read. Default: 512 KiB. */
  maxBytes?: number;
  userAgent?: string;
  /** True if only the status matters: a body that is interrupted or too slow does not make the request fail. */
  isStatusEnough?: boolean;
  /** For dates in `Retry-After`. */
  clock?: Clock;
}

export interface OutboundRequest {
  method?: 'GET' | 'POST' | 'PUT';
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent as is, instead of `json`. */
  body?: string;
  /** Time limit of this request, instead of the client's. */
  timeoutMs?: number;
}

/** No response was received, so the outcome is unknown. The message is written for the person who provided the URL. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse';
}

/** A response with any status, including redirects. */
export class OutboundResponse {
  constructor(
    private readonly received: Received,
    private readonly clock: Clock,
  ) {}

  get status(): number {
    return this.received.status;
  }

  /** True if the body was longer than what was read. */
  get isCut(): boolean {
    return this.received.isCut;
  }

  /**
   * The outcome of the request: done, refused permanently, or worth a retry `later`. A response that exceeds the size limit is not
   * trusted.
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

  /** How long the remote asks us to wait, in milliseconds; 0 if it does not. */
  get retryAfterMs(): number {
    return retryAfterMs(this.header('retry-after'), this.clock.now());
  }

  /** Validates the JSON body with `schema`. A body that is not JSON is undefined. */
  json<T>(schema: z.ZodType<T>): z.ZodSafeParseResult<T> {
    return schema.safeParse(jsonIn(this.text));
  }
}

/**
 * HTTP client for outgoing requests: pooled connections, one deadline per request, limited responses, no redirects, and no network details
 * in errors.
 * A GET or PUT is repeated once if its pooled connection was closed. Requests carry the current `traceparent`.
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

  /** @throws NoResponse */
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
    // no cause: it would write addresses and headers into a log
    throw new NoResponse(connectionProblem(failure instanceof DeadlineExceeded ? 'late' : failure, { ...timeouts, wholeMs: timeoutMs }));
  }

  /** Waits for running requests to end. */
  close(): Promise<void> {
    return this.#agent.close();
  }

  /** Aborts running requests. */
  destroy(): Promise<void> {
    return this.#agent.destroy();
  }
}

/**
 * Returns true if the connection ended before any response. Usually a pooled connection was closed as idle just when the request was sent.
 * Safe requests are repeated once; a POST may have had its effect, so its caller decides.
 */
function isDropped({ received, failure }: Ended): boolean {
  return !received && failure !== undefined && 'code' in failure && DROPPED.includes(String(failure.code));
}

const DROPPED = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];
const ANYWHERE = new UrlGuard({ allowPrivate: true });
const decoder = new TextDecoder();

/** Returns undefined for text that is not JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
