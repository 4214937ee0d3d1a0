import type { SecretKeys } from '../../kernel/access/secret-box.ts';
import { systemClock } from '../../kernel/clock.ts';
import { createLogger, type Logger } from '../../kernel/log/log.ts';
import { createMetrics } from '../../kernel/metrics/metrics.ts';
import { type Config, type ConfigSource, loadConfig } from '../../kernel/settings/config.ts';
import { assembleWith, type FullAssembly } from '../platform/assemble.ts';
import { lockDataFolder } from '../platform/data-lock.ts';
import { Databases } from '../platform/databases.ts';
import { secretKeysOf } from '../platform/secret-key.ts';
import { databaseError } from '../platform/start-error.ts';
import { type OpenedStores, openStores } from '../platform/stores.ts';

type KeysOf = (config: Config) => SecretKeys;

interface Settled {
  config: Config;
  log: Logger;
  secretKeys: SecretKeys;
}

/**
 * A platform that listens on no port and runs no background work. With a database server, other processes of the
 * platform may run at the same time. With an embedded database, the offline platform must be the only process.
 */
export interface Offline extends AsyncDisposable {
  config: Config;
  assembly: FullAssembly;
}

/** Opens the platform offline, with the same settings as `npm start`. @throws StartError, ConfigError, SchemaError */
export async function openOffline(settings: ConfigSource): Promise<Offline> {
  await using opened = new AsyncDisposableStack();
  const { config, log, secretKeys } = await settle(settings, opened);
  const origin = config.publicOrigin ?? `http://localhost:${config.port}`;
  const foundation = { config, secretKeys, origin, clock: systemClock, log, metrics: createMetrics(), redis: undefined };
  const assembly = await opening(config, () => assembleWith(foundation, { isOffline: true }));
  opened.adopt(assembly, (one) => one.close());
  const resources = opened.move();
  return { config, assembly, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** Opens only the databases of the platform. @throws StartError, ConfigError, SchemaError */
export async function openOfflineStores(
  settings: ConfigSource,
  keysOf?: KeysOf,
): Promise<OpenedStores & Pick<Settled, 'config' | 'secretKeys'> & AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const { config, log, secretKeys } = await settle(settings, opened, keysOf);
  const databases = opened.adopt(new Databases(config, log), (all) => all.close());
  const stores = await opening(config, () => openStores(databases, secretKeys, log));
  const resources = opened.move();
  return { ...stores, config, secretKeys, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** Reads the settings. Locks an embedded database until the tool exits. */
async function settle(settings: ConfigSource, opened: AsyncDisposableStack, keysOf: KeysOf = secretKeysOf): Promise<Settled> {
  const config: Config = { ...loadConfig(settings), migrate: 'never' };
  if (!config.databaseUrl) opened.adopt(await lockDataFolder(config.dataDir), (lock) => lock.release());
  const log = createLogger({ level: config.logLevel === 'info' ? 'warn' : config.logLevel });
  return { config, log, secretKeys: keysOf(config) };
}

async function opening<T>({ databaseUrl }: Config, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    throw databaseUrl ? databaseError(error, databaseUrl) : error;
  }
}
