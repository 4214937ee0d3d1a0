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
/** Answers of 4xx that speak of credentials, addresses, a limit or the moment: another try may fare better. */
const RETRIED_STATUSES = [401, 403, 404, 405, 408, 409, 425, 429];

export interface HttpClientOptions {
  /** For URLs that callers give. Default: any address, as the operator may set. */
  guard?: UrlGuard;
  timeouts?: RequestTimeouts;
  /** More of an answer is not read. Default 512 KiB. */
  maxBytes?: number;
  userAgent?: string;
  /** The status is all that counts: a body that breaks off or takes too long does not undo it. */
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
  /** Sent as it is, in place of `json`. */
  body?: string;
  /** For the whole of this request, in place of the client's. */
  timeoutMs?: number;
}

/** Nobody answered: what was asked for may have happened or not. The message is in words for whoever gave the URL. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse';
}

/** Any answer with a status; a redirect is one too. */
export class OutboundResponse {
  constructor(
    private readonly received: Received,
    private readonly clock: Clock,
  ) {}

  get status(): number {
    return this.received.status;
  }

  /** It was longer than what was read of it. */
  get isCut(): boolean {
    return this.received.isCut;
  }

  /** What was asked for was done, was refused for good, or may succeed `later`. Who answers without end is not to be trusted. */
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

  /** How long the remote wants to be left alone, in milliseconds; 0 where it says nothing. */
  get retryAfterMs(): number {
    return retryAfterMs(this.header('retry-after'), this.clock.now());
  }

  /** The body as `schema` has it; undefined stands for what is no JSON. */
  json<T>(schema: z.ZodType<T>): z.ZodSafeParseResult<T> {
    return schema.safeParse(jsonIn(this.text));
  }
}

/**
 * How the platform asks others over HTTP: kept connections, one deadline for the whole request, bounded answers, no redirects,
 * nothing of the network in errors, one repetition of a GET or PUT whose kept connection was closed, and the `traceparent` of what led to the request.
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
    // a cause would bring addresses, and headers, into a log
    throw new NoResponse(connectionProblem(failure instanceof DeadlineExceeded ? 'late' : failure, { ...timeouts, wholeMs: timeoutMs }));
  }

  /** Lets what is under way end. */
  close(): Promise<void> {
    return this.#agent.close();
  }

  /** Cuts off what is under way. */
  destroy(): Promise<void> {
    return this.#agent.destroy();
  }
}

/**
 * The connection ended before anything came back: most often a kept one, which the other side closed for being idle just when the
 * request was sent into it. What may be repeated without harm is sent once more; a POST may have been acted upon, so its caller decides.
 */
function isDropped({ received, failure }: Ended): boolean {
  return !received && failure !== undefined && 'code' in failure && DROPPED.includes(String(failure.code));
}

const DROPPED = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];
const ANYWHERE = new UrlGuard({ allowPrivate: true });
const decoder = new TextDecoder();

/** Undefined for what is no JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
