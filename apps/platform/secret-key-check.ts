import { derivedKey, SecretBox, type SecretKeys } from '../../kernel/access/secret-box.ts';
import { HASH_PURPOSES, Secrets } from '../../kernel/access/secrets.ts';
import type { Rows } from '../../kernel/database/database.ts';
import type { Logger } from '../../kernel/log/log.ts';
import { HASH_KEYS, KEY_CHECK, type SealedPlace } from './sealed-places.ts';
import { StartError } from './start-error.ts';

const CONTEXT = 'platform';

/**
 * Refuses a database that was encrypted with another secret key. If the platform started with a wrong key, logins, API
 * keys and deliveries would fail. The first start stores an encrypted text in each database, and every later start
 * decrypts it. In a database of an earlier release, the text is stored if one of the keys decrypts any of the
 * database's secrets. @returns the key that the database was encrypted with
 * @throws StartError
 */
export async function checkSecretKey(rows: Rows, keys: SecretKeys, places: readonly SealedPlace[], log: Logger): Promise<string> {
  let sealed = await sealedText(rows);
  if (sealed === undefined) {
    await tryOnSecrets(rows, keys, [HASH_KEYS, ...places], log);
    // if several processes start at the same time, one of them inserts the row, and all of them read this row
    const insert = 'insert into "platform"."secret_key_check" ("sealed") values ($1) on conflict do nothing';
    const box = new SecretBox(keys, KEY_CHECK.purpose);
    await rows.query(insert, [box.seal('This database belongs to this secret key.', CONTEXT)]);
    sealed = await sealedText(rows);
  }
  const right = keys.find((key) => opens(new SecretBox([key], KEY_CHECK.purpose), sealed ?? '', CONTEXT));
  if (right === undefined) throw new WrongSecretKey();
  return right;
}

/**
 * Reads the hash keys from the database. If a hash key is missing, derives it from the secret key of the database, as
 * earlier releases did, and stores it. A stored hash key stays the same when the secret key changes.
 * @throws StartError if a hash key was encrypted with another secret key, which happens while the secret key is being
 * changed
 */
export async function readSecrets(rows: Rows, keys: SecretKeys, keyOfDatabase: string): Promise<Secrets> {
  const box = new SecretBox(keys, HASH_KEYS.purpose);
  const kept = () => rows.query<{ purpose: string; sealed: string }>('select "purpose", "sealed" from "platform"."hash_key"', []);
  let stored = await kept();
  const missing = HASH_PURPOSES.filter((name) => stored.every(({ purpose }) => purpose !== name));
  for (const purpose of missing) {
    const sealed = box.seal(derivedKey(keyOfDatabase, purpose).toString('base64url'), purpose);
    await rows.query('insert into "platform"."hash_key" ("purpose", "sealed") values ($1, $2) on conflict do nothing', [purpose, sealed]);
  }
  if (missing.length > 0) stored = await kept();
  if (!stored.every(({ purpose, sealed }) => opens(box, sealed, purpose))) throw new WrongSecretKey();
  return new Secrets(keys, new Map(stored.map(({ purpose, sealed }) => [purpose, Buffer.from(box.open(sealed, purpose), 'base64url')])));
}

class WrongSecretKey extends StartError {
  constructor() {
    super(
      'The secret key is not the one that this database was encrypted with, so its secrets cannot be read. Set SECRET_KEY, or the file secret.key of DATA_DIR, to the original key. See The secret key in docs/operations.md.',
    );
  }
}

async function sealedText(rows: Rows): Promise<string | undefined> {
  const [row] = await rows.query<{ sealed: string }>('select "sealed" from "platform"."secret_key_check"', []);
  return row?.sealed;
}

/**
 * Tries to decrypt the oldest and the newest secret of each column.
 * @throws StartError if there are secrets and none of them can be decrypted
 */
async function tryOnSecrets(rows: Rows, keys: SecretKeys, places: readonly SealedPlace[], log: Logger): Promise<void> {
  const unreadable: string[] = [];
  let opened = 0;
  for (const { name, table, key, sealed, context, where, purpose } of places) {
    const box = new SecretBox(keys, purpose);
    const one = (order: string) =>
      `(select ${sealed} as sealed, ${context} as context from ${table}
        where ${where} and ${sealed} is not null order by ${key.map((part) => `${part} ${order}`).join(', ')} limit 1)`;
    const samples = await rows.query<{ sealed: string; context: string }>(`${one('asc')} union all ${one('desc')}`, []);
    for (const sample of samples) {
      if (opens(box, sample.sealed, sample.context)) opened += 1;
      else unreadable.push(`${name} ${sample.context}`);
    }
  }
  if (unreadable.length === 0) return;
  if (opened === 0) throw new WrongSecretKey();
  log.warn({ unreadable }, 'Some secrets of this database were encrypted with another secret key');
}

function opens(box: SecretBox, sealed: string, context: string): boolean {
  try {
    box.open(sealed, context);
    return true;
  } catch {
    return false;
  }
}
