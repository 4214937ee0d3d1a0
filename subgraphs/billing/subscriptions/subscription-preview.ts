import { Field, ObjectType } from 'type-graphql';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { InvoiceLine } from '../invoices/invoice-line.entity.ts';
import type { IssuedInvoice } from '../invoices/issued-invoice.ts';

/** Preview of an invoice. Nothing of it is stored. */
@ObjectType({ description: 'An invoice that would be issued. Nothing of it is stored.' })
export class InvoicePreview {
  @Field(() => Date, { description: 'When the invoice would be issued.' })
  date!: Date;

  @Field(() => String, { description: 'ISO 4217 code of all amounts, such as USD.' })
  currency!: string;

  @Field(() => [InvoiceLine], { description: 'Lines of the invoice, in order.' })
  lines!: InvoiceLine[];

  @Field(() => Decimal, { description: 'Sum of all lines, before taxes.' })
  subtotal!: Decimal;

  @Field(() => Decimal, { description: 'Part of `amount` that is tax.' })
  taxAmount!: Decimal;

  @Field(() => Decimal, { description: 'Sum of all lines and of the taxes.' })
  amount!: Decimal;

  @Field(() => Decimal, { description: 'Credit of the account that would be used for the invoice.' })
  creditApplied!: Decimal;
}

export const previewOf = ({ invoice, lines }: IssuedInvoice): InvoicePreview =>
  Object.assign(new InvoicePreview(), {
    ...{ date: invoice.createdAt, currency: invoice.currency, lines: [...lines], subtotal: invoice.subtotal },
    ...{ taxAmount: invoice.taxAmount, amount: invoice.amount, creditApplied: invoice.creditApplied },
  });

class Preview<T> extends Error {
  constructor(readonly result: T) {
    super('The transaction of a preview is rolled back.');
  }
}

/** Time for which a preview waits for the records of an account while another transaction changes them. */
const WAIT_MS = 50;
/** SQLSTATE codes of a statement that has waited too long, or that another transaction has overtaken. */
const BUSY = ['55P03', '40P01', '40001'];

/** Returns true if a preview failed because another transaction is changing the same records. */
export const isBusy = (error: unknown): boolean => error instanceof Error && 'code' in error && BUSY.includes(String(error.code));

/**
 * Runs `act` in a transaction that is rolled back, so that a preview runs the same code as the real change. If `isImpatient` is true, the
 * transaction fails (`isBusy`) if it had to wait for another transaction.
 */
export async function withoutStoring<T>(em: EntityManager, act: (tx: EntityManager) => Promise<T>, isImpatient = false): Promise<T> {
  try {
    return await em.transactional(
      async (tx): Promise<T> => {
        if (isImpatient) await tx.execute(`set local lock_timeout = ${WAIT_MS}`);
        const result = await act(tx);
        await tx.flush();
        throw new Preview(result);
      },
      { clear: true },
    );
  } catch (error) {
    if (error instanceof Preview) return error.result as T;
    throw error;
  }
}
