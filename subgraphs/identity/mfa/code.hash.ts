import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/**
 * What is kept of a code: a code has so few digits that a plain hash of it is as good as the code. Keyed with the platform's
 * secret, and bound to whom or what the code is for, as a salt would.
 */
export class CodeHash {
  readonly #key: Buffer;

  constructor(secretKey: string) {
    this.#key = Buffer.from(hkdfSync('sha256', secretKey, '', 'mfa-codes', 32));
  }

  of(purpose: 'backup' | 'challenge', subjectId: string, code: string): string {
    return createHmac('sha256', this.#key).update([purpose, subjectId, code].join('\0')).digest('base64url');
  }

  /** In the same time wherever they differ. */
  isSame(one: string, other: string): boolean {
    const [left, right] = [Buffer.from(one), Buffer.from(other)];
    return left.length === right.length && timingSafeEqual(left, right);
  }
}
