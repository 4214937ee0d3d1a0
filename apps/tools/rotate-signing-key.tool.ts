import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { systemClock } from '../../kernel/clock.ts';
import { KeyRing, SIGNING_KEYS } from '../../subgraphs/identity/tokens/key-ring.ts';
import { openOfflineStores } from './offline.ts';
import { orHelp, settingsOf, type Tool } from './tool.ts';

/**
 * Creates a new signing key for access tokens (`npm run rotate-signing-key`). The new key is published immediately, and signs tokens from
 * the next day on. The option `-- --at-once` is for the case that the current key is compromised. With this option, the new key signs
 * tokens immediately, all existing tokens are refused, and all users have to log in again. Settings are read from the environment. With an
 * embedded database, the platform must not be running.
 */
export const rotateSigningKey: Tool = async (run) => {
  const options = { 'at-once': { type: 'boolean', default: false }, data: { type: 'string' } } as const;
  const { values } = orHelp(() => parseArgs({ args: [...run.args], options }), 'rotate-signing-key');
  await using offline = await openOfflineStores(settingsOf(run, { DATA_DIR: values.data }));
  const { orm } = offline.stores.identity;
  const ring = new KeyRing({ orm, clock: systemClock, box: offline.secrets.box(SIGNING_KEYS) });
  await ring.rotate({ atOnce: values['at-once'] });
  const newest = (await ring.published()).reduce((one, other) => (one.signsFrom > other.signsFrom ? one : other));
  run.write(`${newest.kid} signs tokens from ${newest.signsFrom.toISOString()} on.\n`);
  return 0;
};
