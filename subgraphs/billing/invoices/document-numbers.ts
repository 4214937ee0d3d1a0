import type { EntityManager } from '../../../kernel/database/database.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { nextNumber, nextNumbers } from '../../../kernel/records/numbers.ts';

/** Numbers invoices and credit notes of an organization. */
export interface DocumentNumbers {
  /**
   * Locks the counter of invoice numbers. A transaction that both credits and issues invoices must call this method first. All transactions
   * that issue invoices lock in the same order: first the counter, and then the balance of the account.
   */
  lock(): Promise<void>;
  /** Returns numbers for `count` new invoices, in ascending order. */
  invoices(count: number): Promise<string[]>;
  creditNote(): Promise<string>;
}

/** Returns a source of document numbers without gaps. All transactions of the organization that need a number wait for each other. */
export const numbersOf = (tx: EntityManager, organizationId: string): DocumentNumbers => ({
  async lock() {
    await tx.execute('select 1 from "billing"."invoice_counter" where "organization_id" = ? for update', [organizationId]);
  },
  invoices: async (count) => (await nextNumbers(tx, 'invoice_counter', organizationId, count)).map((number) => `INV-${number}`),
  creditNote: async () => `CN-${await nextNumber(tx, 'credit_note_counter', organizationId)}`,
});

/** Returns unique texts instead of numbers, for documents that are not stored. It locks nothing. */
export const noNumbers: DocumentNumbers = {
  lock: async () => undefined,
  invoices: async (count) => Array.from({ length: count }, () => newId('invoice')),
  creditNote: async () => newId('creditNote'),
};
