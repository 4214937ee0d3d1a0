import { createHmac, createSecretKey } from 'node:crypto';
import { derivedKey, SecretBox, type SecretKeys } from './secret-box.ts';

/**
 * Purposes of keyed hashes in the database. What was hashed is not known any more, so these keys outlive a change of the secret
 * key: the database keeps each of them, encrypted, from the first start that needs it.
 */
export const HASH_PURPOSES = ['idempotency', 'known-places', 'mfa-codes', 'oauth-record-ids'] as const;
export type HashPurpose = (typeof HASH_PURPOSES)[number];

/** Recognizes a text that must be neither readable nor guessable in the database: HMAC-SHA256. */
export type KeyedHash = (text: string) => Buffer;

/** Everything that is derived from the platform's secret key. */
export class Secrets {
  constructor(
    readonly keys: SecretKeys,
    private readonly hashKeys: ReadonlyMap<string, Buffer> = new Map(),
  ) {}

  /** For texts that are encrypted at rest, and for signed links. */
  box(purpose: string): SecretBox {
    return new SecretBox(this.keys, purpose);
  }

  /** For hashes that are compared with stored ones. */
  hash(purpose: HashPurpose): KeyedHash {
    const key = createSecretKey(this.hashKeys.get(purpose) ?? derivedKey(this.keys[0], purpose));
    return (text) => createHmac('sha256', key).update(text).digest();
  }
}
