import { timingSafeEqual } from 'node:crypto';
import type { KeyedHash } from '../../../kernel/access/secrets.ts';

/**
 * What is kept of a code: a code has so few digits that a plain hash of it is as good as the code. Keyed with the platform's
 * secret, and bound to whom or what the code is for, as a salt would.
 */
export class CodeHash {
  constructor(private readonly hash: KeyedHash) {}

  of(purpose: 'backup' | 'challenge', subjectId: string, code: string): string {
    return this.hash([purpose, subjectId, code].join('\0')).toString('base64url');
  }

  /** In the same time wherever they differ. */
  isSame(one: string, other: string): boolean {
    const [left, right] = [Buffer.from(one), Buffer.from(other)];
    return left.length === right.length && timingSafeEqual(left, right);
  }
}
