import { type Config, ConfigError, type ConfigSource } from '../../kernel/settings/config.ts';
import { forgetKeptFallback, newSecretKey, replaceKeptSecretKey, secretKeysOf } from '../platform/secret-key.ts';
import { sealedIn } from '../platform/stores.ts';
import { openOfflineStores } from './offline.ts';
import { Reencryption } from './reencryption.ts';

export interface MaintenanceOptions {
  dryRun: boolean;
  tell(line: string): void;
}

/** Encrypts all secrets with the new key. Returns false if a secret cannot be decrypted with any of the keys. */
export async function reencrypt(settings: ConfigSource, { dryRun, tell }: MaintenanceOptions): Promise<boolean> {
  await using offline = await openOfflineStores(settings, (config) => {
    if (!config.secretKey) return dryRun ? secretKeysOf(config) : replaceKeptSecretKey(config.dataDir);
    requireFallback(config);
    return secretKeysOf(config);
  });
  const { config, secretKeys, stores } = offline;
  // a dry run in embedded mode stores no new key: a temporary key replaces it, so that the secrets can be counted
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
  tell(dryRun ? `${changed} secrets would be re-encrypted.` : `${changed} secrets were re-encrypted. ${nextStep(config)}`);
  if (unreadable.length > 0)
    tell(
      `These secrets can be decrypted with neither key, so they were already unusable:\n${unreadable.map((one) => `  ${one}\n`).join('')}`,
    );
  return unreadable.length === 0;
}

const nextStep = ({ secretKey }: Config): string =>
  secretKey
    ? 'SECRET_KEY_FALLBACK is now needed only for links that were already sent: see The secret key in docs/operations.md.'
    : 'The new key is in the file secret.key of DATA_DIR: back it up.';

function requireFallback({ secretKeyFallback }: Config): void {
  if (!secretKeyFallback) throw new ConfigError(['Set SECRET_KEY to the new key and SECRET_KEY_FALLBACK to the old one.']);
}
