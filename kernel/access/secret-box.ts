import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

const VERSION = 'v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * The current secret key of the platform, and fallback keys, which never encrypt. While an operator changes the secret
 * key, one of the old and the new key is current, and the other is the fallback (see docs/operations.md).
 */
export type SecretKeys = readonly [current: string, ...fallback: string[]];

/** Derives the key for one purpose. The derived key reveals neither the secret key nor the keys of other purposes. */
export const derivedKey = (secretKey: string, purpose: string): Buffer => Buffer.from(hkdfSync('sha256', secretKey, '', purpose, 32));

/**
 * Encrypts secrets that must be readable again, such as signing secrets and tokens of integrations. The algorithm is
 * AES-256-GCM. The key is derived from the platform's secret key, for one purpose.
 * `context`, such as the id of the record, is authenticated with the text: a text that was encrypted for one record
 * cannot be decrypted for another record.
 * Only the current key encrypts. The current key and the fallback keys can decrypt.
 */
export class SecretBox {
  readonly #current: KeyObject;
  // KeyObjects instead of bytes, because importing the bytes takes several times as long as encrypting or signing
  readonly #keys: readonly KeyObject[];

  constructor(secretKeys: SecretKeys, purpose: string) {
    this.#keys = secretKeys.map((secretKey) => createSecretKey(derivedKey(secretKey, purpose)));
    this.#current = this.#keys[0] as KeyObject;
  }

  /** Encrypts a text. Returns `v1.` and the base64url of IV, authentication tag and ciphertext. */
  seal(text: string, context: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#current, iv).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return `${VERSION}.${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')}`;
  }

  /**
   * Decrypts a text.
   * @throws Error if the text was encrypted with another key or for another context, or was modified
   */
  open(sealed: string, context: string): string {
    return this.#opened(sealed, context).text;
  }

  /**
   * Encrypts a text again with the current key. Returns undefined if the text is already encrypted with the current
   * key.
   * @throws Error if the text cannot be decrypted
   */
  resealed(sealed: string, context: string): string | undefined {
    const { text, key } = this.#opened(sealed, context);
    return key === this.#keys[0] ? undefined : this.seal(text, context);
  }

  /** Returns the signature (HMAC) of a text. The text can be, for example, the parameters of a link. */
  digest(text: string): string {
    return digestOf(text, this.#current);
  }

  /** Returns true if `digest` is the signature of `text` by one of the keys. Compares in constant time. */
  isDigest(digest: string, text: string): boolean {
    return this.#keys.some((key) => {
      const [given, right] = [Buffer.from(digest), Buffer.from(digestOf(text, key))];
      return given.length === right.length && timingSafeEqual(given, right);
    });
  }

  #opened(sealed: string, context: string): { text: string; key: KeyObject | undefined } {
    const [version, encoded = ''] = sealed.split('.');
    if (version !== VERSION) throw new Error('A stored secret has an unknown format.');
    const bytes = Buffer.from(encoded, 'base64url');
    let problem: unknown;
    for (const key of this.#keys) {
      try {
        return { text: decrypted(bytes, key, context), key };
      } catch (error) {
        problem = error;
      }
    }
    throw problem;
  }
}

const digestOf = (text: string, key: KeyObject): string => createHmac('sha256', key).update(text).digest('base64url');

function decrypted(bytes: Buffer, key: KeyObject, context: string): string {
  const iv = bytes.subarray(0, IV_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(context));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}
