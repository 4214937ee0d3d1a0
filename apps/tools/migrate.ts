import '../production.ts';
import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { createLogger } from '../../kernel/log/log.ts';
import type { SchemaUpgrade } from '../../kernel/migrations/versioned-schema.ts';
import { ConfigError, loadConfig } from '../../kernel/settings/config.ts';
import { lockDataFolder } from '../platform/data-lock.ts';
import { DATABASE_TEMPLATE } from '../platform/database-template.ts';
import { Databases } from '../platform/databases.ts';
import { secretKeysOf } from '../platform/secret-key.ts';
import { databaseError, describeStartError } from '../platform/start-error.ts';
import { openStores } from '../platform/stores.ts';

const HELP = `Brings the databases of the platform up to date: npm run migrate -- [options].

  --status              Shows pending migrations without applying them; exits with status 2 if there are any.
  --data FOLDER         DATA_DIR of an embedded database; the platform must not run on it.
  --database-url URL    The setting DATABASE_URL.
  --help                Shows this text.

All other settings are read from the environment, as npm start does (docs/config.md): databases of subgraphs (…_DATABASE_URL),
direct connections past a pooler (…_DATABASE_DIRECT_URL), and SECRET_KEY, which must be that of the platform. MIGRATE is ignored.
`;

/** Exit status of `--status` if migrations are pending. */
const NOT_UP_TO_DATE = 2;

/**
 * Applies pending migrations (`npm run migrate`), as a start with MIGRATE=auto does. Platforms that run with
 * MIGRATE=never need this command.
 */
try {
  const { values } = parsed();
  if (values.help) process.stdout.write(HELP);
  else process.exitCode = await run(values.status, { DATA_DIR: values.data, DATABASE_URL: values['database-url'] });
} catch (error) {
  process.stderr.write(`${describeStartError(error)}\n`);
  process.exitCode = 1;
}

function parsed() {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  try {
    return parseArgs({ options: { status: flag, help: { ...flag, short: 'h' }, data: text, 'database-url': text } });
  } catch (error) {
    throw new ConfigError([`${(error as Error).message.split('. ', 1)[0]}. See npm run migrate -- --help.`]);
  }
}

async function run(onlyStatus: boolean, given: Record<string, string | undefined>): Promise<number> {
  const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const config = loadConfig({ ...process.env, ...options, MIGRATE: 'auto' });
  const log = createLogger({ level: config.logLevel === 'info' ? 'warn' : config.logLevel });
  await using opened = new AsyncDisposableStack();
  if (!config.databaseUrl) opened.adopt(await lockDataFolder(config.dataDir), (lock) => lock.release());
  const secretKeys = secretKeysOf(config);
  const databases = opened.adopt(new Databases(config, log, DATABASE_TEMPLATE), (all) => all.close());
  try {
    const upgrades = await (onlyStatus ? databases.upgrades() : databases.migrate());
    process.stdout.write(report(upgrades, onlyStatus));
    if (onlyStatus) return upgrades.length > 0 ? NOT_UP_TO_DATE : 0;
    // `openStores` also checks the secret key, so that a wrong key is found before the platform starts
    await openStores(databases, secretKeys, log);
    return 0;
  } catch (error) {
    throw config.databaseUrl ? databaseError(error, config.databaseUrl) : error;
  }
}

function report(upgrades: readonly SchemaUpgrade[], onlyStatus: boolean): string {
  if (upgrades.length === 0) return 'The databases are up to date.\n';
  const lines = upgrades.map(({ schema, from, to }) => `  ${schema.padEnd(10)} ${from} → ${to}\n`);
  return `${onlyStatus ? 'Pending' : 'Applied'}:\n${lines.join('')}`;
}
