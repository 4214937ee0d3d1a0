import { randomInt } from 'node:crypto';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { BackupCode } from './backup-code.entity.ts';
import type { CodeHash } from './code-hash.ts';

const COUNT = 10;
const GROUPS = 4;
const GROUP_DIGITS = 4;
const DIGITS = GROUPS * GROUP_DIGITS;

/** Ten codes a user keeps for the day their second factor is lost: digits only, as specification 2.4 writes codes, 53 bits each. */
export class BackupCodes {
  constructor(private readonly codeHash: CodeHash) {}

  /** New ones in place of all earlier ones: the only time that they are shown. */
  async replace(tx: EntityManager, userId: string): Promise<string[]> {
    await this.clear(tx, userId);
    const codes = Array.from({ length: COUNT }, newBackupCode);
    for (const code of codes) tx.persist(Object.assign(new BackupCode(), { userId, hash: this.#hash(userId, code) }));
    return codes;
  }

  async clear(tx: EntityManager, userId: string): Promise<void> {
    await tx.nativeDelete(BackupCode, { userId });
  }

  /** Whether this is one that was not used yet; it is used then. One statement: of many at once one is right. */
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

/** Whether a code has the form of a backup code; codes that change with time, or are sent, are shorter. */
export const isBackupCode = (code: string): boolean => digitsOf(code).length === DIGITS;

/** People write codes down in groups. */
export const digitsOf = (code: string): string => code.replace(/[\s-]/g, '');

const newBackupCode = (): string => Array.from({ length: GROUPS }, () => digits(GROUP_DIGITS)).join('-');

/** Random decimal digits, each as likely as the others. */
export const digits = (length: number): string => String(randomInt(10 ** length)).padStart(length, '0');
