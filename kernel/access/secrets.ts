import { createHmac, createSecretKey } from 'node:crypto';
import { derivedKey, SecretBox, type SecretKeys } from './secret-box.ts';

/**
 * Purposes of keyed hashes in the database. The original texts are not stored, so the hashes cannot be computed again.
 * Therefore the keys of the hashes must not change with the secret key. Each key is created at the first start that
 * needs it, and is stored encrypted in the database.
 */
export const HASH_PURPOSES = ['idempotency', 'known-places', 'mfa-codes', 'oauth-record-ids'] as const;
export type HashPurpose = (typeof HASH_PURPOSES)[number];

/**
 * A function that returns the HMAC-SHA256 of a text. Without the key, nobody can compute or guess the text from the
 * hash.
 */
export type KeyedHash = (text: string) => Buffer;

/** The keys of the platform for encryption, signatures and keyed hashes. */
export class Secrets {
  constructor(
    readonly keys: SecretKeys,
    private readonly hashKeys: ReadonlyMap<string, Buffer> = new Map(),
  ) {}

  /** Returns the SecretBox of a purpose, to encrypt texts in the database or to sign links. */
  box(purpose: string): SecretBox {
    return new SecretBox(this.keys, purpose);
  }

  /** Returns the function that computes the keyed hashes of one purpose. */
  hash(purpose: HashPurpose): KeyedHash {
    const key = createSecretKey(this.hashKeys.get(purpose) ?? derivedKey(this.keys[0], purpose));
    return (text) => createHmac('sha256', key).update(text).digest();
  }
}
