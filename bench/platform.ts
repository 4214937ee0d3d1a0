import { assemble, type FullAssembly } from '../apps/platform/assemble.ts';
import { type Platform, startPlatform } from '../apps/platform/platform.ts';
import type { Rows } from '../kernel/database/database.ts';
import { createLogger } from '../kernel/log/log.ts';
import { loadConfig } from '../kernel/settings/config.ts';

/**
 * Starts the platform in this process on an empty PostgreSQL database, or on an embedded one if `databaseUrl` is
 * undefined. Returns it with the internals that measurements need.
 */
export async function platformOn(
  databaseUrl: string | undefined,
  dataDir: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Pick<FullAssembly, 'domains'> & { platform: Platform; rows: Rows }> {
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
  const { domains, databases } = await assembled.promise;
  const { rows } = await databases.storeOf({ schema: 'bench_probe', entities: [], migrations: [] });
  return { platform, domains, rows };
}
