import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { SecretBox } from '../../kernel/access/secret-box.ts';
import { systemClock } from '../../kernel/clock.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { loadConfig } from '../../kernel/settings/config.ts';
import { KeyRing, SIGNING_KEYS } from '../../subgraphs/identity/tokens/key-ring.ts';
import { lockDataFolder } from '../platform/data-lock.ts';
import { Databases } from '../platform/databases.ts';
import { keptSecretKey } from '../platform/secret-key.ts';
import { describeStartError } from '../platform/start-error.ts';
import { openStores } from '../platform/stores.ts';

/**
 * `npm run rotate-signing-key`: announces a new key for access tokens, which signs from tomorrow on. With `-- --at-once`, for a key
 * that is not to be trusted any more, it signs now and no token of the old ones is taken: everybody logs in again. Reads the
 * settings of the platform from the environment; over the embedded database the platform must not run.
 */
try {
  const { values } = parseArgs({ options: { 'at-once': { type: 'boolean', default: false }, data: { type: 'string' } } });
  const log = createLogger({ level: 'warn' });
  const config = loadConfig({ ...process.env, ...(values.data && { DATA_DIR: values.data }) });
  await using opened = new AsyncDisposableStack();
  if (!config.databaseUrl) opened.adopt(await lockDataFolder(config.dataDir), (lock) => lock.release());
  const secretKey = config.secretKey ?? keptSecretKey(config.dataDir);
  const databases = opened.adopt(new Databases({ ...config, migrate: 'never' }, log), (all) => all.close());
  const { orm } = (await openStores(databases, secretKey, log)).identity;
  const ring = new KeyRing({ orm, clock: systemClock, box: new SecretBox(secretKey, SIGNING_KEYS) });
  await ring.rotate({ atOnce: values['at-once'] });
  const newest = (await ring.published()).reduce((one, other) => (one.signsFrom > other.signsFrom ? one : other));
  process.stdout.write(`${newest.kid} signs from ${newest.signsFrom.toISOString()} on.\n`);
} catch (error) {
  process.stderr.write(`${describeStartError(error)}\n`);
  process.exitCode = 1;
}
