import { type Config, ConfigError, type ConfigSource } from '../../kernel/settings/config.ts';
import { forgetKeptFallback, newSecretKey, replaceKeptSecretKey, secretKeysOf } from '../platform/secret-key.ts';
import { sealedIn } from '../platform/stores.ts';
import { openOfflineStores } from './offline.ts';
import { Reencryption } from './reencryption.ts';

export interface MaintenanceOptions {
  dryRun: boolean;
  tell(line: string): void;
}

/** Encrypts all secrets with the new key. False where some are left that no key opens. */
export async function reencrypt(settings: ConfigSource, { dryRun, tell }: MaintenanceOptions): Promise<boolean> {
  await using offline = await openOfflineStores(settings, (config) => {
    if (!config.secretKey) return dryRun ? secretKeysOf(config) : replaceKeptSecretKey(config.dataDir);
    requireFallback(config);
    return secretKeysOf(config);
  });
  const { config, secretKeys, stores } = offline;
  // the kept key, of which a dry run has made no new one
  const keys = secretKeys.length === 1 ? ([newSecretKey(), ...secretKeys] as const) : secretKeys;
  const reencryption = new Reencryption({ keys, dryRun, tell });
  const unreadable: string[] = [];
  let changed = 0;
  for (const { rows, places } of sealedIn(stores)) {
    const outcome = await reencryption.run(rows, places);
    changed += outcome.changed;
    unreadable.push(...outcome.unreadable);
  }
  if (!dryRun && !config.secretKey) forgetKeptFallback(config.dataDir);
  tell(dryRun ? `${changed} secrets are to be encrypted anew.` : `${changed} secrets were encrypted anew. ${nextStep(config)}`);
  if (unreadable.length > 0)
    tell(`Neither key opens these; they were of no use before either:\n${unreadable.map((one) => `  ${one}\n`).join('')}`);
  return unreadable.length === 0;
}

const nextStep = ({ secretKey }: Config): string =>
  secretKey
    ? 'Nothing needs SECRET_KEY_FALLBACK any more but links that were sent: see The secret key in docs/operations.md.'
    : 'The new key is in secret.key of DATA_DIR: make a backup.';

function requireFallback({ secretKeyFallback }: Config): void {
  if (!secretKeyFallback) throw new ConfigError(['Set SECRET_KEY to the new key, and SECRET_KEY_FALLBACK to the one that it replaces.']);
}
