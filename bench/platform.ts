import { type FastifyInstance, fastify } from 'fastify';
import { assemble, type FullAssembly } from '../apps/platform/assemble.ts';
import { type Platform, startPlatform } from '../apps/platform/platform.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Rows } from '../kernel/database/database.ts';
import { createLogger } from '../kernel/log/log.ts';
import { createMetrics } from '../kernel/metrics/metrics.ts';
import { loadConfig } from '../kernel/settings/config.ts';
import { mountEdge } from '../router/edge/edge.ts';
import { MemoryCounters } from '../router/edge/memory-counters.ts';

/**
 * Starts the platform in this process on an empty PostgreSQL database, or on an embedded database if `databaseUrl` is undefined. Returns it
 * with the internals that measurements need.
 */
export async function platformOn(
  databaseUrl: string | undefined,
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<{ platform: Platform; assembly: FullAssembly; domains: FullAssembly['domains']; rows: Rows }> {
  const assembled = Promise.withResolvers<FullAssembly>();
  const own = {
    PORT: '0',
    DATA_DIR: dataDir,
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    SECRET_KEY: 'a secret for benchmarks, long enough',
  };
  const platform = await startPlatform(
    loadConfig({ ...own, LOG_LEVEL: 'error', ...settings }),
    async (foundation) => {
      const assembly = await assemble(foundation);
      assembled.resolve(assembly);
      return assembly;
    },
    { log: createLogger({ level: 'error' }) },
  );
  const assembly = await assembled.promise;
  const { rows } = await assembly.databases.storeOf({ schema: 'bench_probe', entities: [], migrations: [] });
  return { platform, assembly, domains: assembly.domains, rows };
}

/** Creates a server for hand-written handlers. It has the same edge as the platform, so that only the work behind it is compared. */
export function handWritten({ authenticate, isFamiliar, usage }: FullAssembly, bodyLimit?: number): FastifyInstance {
  const hand = fastify({ bodyLimit });
  mountEdge(hand, {
    authenticate,
    isFamiliar,
    usage,
    counters: new MemoryCounters(),
    anonymous: { perHour: 1000, burst: 100 },
    slotWaitMs: 5000,
    clock: systemClock,
    log: createLogger({ level: 'error' }),
    metrics: createMetrics(),
  });
  return hand;
}
