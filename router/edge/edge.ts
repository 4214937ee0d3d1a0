import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Credentials, ShownCertificate, ShownToken, Signing } from '../../kernel/access/credentials.ts';
import type { Principal } from '../../kernel/access/principal.ts';
import type { Clock } from '../../kernel/clock.ts';
import { CredentialsMissing, PlatformError } from '../../kernel/errors/errors.ts';
import type { Priority } from '../../kernel/http/http.ts';
import type { Logger } from '../../kernel/log/log.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import { SESSION_COOKIE } from '../../kernel/pages/console.ts';
import { cookieIn } from '../../kernel/pages/cookies.ts';
import type { ClientInfo } from '../../kernel/request.ts';
import { readTraceparent } from '../../kernel/tracing/tracing.ts';
import { Admission, type Identified } from './admission.ts';
import type { Counters } from './counters.ts';
import { readCredentials, readSigning } from './credentials.ts';
import { type Cost, type Holder, type LiveUsage, RateLimiter, type RateState, type UsageObserver } from './limiter.ts';
import { type RateLimit, TAKES_NOTHING, weightOf } from './plans.ts';
import { rateHeaders } from './rate-headers.ts';
import { KeySuspended, RateLimitExceeded } from './rate-limit.errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Charges more than the weight of the route, for a request whose cost is known only with its body: the cost of GraphQL root fields is
     * the same as over REST. Updates the rate headers.
     * @throws RateLimitExceeded (429) or KeySuspended (403); then nothing is counted
     */
    charge(cost: Cost): Promise<void>;
    /**
     * Waits for a concurrency slot once the priority is known, on a route with the priority `deferred`.
     * @throws RateLimitExceeded (429) after the maximum wait
     */
    enter(priority: Priority): Promise<void>;
  }
}

export interface EdgeOptions {
  /**
   * Verifies credentials and returns their holder. Throws a 401 or 403 PlatformError if they are invalid. Called for every request, so it
   * must cache.
   */
  authenticate(credentials: Credentials): Promise<Identified>;
  /** Returns the client's country, as a trusted proxy sent it. */
  countryOf?(request: IncomingMessage): string | undefined;
  /**
   * Returns true if the credentials were valid before, from memory. Such credentials are always verified; unknown ones only while their
   * address is within its limit.
   */
  isFamiliar(credentials: Credentials): boolean;
  /**
   * Returns the client certificate of the connection (client-certificate.ts). Called if the request has no other credentials. Throws a 401
   * PlatformError if the certificate must not be used. Default: none.
   */
  certificateOf?(request: IncomingMessage): X509Certificate | undefined;
  counters: Counters;
  /** Rate limit of an address without valid credentials. */
  anonymous: RateLimit;
  /** Maximum wait for a concurrency slot, in milliseconds. */
  slotWaitMs: number;
  /** Receives usage and suspensions. */
  usage?: UsageObserver | undefined;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
}

/** The opening of a long-lived connection. `params` are those of a WebSocket's connection_init, or the headers of an event stream. */
export interface ConnectionOpening {
  requestId: string;
  ip: string;
  userAgent?: string | undefined;
  params: Readonly<Record<string, unknown>>;
  /** The HTTP request, whose connection may have a client certificate. */
  request?: IncomingMessage | undefined;
  /** True if an open connection is checked again: a failure is not a failed attempt, and is not charged to the address. */
  isRecheck?: boolean;
}

/**
 * Mounts the edge, which handles every request first: it assigns an id, authenticates the caller and charges the request (specification 5,
 * 8). Every response has the request id and the rate headers, whatever its status.
 * Call it on the root instance, before any route is added.
 */
export function mountEdge(app: FastifyInstance, options: EdgeOptions): Edge {
  const edge = new Edge(options);
  app.decorateRequest('caller', null as never);
  app.decorateRequest('charge', null as never);
  app.decorateRequest('enter', null as never);
  app.addHook('onRequest', (request, reply) => edge.receive(request, reply));
  app.addHook('onSend', (request, { statusCode }, payload, done) => {
    if (!TAKES_NOTHING.has(statusCode) || !request.routeOptions.config.category) return done(null, payload);
    // refunds before the response is sent, so that the caller's next request sees the correct remainder
    (request.caller as Admission).giveBackCategories().then(
      () => done(null, payload),
      () => done(null, payload),
    );
  });
  app.addHook('onResponse', async ({ method, routeOptions }, { statusCode, elapsedTime }) => {
    options.metrics.httpDuration.observe({ method, route: routeOptions.url ?? 'none', status: statusCode }, elapsedTime / 1000);
  });
  return edge;
}

/** Maximum length of a stored User-Agent. It appears in audit records and sessions, and a header may have 16 KB. */
const USER_AGENT_MAX = 500;

export class Edge {
  readonly #limiter: RateLimiter;
  /** Holders by principal. A cached principal is the same object each time, and subgraphs look up usage by it. */
  readonly #holders = new WeakMap<Principal, Holder>();

  constructor(private readonly options: EdgeOptions) {
    this.#limiter = new RateLimiter(options);
  }

  /**
   * Authenticates and charges a request. Authentication comes first, so that the holder is charged; a failed one is charged to the
   * address. A request with a cost runs in a concurrency slot of its organization, which is released when the response is closed.
   */
  async receive(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const admission = this.#arrival(request.id, {
      ip: request.ip,
      userAgent: request.headers['user-agent'],
      country: this.options.countryOf?.(request.raw),
      traceparent: readTraceparent(request.headers.traceparent),
    });
    const priority = request.routeOptions.config.priority ?? 'normal';
    request.caller = admission;
    request.charge = (cost) => charged(admission, reply, () => admission.chargeServed(cost, 'normal'));
    request.enter = (late) => charged(admission, reply, async () => void (await admission.enter(late)));
    reply.header('x-request-id', request.id);
    // registered before anything is awaited, because the caller may disconnect meanwhile
    reply.raw.once('close', () => admission.leave());

    const failure = await this.#identify(request, admission).catch((error: unknown) => asError(error));
    if (failure instanceof RateLimitExceeded) await charged(admission, reply, () => Promise.reject(failure));
    if (failure instanceof PlatformError && failure.status === 401) reply.header('www-authenticate', 'Bearer');
    const cost = costOf(request, failure !== undefined);
    if (cost.weight === 0 || failure || admission.isAnonymous) {
      await charged(admission, reply, () => admission.charge(cost));
      if (failure) throw failure;
      return;
    }
    await charged(admission, reply, () => admission.chargeServed(cost, priority === 'deferred' ? 'normal' : priority));
    if (priority !== 'deferred') await request.enter(priority);
  }

  /**
   * Authenticates a WebSocket without charge: each of its operations is charged.
   * @throws InvalidCredentials or errors of `authenticate`; KeySuspended; RateLimitExceeded for an address with too many failures
   */
  async admit({ requestId, ip, userAgent, params, request, isRecheck = false }: ConnectionOpening): Promise<Admission> {
    const admission = this.#arrival(requestId, {
      ip,
      userAgent,
      country: request && this.options.countryOf?.(request),
      traceparent: readTraceparent(params.traceparent),
    });
    const signing = isRecheck ? 'checked at opening' : readSigning(params, 'GET', request?.url);
    try {
      await this.#authenticate(admission, this.#shownBy(params, request), { signing, isRecheck });
    } catch (failure) {
      if (!isRecheck && !(failure instanceof RateLimitExceeded)) await admission.charge({ weight: 1 });
      throw failure;
    }
    // an open socket stays open; its operations are refused during the suspension
    if (!isRecheck) await admission.checkSuspension();
    return admission;
  }

  /** Returns a caller's current usage. Hour and burst are those in the response's headers, if the request was charged. */
  async usageOf({ principal, rates }: { principal: Principal; rates?: RateState | undefined }): Promise<LiveUsage> {
    const usage = await this.#limiter.usage(this.#holders.get(principal) ?? { principal });
    return rates ? { ...usage, hour: rates.hour, burst: rates.burst, at: rates.at } : usage;
  }

  #arrival(requestId: string, client: ClientInfo): Admission {
    const userAgent = client.userAgent?.slice(0, USER_AGENT_MAX);
    return new Admission(requestId, { ...client, userAgent }, this.#limiter, this.options.log);
  }

  async #identify(request: FastifyRequest, admission: Admission): Promise<void> {
    const { routeOptions, is404, headers, method, originalUrl, raw } = request;
    const { access } = routeOptions.config;
    if (access === 'public' && !is404) return;
    if (access === 'page') return this.#identifyOnPage(request, admission);
    const sent = this.#shownBy(headers, raw);
    // an unknown path is 404 for everyone, but a request with credentials is charged to their holder
    if ((is404 || access === 'optional') && !sent) return;
    await this.#authenticate(admission, sent, { signing: readSigning(headers, method, originalUrl), isRecheck: false });
  }

  /**
   * Authenticates by the session cookie, which only `page` routes accept. An expired session counts as anonymous; the page then asks the
   * user to log in.
   */
  async #identifyOnPage({ headers, method, originalUrl }: FastifyRequest, admission: Admission): Promise<void> {
    const token = cookieIn({ headers }, SESSION_COOKIE);
    if (!token) return;
    const options = { signing: readSigning(headers, method, originalUrl), isRecheck: false };
    await this.#authenticate(admission, { kind: 'bearer', token }, options).catch((error: unknown) => {
      if (!(error instanceof PlatformError && error.status === 401)) throw error;
    });
  }

  /** Credentials in the request take precedence over the certificate of its connection. */
  #shownBy(sent: Readonly<Record<string, unknown>>, request: IncomingMessage | undefined): ShownToken | ShownCertificate | null {
    const token = readCredentials(sent);
    if (token) return token;
    const certificate = request && this.options.certificateOf?.(request);
    return certificate ? { kind: 'certificate', certificate } : null;
  }

  async #authenticate(
    admission: Admission,
    sent: ShownToken | ShownCertificate | null,
    { signing, isRecheck }: { signing: Signing; isRecheck: boolean },
  ): Promise<void> {
    if (!sent) throw new CredentialsMissing();
    const credentials = { ...sent, ...admission.client, signing };
    // otherwise an attacker who guesses keys would cause a lookup for each, even after the address is over its limit
    if (!isRecheck && !this.options.isFamiliar(credentials)) await admission.checkAddress();
    const identified = await this.options.authenticate(credentials);
    this.#holders.set(identified.principal, identified);
    admission.identify(identified);
  }
}

/** Updates the rate headers after a charge or a refusal. */
async function charged(admission: Admission, reply: FastifyReply, charge: () => Promise<RateState | undefined>): Promise<void> {
  try {
    const state = await charge();
    if (state) admission.rates = state;
    if (state) reply.headers(rateHeaders(state));
  } catch (error) {
    if (error instanceof RateLimitExceeded || error instanceof KeySuspended) reply.headers(rateHeaders(error.state));
    throw error;
  }
}

/** Returns the cost of a request. A failed authentication costs at least 1, even on routes that are charged later. */
function costOf({ method, routeOptions: { config } }: FastifyRequest, hasFailed: boolean): Cost {
  const weight = config.weight ?? weightOf(method);
  if (hasFailed) return { weight: Math.max(1, weight) };
  return config.category ? { weight, categories: { [config.category]: 1 } } : { weight };
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
