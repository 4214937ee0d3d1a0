import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const VERSION = 'v1';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Keeps secrets that must be readable again (signing secrets, tokens of integrations) encrypted at rest: AES-256-GCM under a
 * key that is derived from the platform's secret for one purpose. `context`, such as the record's id, is authenticated with
 * the text: what was sealed for one record does not open for another.
 */
export class SecretBox {
  readonly #key: Buffer;

  constructor(secretKey: string, purpose: string) {
    this.#key = Buffer.from(hkdfSync('sha256', secretKey, '', purpose, 32));
  }

  /** `v1.` and base64url of IV, authentication tag and ciphertext. */
  seal(text: string, context: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv).setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return `${VERSION}.${Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')}`;
  }

  /** The same for the same text, and for nobody without the key: to recognize what must not be readable, nor guessable. */
  digest(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url');
  }

  /** @throws Error where the text was sealed with another key, for another context, or was changed. */
  open(sealed: string, context: string): string {
    const [version, encoded = ''] = sealed.split('.');
    if (version !== VERSION) throw new Error('A secret at rest has an unknown form.');
    const bytes = Buffer.from(encoded, 'base64url');
    const iv = bytes.subarray(0, IV_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(context));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  }
}

/** A column in which a domain keeps sealed texts, each with the id of its row as context. */
export interface SealedColumn {
  table: string;
  column: string;
  purpose: string;
}
