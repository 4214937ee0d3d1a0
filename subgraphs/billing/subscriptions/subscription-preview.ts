import { Field, ObjectType } from 'type-graphql';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { InvoiceLine } from '../invoices/invoice-line.entity.ts';
import type { IssuedInvoice } from '../invoices/issued-invoice.ts';

/** An invoice that would be issued. Nothing of it is stored. */
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

/** Runs `act` in a transaction that is rolled back. So a preview runs the same code as the real change. */
export async function withoutStoring<T>(em: EntityManager, act: (tx: EntityManager) => Promise<T>): Promise<T> {
  try {
    return await em.transactional(
      async (tx): Promise<T> => {
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
