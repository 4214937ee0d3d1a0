import { systemClock } from '../../kernel/clock.ts';
import { PlatformError } from '../../kernel/errors/errors.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { createMetrics } from '../../kernel/metrics/metrics.ts';
import { type Config, ConfigError, loadConfig } from '../../kernel/settings/config.ts';
import { assembleWith, type FullAssembly } from '../platform/assemble.ts';
import { lockDataFolder } from '../platform/data-lock.ts';
import { keptSecretKey } from '../platform/secret-key.ts';
import { databaseError, describeStartError } from '../platform/start-error.ts';

/** A platform without a port and without its background work: it may run beside others on a server, and alone over an embedded database. */
export interface Offline extends AsyncDisposable {
  config: Config;
  assembly: FullAssembly;
}

/** With the settings of the environment, as `npm start` reads them. @throws StartError, ConfigError, SchemaError */
export async function openOffline(given: Record<string, string | undefined>): Promise<Offline> {
  await using opened = new AsyncDisposableStack();
  const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const config: Config = { ...loadConfig({ ...process.env, ...options }), migrate: 'never' };
  const log = createLogger({ level: config.logLevel === 'info' ? 'warn' : config.logLevel });
  if (!config.databaseUrl) opened.adopt(await lockDataFolder(config.dataDir), (lock) => lock.release());
  const origin = config.publicOrigin ?? `http://localhost:${config.port}`;
  const secretKey = config.secretKey ?? keptSecretKey(config.dataDir);
  const foundation = { config, secretKey, origin, clock: systemClock, log, metrics: createMetrics(), redis: undefined };
  try {
    const assembly = opened.adopt(await assembleWith(foundation, { isOffline: true }), (one) => one.close());
    const resources = opened.move();
    return { config, assembly, [Symbol.asyncDispose]: () => resources.disposeAsync() };
  } catch (error) {
    throw config.databaseUrl ? databaseError(error, config.databaseUrl) : error;
  }
}

/** Runs a tool. An error becomes one line on stderr and exit status 1. */
export async function runTool(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    // what an operation refuses says what to do; anything else shows where it came from
    process.stderr.write(`${error instanceof PlatformError ? error.message : describeStartError(error)}\n`);
    process.exitCode = 1;
  }
}

/** Parses a command line. @throws ConfigError with what is wrong in one sentence, and where the help is */
export function orHelp<T>(parse: () => T, tool: string): T {
  try {
    return parse();
  } catch (error) {
    throw new ConfigError([`${(error as Error).message.split('. ', 1)[0]}. See npm run ${tool} -- --help.`]);
  }
}
