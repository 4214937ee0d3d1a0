import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { ConfigError } from '../../kernel/settings/config.ts';
import { auditLedger } from './audit-ledger.ts';
import { prune } from './prune.ts';
import { reencrypt } from './reencrypt.ts';
import { orHelp, settingsOf, type Tool } from './tool.ts';
import { verify } from './verify.ts';

const HELP = `Maintains the databases of the platform: npm run maintenance -- COMMAND [options].

  verify                Checks the whole event log and lists problems with their ids. Exits with status 1 if there are any.
  audit-ledger          Compares the ledger with invoices, payments, refunds and disputes. Exits with status 1 if it differs.
  prune                 Deletes all rows now that the platform would delete by age in the background.
  reencrypt             Encrypts all secrets with a new secret key. See The secret key in docs/operations.md.

  --dry-run             For prune and reencrypt: counts without changing anything.
  --data FOLDER         DATA_DIR of an embedded database; the platform must not run on it.
  --database-url URL    The setting DATABASE_URL.
  --help                Shows this text.

All other settings are read from the environment, as npm start does (docs/config.md). Every command works in small transactions: it may
run beside the platform, and can be stopped and repeated.
`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const options = { 'dry-run': flag, data: text, 'database-url': text, help: { ...flag, short: 'h' } } as const;

const COMMANDS = { verify, 'audit-ledger': auditLedger, prune, reencrypt };

export const maintain: Tool = async (run) => {
  const { values, positionals } = orHelp(() => parseArgs({ args: [...run.args], options, allowPositionals: true }), 'maintenance');
  const [name = '', ...more] = positionals;
  if (values.help || !name) {
    run.write(HELP);
    return 0;
  }
  const command = Object.entries(COMMANDS).find(([known]) => known === name)?.[1];
  if (!command) throw new ConfigError([`There is no command ${name}. See npm run maintenance -- --help.`]);
  if (more.length > 0) throw new ConfigError([`${name} takes no arguments. See npm run maintenance -- --help.`]);
  const given = settingsOf(run, { DATA_DIR: values.data, DATABASE_URL: values['database-url'] });
  const isDone = await command(given, { dryRun: values['dry-run'], tell: (line) => run.write(`${line}\n`) });
  return isDone ? 0 : 1;
};
