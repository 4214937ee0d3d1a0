import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { ConfigError } from '../../kernel/settings/config.ts';
import { openOffline } from './offline.ts';
import { orHelp, settingsOf, type Tool } from './tool.ts';

const HELP = `Gives a user a new password and shows it once: npm run reset-admin -- EMAIL [options].

For a password or second factor that was lost and that no other user can help with. All sessions and second factors of the user end,
and a suspended user is active again. It is audited.

  --data FOLDER         DATA_DIR of an embedded database; the platform must not run on it.
  --database-url URL    DATABASE_URL.
  --help                This text.

Everything else is read from the environment, as npm start does (docs/config.md).
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
    throw new ConfigError(['Name the e-mail address of one user. See npm run reset-admin -- --help.']);
  await using offline = await openOffline(settingsOf(run, { DATA_DIR: values.data, DATABASE_URL: values['database-url'] }));
  const { email, organizationId, password } = await offline.assembly.domains.identity.core.administrators.reset(address);
  run.write(`User          ${email}\nOrganization  ${organizationId}\nPassword      ${password}\n`);
  return 0;
};
