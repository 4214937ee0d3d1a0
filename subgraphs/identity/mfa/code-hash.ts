import { timingSafeEqual } from 'node:crypto';
import type { KeyedHash } from '../../../kernel/access/secrets.ts';

/**
 * Hashes codes for storage. A code has few digits, so its plain hash could be reversed by trying all codes. The hash is
 * therefore keyed with the platform's secret, and salted with the purpose and subject of the code.
 */
export class CodeHash {
  constructor(private readonly hash: KeyedHash) {}

  of(purpose: 'backup' | 'challenge', subjectId: string, code: string): string {
    return this.hash([purpose, subjectId, code].join('\0')).toString('base64url');
  }

  /** Compares two hashes in constant time. */
  isSame(one: string, other: string): boolean {
    const [left, right] = [Buffer.from(one), Buffer.from(other)];
    return left.length === right.length && timingSafeEqual(left, right);
  }
}
