import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AllowanceName } from '../../kernel/access/allowances.ts';
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
     * Charges the part of a request's cost that is known only after the body was read. The weight of the route is
     * already charged. Updates the rate limit headers.
     * A GraphQL root field costs as much as the same operation over REST.
     * @throws RateLimitExceeded (429) or KeySuspended (403); nothing is charged
     */
    charge(cost: Cost): Promise<void>;
    /**
     * Waits for a concurrency slot. A route with the priority `deferred` calls this when it has determined the priority
     * of the request.
     * @throws RateLimitExceeded (429) after the maximum wait
     */
    enter(priority: Priority): Promise<void>;
  }
}

export interface EdgeOptions {
  /**
   * Verifies credentials and returns their holder. The function must use a cache, because it is called for every
   * request.
   * @throws PlatformError with 401 or 403 if the credentials are not valid
   */
  authenticate(credentials: Credentials): Promise<Identified>;
  /** Returns the client's country, from a header of a trusted proxy. */
  countryOf?(request: IncomingMessage): string | undefined;
  /**
   * Returns true if these credentials are in memory because they were valid before. Credentials in memory are verified
   * without checking the address. Other credentials are verified only while the client's address is within its rate
   * limit.
   */
  isFamiliar(credentials: Credentials): boolean;
  /**
   * Returns the client certificate of the connection (client-certificate.ts). The function is called only if the
   * request has no other credentials. Default: none.
   * @throws PlatformError with 401 if the certificate must not be used
   */
  certificateOf?(request: IncomingMessage): X509Certificate | undefined;
  counters: Counters;
  /** Rate limit of an address that sends no valid credentials. */
  anonymous: RateLimit;
  /** Maximum wait for a concurrency slot, in milliseconds. */
  slotWaitMs: number;
  /** Receives the usage and the suspensions of callers. */
  usage?: UsageObserver | undefined;
  /** Called after the response to a request that was refused or failed. It must be fast and must not throw. */
  failed?(request: FastifyRequest, response: { status: number; ms: number }): void;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
}

/**
 * The data with which a long-lived connection is opened. `params` are the parameters of a WebSocket's connection_init,
 * or the headers of an event stream.
 */
export interface ConnectionOpening {
  requestId: string;
  ip: string;
  userAgent?: string | undefined;
  params: Readonly<Record<string, unknown>>;
  /** The HTTP request that opened the connection. It is needed to find the client certificate of the connection. */
  request?: IncomingMessage | undefined;
  /**
   * True if this is a repeated check of an open connection. A failure of a repeated check is not charged to the
   * address.
   */
  isRecheck?: boolean;
}

/**
 * Mounts the edge, which handles every request first. The edge assigns a request id, authenticates the caller, and
 * charges the request (specification 5, 8).
 * Every response, with any status, has the request id and the rate limit headers.
 * Call this function on the root instance of Fastify, before any route is added.
 */
export function mountEdge(app: FastifyInstance, options: EdgeOptions): Edge {
  const edge = new Edge(options);
  app.decorateRequest('caller', null as never);
  app.decorateRequest('charge', null as never);
  app.decorateRequest('enter', null as never);
  app.decorateRequest('failure', undefined);
  app.addHook('onRequest', (request, reply) => edge.receive(request, reply));
  // A request counts only from its handler to the end of the handler. A client could keep many requests open that wait for a slot or for
  // their body, or whose response it does not read, and jobs would give way to them.
  app.addHook('preHandler', (request, _, done) => {
    if (request.routeOptions.config.priority !== 'deferred') (request.caller as Admission).countIn();
    done();
  });
  app.addHook('onSend', (request, { statusCode }, payload, done) => {
    // a request that an earlier hook answers, such as a preflight request, has not arrived at the edge
    (request.caller as Admission | null)?.countOut();
    if (!TAKES_NOTHING.has(statusCode) || !request.routeOptions.config.category) return done(null, payload);
    // the refund must be complete before the caller gets the response and sends its next request
    (request.caller as Admission).giveBackCategories().then(
      () => done(null, payload),
      () => done(null, payload),
    );
  });
  app.addHook('onResponse', async (request, { statusCode, elapsedTime }) => {
    const { method, routeOptions, failure } = request;
    options.metrics.httpDuration.observe({ method, route: routeOptions.url ?? 'none', status: statusCode }, elapsedTime / 1000);
    if (failure || statusCode >= 400) options.failed?.(request, { status: statusCode, ms: elapsedTime });
  });
  return edge;
}

/** Maximum length of a User-Agent that is stored in audit records and sessions. A header may have up to 16 KB. */
const USER_AGENT_MAX = 500;

export class Edge {
  readonly #limiter: RateLimiter;
  /**
   * Holders of credentials, by authenticated principal. `usageOf` gets only the principal and finds the holder here. This works because a
   * cached principal is always the same object.
   */
  readonly #holders = new WeakMap<Principal, Holder>();

  constructor(private readonly options: EdgeOptions) {
    this.#limiter = new RateLimiter(options);
  }

  /**
   * Authenticates a request, then charges it to the holder of the credentials. A failed authentication is charged to
   * the client's address.
   * A request whose cost is not 0 runs in a concurrency slot of its organization. The slot is released when the
   * response is closed.
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
    const enter = (known: Priority) => charged(admission, reply, async () => void (await admission.enter(known)));
    request.enter = (late) => enter(late).then(() => admission.countIn());
    reply.header('x-request-id', request.id);
    // this listener is added before the first await, because the caller may disconnect during the await
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
    if (priority !== 'deferred') await enter(priority);
  }

  /**
   * Authenticates a WebSocket or an event stream. Nothing is charged, because each operation is charged separately.
   * @throws InvalidCredentials or errors of `authenticate`
   * @throws KeySuspended if the credentials are suspended
   * @throws RateLimitExceeded if failed attempts have used up the limit of the address
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
    // an open connection stays open during a suspension, but its operations are rejected
    if (!isRecheck) await admission.checkSuspension();
    return admission;
  }

  /**
   * Returns a caller's current usage. If the request was charged, `hour` and `burst` are the values in the rate limit
   * headers of the response.
   */
  async usageOf({ principal, rates }: { principal: Principal; rates?: RateState | undefined }): Promise<LiveUsage> {
    const usage = await this.#limiter.usage(this.#holders.get(principal) ?? { principal });
    return rates ? { ...usage, hour: rates.hour, burst: rates.burst, at: rates.at } : usage;
  }

  /**
   * Counts an amount against an allowance that the plan of the caller's organization has.
   * @throws RateLimitExceeded; nothing is counted in this case
   */
  chargeAllowance({ principal }: { principal: Principal }, name: AllowanceName, amount: number): Promise<void> {
    return this.#limiter.chargeAllowance(principal, name, amount);
  }

  #arrival(requestId: string, client: ClientInfo): Admission {
    const userAgent = client.userAgent?.slice(0, USER_AGENT_MAX);
    return new Admission(requestId, { ...client, userAgent }, this.#limiter, this.options);
  }

  async #identify(request: FastifyRequest, admission: Admission): Promise<void> {
    const { routeOptions, is404, headers, method, originalUrl, raw } = request;
    const { access } = routeOptions.config;
    if (access === 'public' && !is404) return;
    if (access === 'page') return this.#identifyOnPage(request, admission);
    const sent = this.#shownBy(headers, raw);
    // an unknown path returns 404 to everyone, but a request with credentials is still charged to their holder
    if ((is404 || access === 'optional') && !sent) return;
    await this.#authenticate(admission, sent, { signing: readSigning(headers, method, originalUrl), isRecheck: false });
  }

  /**
   * Authenticates by the session cookie, which only routes with the access `page` accept. If the session has expired,
   * the caller is anonymous, and the page asks the user to log in.
   */
  async #identifyOnPage({ headers, method, originalUrl }: FastifyRequest, admission: Admission): Promise<void> {
    const token = cookieIn({ headers }, SESSION_COOKIE);
    if (!token) return;
    const options = { signing: readSigning(headers, method, originalUrl), isRecheck: false };
    await this.#authenticate(admission, { kind: 'bearer', token }, options).catch((error: unknown) => {
      if (!(error instanceof PlatformError && error.status === 401)) throw error;
    });
  }

  /** Returns the credentials in the request. If there are none, returns the client certificate of the connection. */
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
    // an attacker who guesses keys must not cause a lookup for each guess after the address has exceeded its limit
    if (!isRecheck && !this.options.isFamiliar(credentials)) await admission.checkAddress();
    const identified = await this.options.authenticate(credentials);
    this.#holders.set(identified.principal, identified);
    admission.identify(identified);
  }
}

/** Runs a charge, and sets the rate limit headers to the result, even if the charge is rejected. */
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

/**
 * Returns the cost of a request. If authentication failed, the cost is at least 1, even if the weight of the route is
 * 0.
 */
function costOf({ method, routeOptions: { config } }: FastifyRequest, hasFailed: boolean): Cost {
  const weight = config.weight ?? weightOf(method);
  if (hasFailed) return { weight: Math.max(1, weight) };
  return config.category ? { weight, categories: { [config.category]: 1 } } : { weight };
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
