import { randomInt } from 'node:crypto';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { BackupCode } from './backup-code.entity.ts';
import type { CodeHash } from './code-hash.ts';

const COUNT = 10;
const GROUPS = 4;
const GROUP_DIGITS = 4;
const DIGITS = GROUPS * GROUP_DIGITS;

/**
 * Creates and checks a user's ten backup codes, for use when a second factor is lost. A code consists of digits only
 * (specification 2.4) and has 53 random bits.
 */
export class BackupCodes {
  constructor(private readonly codeHash: CodeHash) {}

  /** Replaces all backup codes of a user. The new codes are never shown again. */
  async replace(tx: EntityManager, userId: string): Promise<string[]> {
    await this.clear(tx, userId);
    const codes = Array.from({ length: COUNT }, newBackupCode);
    for (const code of codes) tx.persist(Object.assign(new BackupCode(), { userId, hash: this.#hash(userId, code) }));
    return codes;
  }

  async clear(tx: EntityManager, userId: string): Promise<void> {
    await tx.nativeDelete(BackupCode, { userId });
  }

  /**
   * Uses up a backup code. Returns whether it was valid and unused. If the same code is used twice at the same time,
   * only one use succeeds.
   */
  async use(tx: EntityManager, userId: string, code: string, now: Date): Promise<boolean> {
    return (await tx.nativeUpdate(BackupCode, { userId, hash: this.#hash(userId, code), usedAt: null }, { usedAt: now })) === 1;
  }

  left(em: EntityManager, userId: string): Promise<number> {
    return em.count(BackupCode, { userId, usedAt: null });
  }

  #hash(userId: string, code: string): string {
    return this.codeHash.of('backup', userId, digitsOf(code));
  }
}

/** Returns whether a code has the form of a backup code. Authenticator codes and sent codes are shorter. */
export const isBackupCode = (code: string): boolean => digitsOf(code).length === DIGITS;

/** Removes spaces and hyphens, because people write codes down in groups of digits. */
export const digitsOf = (code: string): string => code.replace(/[\s-]/g, '');

const newBackupCode = (): string => Array.from({ length: GROUPS }, () => digits(GROUP_DIGITS)).join('-');

/** Returns `length` random decimal digits, uniformly distributed. */
export const digits = (length: number): string => String(randomInt(10 ** length)).padStart(length, '0');
