import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { ConfigError } from '../../kernel/settings/config.ts';
import { openOffline } from './offline.ts';
import { orHelp, settingsOf, type Tool } from './tool.ts';

const HELP = `Sets a new password for a user and shows it once: npm run reset-admin -- EMAIL [options].

For a user who has lost the password or second factor and whom no other user can help. Ends all sessions, removes all second factors,
and activates a suspended user. The reset is audited.

  --data FOLDER         DATA_DIR of an embedded database; the platform must not run on it.
  --database-url URL    The setting DATABASE_URL.
  --help                Shows this text.

All other settings are read from the environment, as npm start does (docs/config.md).
`;

const text = { type: 'string' } as const;
const options = { data: text, 'database-url': text, help: { type: 'boolean', default: false, short: 'h' } } as const;

export const resetAdmin: Tool = async (run) => {
  const { values, positionals } = orHelp(() => parseArgs({ args: [...run.args], options, allowPositionals: true }), 'reset-admin');
  if (values.help) {
    run.write(HELP);
    return 0;
  }
  const [address] = positionals;
  if (!address || positionals.length > 1)
    throw new ConfigError(['Specify the e-mail address of one user. See npm run reset-admin -- --help.']);
  await using offline = await openOffline(settingsOf(run, { DATA_DIR: values.data, DATABASE_URL: values['database-url'] }));
  const { email, organizationId, password } = await offline.assembly.domains.identity.core.administrators.reset(address);
  run.write(`User          ${email}\nOrganization  ${organizationId}\nPassword      ${password}\n`);
  return 0;
};
