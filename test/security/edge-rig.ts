import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Credentials } from '../../kernel/access/credentials.ts';
import { type Plan, Principal } from '../../kernel/access/principal.ts';
import { TestClock } from '../../kernel/clock.ts';
import { PlatformError } from '../../kernel/errors/errors.ts';
import type { Priority } from '../../kernel/http/http.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { createMetrics } from '../../kernel/metrics/metrics.ts';
import type { Identified } from '../../router/edge/admission.ts';
import type { Counters } from '../../router/edge/counters.ts';
import { type Edge, mountEdge } from '../../router/edge/edge.ts';
import type { UsageObserver } from '../../router/edge/limiter.ts';
import { MemoryCounters } from '../../router/edge/memory-counters.ts';
import { type KeyLimits, PRIORITIES, type RateLimit } from '../../router/edge/plans.ts';
import { createServer } from '../../router/edge/server.ts';

export interface EdgeRig {
  app: FastifyInstance;
  edge: Edge;
  clock: TestClock;
  logged: string[];
  /** Credentials that the edge passed to the authenticator. */
  seen: Credentials[];
  /** Ids of principals whose suspension was reported. */
  suspended: string[];
  /** Usage that was reported for each organization. */
  used: ReadonlyMap<string, { requests: number; weight: number }>;
  /** Requests in progress at `/held/…`, by name. Calling the function lets the request respond. */
  held: Map<string, () => void>;
  /** Names of requests in the order in which their handlers started. */
  served: string[];
  metricsText(): Promise<string>;
  /** Accepts a key of another rig, as another process on the same database would. */
  acceptKey(key: string, principal: Principal): void;
  /** Adds a key of a new organization, or of the given organization. */
  addKey(plan: Plan, options?: { organizationId?: string; limits?: KeyLimits }): { key: string; principal: Principal };
}

interface RigOptions {
  counters?: Counters;
  anonymous?: RateLimit;
  trustedProxies?: string[];
  slotWaitMs?: number;
  /** Called before each key lookup. The lookup waits until the returned promise is resolved. */
  lookup?: () => Promise<void>;
}

let made = 0;

/** Creates the edge with a few routes, real counters and a test clock. Keys are stored in memory. */
export function createEdgeRig({
  counters = new MemoryCounters(),
  anonymous = { perHour: 1000, burst: 100 },
  trustedProxies = [],
  slotWaitMs = 5_000,
  lookup = async () => {},
}: RigOptions = {}): EdgeRig {
  const keys = new Map<string, Identified>();
  const seen: Credentials[] = [];
  const familiar = new Set<string>();
  const suspended: string[] = [];
  const used = new Map<string, { requests: number; weight: number }>();
  const logged: string[] = [];
  const clock = new TestClock();
  const metrics = createMetrics();
  const log = createLogger({ level: 'info', destination: { write: (line: string) => void logged.push(line) } });
  const app = createServer({ trustedProxies });
  const authenticate = async (credentials: Credentials): Promise<Identified> => {
    seen.push(credentials);
    await lookup();
    const found = credentials.kind === 'certificate' ? undefined : keys.get(credentials.token);
    if (!found) throw new PlatformError('INVALID_CREDENTIALS', 'The API key is not valid.');
    familiar.add(found.principal.id);
    return found;
  };
  const usage: UsageObserver = {
    counted({ organizationId }, { requests, weight }) {
      const before = used.get(organizationId) ?? { requests: 0, weight: 0 };
      used.set(organizationId, { requests: before.requests + requests, weight: before.weight + weight });
    },
    suspended: ({ id }) => void suspended.push(id),
  };
  const isFamiliar = (shown: Credentials) => shown.kind !== 'certificate' && familiar.has(keys.get(shown.token)?.principal.id ?? '');
  const edge = mountEdge(app, { authenticate, isFamiliar, counters, anonymous, slotWaitMs, usage, clock, log, metrics });
  const held = new Map<string, () => void>();
  const served: string[] = [];
  addRoutes(app);
  addHeldRoutes(app, held, served);

  return {
    app,
    edge,
    clock,
    logged,
    seen,
    suspended,
    used,
    held,
    served,
    metricsText: () => metrics.text(),
    acceptKey: (key, principal) => void keys.set(key, { principal }),
    addKey(plan, { organizationId = `org_${process.pid}_${Date.now()}_${++made}`, limits } = {}) {
      const key = `sk_live_${String(++made).padStart(64, '0')}`;
      const principal = new Principal({ kind: 'api_key', id: `ak_${made}`, organizationId, plan, grants: ['*:*'] });
      keys.set(key, { principal, keyLimits: limits });
      return { key, principal };
    },
  };
}

function addRoutes(app: FastifyInstance): void {
  app.all('/things/:id', async (request) => ({
    organization: request.caller.principal.organizationId,
    id: (request.params as { id: string }).id,
  }));
  app.get('/open', { config: { access: 'public' } }, async (request) => ({ principal: request.caller.principal.toJSON() }));
  app.get('/large', async (_, reply) => reply.type('text/plain').send('x'.repeat(50_000_000)));
  app.get('/free', { config: { weight: 0 } }, async () => ({}));
  app.post('/exports', { config: { category: 'export' } }, async () => ({}));
  app.post('/graph', { config: { weight: 0 } }, async (request) => {
    await request.charge(request.body as { weight: number });
    return {};
  });
  app.get('/broken', async () => {
    throw new Error('select * from secrets');
  });
}

function addHeldRoutes(app: FastifyInstance, held: Map<string, () => void>, served: string[]): void {
  const hold = async ({ params }: FastifyRequest): Promise<object> => {
    const { name } = params as { name: string };
    served.push(name);
    await new Promise<void>((resolve) => held.set(name, resolve));
    held.delete(name);
    return {};
  };
  for (const priority of PRIORITIES) app.get(`/held/${priority}/:name`, { config: { priority } }, hold);
  app.post('/held/deferred/:name', { config: { weight: 1, priority: 'deferred' } }, async (request) => {
    const { priority } = request.body as { priority: Priority };
    await request.charge({ weight: 1, requests: 0 });
    await request.enter(priority);
    return hold(request);
  });
  app.get('/thrown/:name', async ({ params }) => {
    served.push((params as { name: string }).name);
    throw new Error('failed');
  });
}
