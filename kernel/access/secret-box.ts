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

/** The secret key of the platform, and behind it, while it is being changed, the other one. */
export type SecretKeys = readonly [current: string, ...fallback: string[]];

/** The key for one purpose: who has it learns neither the secret key nor the keys of other purposes. */
export const derivedKey = (secretKey: string, purpose: string): Buffer => Buffer.from(hkdfSync('sha256', secretKey, '', purpose, 32));

/**
 * Keeps secrets that must be readable again (signing secrets, tokens of integrations) encrypted at rest: AES-256-GCM under a
 * key that is derived from the platform's secret for one purpose. `context`, such as the record's id, is authenticated with
 * the text: what was sealed for one record does not open for another. The first key seals; all of them open.
 */
export class SecretBox {
  readonly #current: KeyObject;
  // not bytes: Node takes several times as long to make a key of them as to encrypt or sign with it
  readonly #keys: readonly KeyObject[];

  constructor(secretKeys: SecretKeys, purpose: string) {
    this.#keys = secretKeys.map((secretKey) => createSecretKey(derivedKey(secretKey, purpose)));
    this.#current = this.#keys[0] as KeyObject;
  }

  /** `v1.` and base64url of IV, authentication tag and ciphertext. */
  seal(text: string, context: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#current, iv).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return `${VERSION}.${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')}`;
  }

  /** @throws Error if the text was sealed with a key that is none of these, for another context, or was changed. */
  open(sealed: string, context: string): string {
    return this.#opened(sealed, context).text;
  }

  /** The text sealed with the current key; undefined if it is already. @throws Error as `open` does */
  resealed(sealed: string, context: string): string | undefined {
    const { text, key } = this.#opened(sealed, context);
    return key === this.#keys[0] ? undefined : this.seal(text, context);
  }

  /** Signs a text, such as the parameters of a link. */
  digest(text: string): string {
    return digestOf(text, this.#current);
  }

  /** Whether one of the keys signed the text. Takes the same time wherever the digests differ. */
  isDigest(digest: string, text: string): boolean {
    return this.#keys.some((key) => {
      const [given, right] = [Buffer.from(digest), Buffer.from(digestOf(text, key))];
      return given.length === right.length && timingSafeEqual(given, right);
    });
  }

  #opened(sealed: string, context: string): { text: string; key: KeyObject | undefined } {
    const [version, encoded = ''] = sealed.split('.');
    if (version !== VERSION) throw new Error('A secret at rest has an unknown form.');
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
