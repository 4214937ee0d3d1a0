import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from '../../kernel/log/log.ts';
import type { Metrics } from '../../kernel/metrics/metrics.ts';
import { inTime } from '../../kernel/work/in-time.ts';

/** A readiness check. Resolves if the checked part of the platform works, rejects otherwise. */
export type Check = () => Promise<unknown>;

const CHECK_TIMEOUT_MS = 2_000;
const UNMETERED = { config: { access: 'public', weight: 0 } } as const;
const LOOPBACK = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);

export interface Operations {
  /** Returns whether background work has started. The server already listens before the background work starts. */
  isStarted(): boolean;
  checks: Readonly<Record<string, Check>>;
  metrics: Metrics;
  metricsToken: string | undefined;
  log: Logger;
}

/**
 * Mounts the endpoints for operations: /healthz (the process is alive), /readyz (the process can serve requests) and
 * /metrics. Requests to them do not count against rate limits.
 */
export function mountOperations(app: FastifyInstance, { isStarted, checks, metrics, metricsToken, log }: Operations): void {
  app.get('/healthz', UNMETERED, async () => ({ status: 'alive' }));

  app.get('/readyz', UNMETERED, async (_, reply) => {
    const results = await Promise.all(Object.entries(checks).map(async ([name, check]) => [name, await passes(name, check, log)] as const));
    const isReady = isStarted() && results.every(([, ok]) => ok);
    return reply.code(isReady ? 200 : 503).send({
      status: isReady ? 'ready' : 'not_ready',
      ...(!isStarted() && { reason: 'The start has not finished: background work is being started.' }),
      checks: Object.fromEntries(results.map(([name, ok]) => [name, ok ? 'ok' : 'failed'])),
    });
  });

  app.get('/metrics', UNMETERED, async (request, reply) => {
    if (!mayReadMetrics(request, metricsToken)) return reply.callNotFound();
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(await metrics.text());
  });
}

async function passes(name: string, check: Check, log: Logger): Promise<boolean> {
  try {
    await inTime(check(), CHECK_TIMEOUT_MS, () => new Error(`no response within ${CHECK_TIMEOUT_MS} ms`));
    return true;
  } catch (error) {
    log.warn({ check: name, err: error }, 'A readiness check failed');
    return false;
  }
}

/**
 * Returns whether a caller may read /metrics. If a token is set, the caller must send it. Otherwise the caller must be
 * a program on this machine that connects directly, not through a proxy on this machine.
 */
function mayReadMetrics({ headers, socket }: FastifyRequest, token: string | undefined): boolean {
  if (token) return equals(headers.authorization ?? '', `Bearer ${token}`);
  return LOOPBACK.has(socket.remoteAddress ?? '') && !headers['x-forwarded-for'] && !headers.forwarded;
}

function equals(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
