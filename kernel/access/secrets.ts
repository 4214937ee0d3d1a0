import { createHmac, createSecretKey } from 'node:crypto';
import { derivedKey, SecretBox, type SecretKeys } from './secret-box.ts';

/**
 * Purposes of keyed hashes in the database. The hashed texts are no longer known, so these keys must survive a change of the secret key.
 * The database stores each of them, encrypted, from the first startup that needs it.
 */
export const HASH_PURPOSES = ['idempotency', 'known-places', 'mfa-codes', 'oauth-record-ids'] as const;
export type HashPurpose = (typeof HASH_PURPOSES)[number];

/** HMAC-SHA256 of a text, to recognize the text without storing it. The database reveals neither the text nor a way to guess it. */
export type KeyedHash = (text: string) => Buffer;

/** Everything that is derived from the platform's secret key. */
export class Secrets {
  constructor(
    readonly keys: SecretKeys,
    private readonly hashKeys: ReadonlyMap<string, Buffer> = new Map(),
  ) {}

  /** Returns a box for texts that are encrypted at rest, and for signed links. */
  box(purpose: string): SecretBox {
    return new SecretBox(this.keys, purpose);
  }

  /** Returns a keyed hash for comparison with stored hashes. */
  hash(purpose: HashPurpose): KeyedHash {
    const key = createSecretKey(this.hashKeys.get(purpose) ?? derivedKey(this.keys[0], purpose));
    return (text) => createHmac('sha256', key).update(text).digest();
  }
}
