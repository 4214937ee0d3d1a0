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
     * Counts more than the route's own weight, for a request whose cost is known only when its body is: what GraphQL root
     * fields would cost over REST. Brings the rate headers up to date.
     * @throws RateLimitExceeded (429) or KeySuspended (403), and then nothing was counted.
     */
    charge(cost: Cost): Promise<void>;
    /**
     * On a route whose priority is `deferred`: waits for a slot of the plan, once it is known how urgent the request is.
     * @throws RateLimitExceeded (429) after the longest wait
     */
    enter(priority: Priority): Promise<void>;
  }
}

export interface EdgeOptions {
  /** Finds the holder. Throws a 401 or 403 PlatformError for credentials that do not hold. Called for every request: it caches. */
  authenticate(credentials: Credentials): Promise<Identified>;
  /** Where a request comes from, as a trusted proxy says it. */
  countryOf?(request: IncomingMessage): string | undefined;
  /**
   * Whether the credentials have been good before, answered from memory. Those are looked up again whatever others at the
   * same address do; unknown ones only while the address has something left.
   */
  isFamiliar(credentials: Credentials): boolean;
  /**
   * The certificate that a request's connection was opened with (client-certificate.ts). Asked where the request shows nothing
   * else. Throws a 401 PlatformError for one that must not count. Default: none ever.
   */
  certificateOf?(request: IncomingMessage): X509Certificate | undefined;
  counters: Counters;
  /** What an address without valid credentials may ask. */
  anonymous: RateLimit;
  /** How long a request waits for a slot of its plan. */
  slotWaitMs: number;
  /** Whom usage and suspensions are told. */
  usage?: UsageObserver | undefined;
  clock: Clock;
  log: Logger;
  metrics: Metrics;
}

/** What opens a connection that stays open. `params` are those of a WebSocket's connection_init, or the headers of an event stream. */
export interface ConnectionOpening {
  requestId: string;
  ip: string;
  userAgent?: string | undefined;
  params: Readonly<Record<string, unknown>>;
  /** The request that asked for it: its connection may have a client certificate. */
  request?: IncomingMessage | undefined;
  /** It is open already: a failure is nobody's attempt, and the address does not pay for it. */
  isRecheck?: boolean;
}

/**
 * Every request passes here first: it gets an id and its caller and is counted (specification 5, 8), and every answer
 * carries the id and the rate headers, whatever its status. Call it on the root instance, before any route is added.
 */
export function mountEdge(app: FastifyInstance, options: EdgeOptions): Edge {
  const edge = new Edge(options);
  app.decorateRequest('caller', null as never);
  app.decorateRequest('charge', null as never);
  app.decorateRequest('enter', null as never);
  app.addHook('onRequest', (request, reply) => edge.receive(request, reply));
  app.addHook('onSend', (request, { statusCode }, payload, done) => {
    if (!TAKES_NOTHING.has(statusCode) || !request.routeOptions.config.category) return done(null, payload);
    // a caller whose next request follows on this response finds what it has left
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

/** What is kept of a User-Agent: it stands in audit records and sessions, and a header may have 16 KB. */
const USER_AGENT_MAX = 500;

export class Edge {
  readonly #limiter: RateLimiter;
  /** Principals are the same object while they are cached, and subgraphs ask by them. */
  readonly #holders = new WeakMap<Principal, Holder>();

  constructor(private readonly options: EdgeOptions) {
    this.#limiter = new RateLimiter(options);
  }

  /**
   * Credentials are checked before the charge, so that a holder pays as who they are; a failure is paid by its address. A
   * request that costs something is served in a slot of its organization, which it gives back when its answer is closed.
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
    // before anything is waited for: a caller may be gone before it is known who it was
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
   * Admits a WebSocket, free of charge: each of its operations charges the admission.
   * @throws InvalidCredentials or what `authenticate` throws; KeySuspended; RateLimitExceeded for an address that fails too often.
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
    // what is open stays open: its operations are refused while the suspension lasts
    if (!isRecheck) await admission.checkSuspension();
    return admission;
  }

  /** What a caller has used of its limits. Hour and burst are those of the answer's headers where its request is one that has any. */
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
    // an unknown path is 404 for everyone, but who shows credentials is counted as who they are
    if ((is404 || access === 'optional') && !sent) return;
    await this.#authenticate(admission, sent, { signing: readSigning(headers, method, originalUrl), isRecheck: false });
  }

  /** Scripts and other sites cannot make a browser show it elsewhere. Whose session has ended signs in anew, which the page asks for. */
  async #identifyOnPage({ headers, method, originalUrl }: FastifyRequest, admission: Admission): Promise<void> {
    const token = cookieIn({ headers }, SESSION_COOKIE);
    if (!token) return;
    const options = { signing: readSigning(headers, method, originalUrl), isRecheck: false };
    await this.#authenticate(admission, { kind: 'bearer', token }, options).catch((error: unknown) => {
      if (!(error instanceof PlatformError && error.status === 401)) throw error;
    });
  }

  /** What is sent with a request is meant; the certificate of its connection counts where nothing is. */
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
    // who tries keys would have a lookup for each otherwise, long after the address is refused
    if (!isRecheck && !this.options.isFamiliar(credentials)) await admission.checkAddress();
    const identified = await this.options.authenticate(credentials);
    this.#holders.set(identified.principal, identified);
    admission.identify(identified);
  }
}

/** Brings the rate headers up to date, of what was charged and of what was refused. */
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

/** A failed authentication costs at least 1, also where a success would be counted later. */
function costOf({ method, routeOptions: { config } }: FastifyRequest, hasFailed: boolean): Cost {
  const weight = config.weight ?? weightOf(method);
  if (hasFailed) return { weight: Math.max(1, weight) };
  return config.category ? { weight, categories: { [config.category]: 1 } } : { weight };
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
