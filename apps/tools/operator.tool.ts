import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { ConfigError } from '../../kernel/settings/config.ts';
import { PlatformAccess } from '../../subgraphs/identity/user.states.ts';
import { openOffline } from './offline.ts';
import { COMMANDS, OperatorCommands } from './operator-commands.ts';
import { orHelp, settingsOf, type Tool } from './tool.ts';

const HELP = `Operates the platform from its server: npm run operator -- COMMAND [options].

${COMMANDS.map(({ usage, does }) => `  ${usage.padEnd(38)}${does}\n`).join('')}
  grant EMAIL [--read]                  Lets a user operate the platform, or only read. The first user's organization becomes the operator.
  revoke EMAIL                          Revokes that permission.

  --json                Prints the result as JSON.
  --data FOLDER         DATA_DIR of an embedded database; the platform must not run on it.
  --database-url URL    The setting DATABASE_URL.
  --help                Shows this text.

All other settings are read from the environment, as npm start does (docs/config.md). Each command is the API operation of that
name: it is audited in that organization and in the operator organization, and takes effect in every process within 5 seconds.
`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const options = {
  name: text,
  plan: text,
  status: text,
  search: text,
  reason: text,
  'admin-name': text,
  'admin-email': text,
  data: text,
  'database-url': text,
  read: flag,
  json: flag,
  help: { ...flag, short: 'h' },
} as const;

export const operate: Tool = async (run) => {
  const { values, positionals } = orHelp(() => parseArgs({ args: [...run.args], options, allowPositionals: true }), 'operator');
  const [name = '', ...names] = positionals;
  if (values.help || !name) {
    run.write(HELP);
    return 0;
  }
  const command = COMMANDS.find((one) => one.name === name);
  if (!command && name !== 'grant' && name !== 'revoke')
    throw new ConfigError([`There is no command ${name}. See npm run operator -- --help.`]);
  const wanted = command ? command.takes.length : 1;
  if (names.length !== wanted) throw new ConfigError([`${name} takes ${wanted} arguments. See npm run operator -- --help.`]);

  await using offline = await openOffline(settingsOf(run, { DATA_DIR: values.data, DATABASE_URL: values['database-url'] }));
  const { access } = offline.assembly.domains.identity.core;
  if (!command) {
    const given = values.read ? PlatformAccess.READ : PlatformAccess.ADMIN;
    const user = await access.grant(names[0] ?? '', name === 'grant' ? given : null);
    run.write(`${user.email} of ${user.organizationId}: ${user.platformAccess ?? 'none'}\n`);
    return 0;
  }
  const commands = await OperatorCommands.of(offline.assembly);
  run.write(await commands.run(command, names, values));
  return 0;
};
