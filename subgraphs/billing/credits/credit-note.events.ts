import { z } from 'zod';
import { defineEvent } from '../../../kernel/events/events.ts';
import type { CreditNote, CreditNoteLine } from './credit-note.entity.ts';
import { CreditCause } from './credit-note.states.ts';

const creditNotePayload = z.strictObject({
  id: z.string(),
  number: z.string(),
  account_id: z.string(),
  invoice_id: z.string().nullable().describe('Invoice that is corrected. Null for goodwill.'),
  cause: z.enum(CreditCause),
  net: z.number(),
  tax: z.number(),
  amount: z.number(),
  amount_to_invoice: z.number().describe('Part of `amount` that reduced the due amount of the invoice.'),
  amount_to_account: z.number().describe('Part of `amount` that became credit of the account.'),
  currency: z.string(),
  taxes: z.array(
    z.strictObject({ name: z.string(), percent: z.number(), taxable: z.number(), amount: z.number(), reason: z.string().nullable() }),
  ),
  reason: z.string().nullable(),
  lines: z.array(z.strictObject({ position: z.int(), service_id: z.string(), description: z.string(), net: z.number() })),
});

/** A credit note with its lines, in the order of the invoice lines. */
export interface IssuedCredit {
  creditNote: CreditNote;
  lines: readonly CreditNoteLine[];
}

export const creditIssued = defineEvent(
  {
    name: 'credit.issued',
    family: 'billing',
    description: 'A credit note was issued. It reduces the due amount of an invoice, or gives the account credit.',
    data: z.strictObject({ credit_note: creditNotePayload }),
    example: {
      credit_note: {
        id: 'cn_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        number: 'CN-1001',
        account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        invoice_id: 'inv_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        cause: CreditCause.MANUAL,
        net: 50,
        tax: 10,
        amount: 60,
        amount_to_invoice: 60,
        amount_to_account: 0,
        currency: 'USD',
        taxes: [{ name: 'VAT', percent: 20, taxable: 50, amount: 10, reason: null }],
        reason: 'The line was down for two weeks',
        lines: [{ position: 0, service_id: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G', description: 'Fiber 1000 Mbps', net: 50 }],
      },
    },
  },
  ({ creditNote, lines }: IssuedCredit) => {
    const { id, organizationId, accountId, createdAt } = creditNote;
    return {
      organizationId,
      occurredAt: createdAt,
      subject: { type: 'CreditNote', id },
      accountId,
      data: { credit_note: payloadOf(creditNote, lines) },
    };
  },
);

const payloadOf = (creditNote: CreditNote, lines: readonly CreditNoteLine[]): z.infer<typeof creditNotePayload> => ({
  id: creditNote.id,
  number: creditNote.number,
  account_id: creditNote.accountId,
  invoice_id: creditNote.invoiceId,
  cause: creditNote.cause,
  net: creditNote.net.toNumber(),
  tax: creditNote.tax.toNumber(),
  amount: creditNote.amount.toNumber(),
  amount_to_invoice: creditNote.amountToInvoice.toNumber(),
  amount_to_account: creditNote.amountToAccount.toNumber(),
  currency: creditNote.currency,
  taxes: creditNote.taxes.map(({ name, percent, taxable, amount, reason }) => ({
    ...{ name, percent: percent.toNumber(), taxable: taxable.toNumber(), amount: amount.toNumber(), reason },
  })),
  reason: creditNote.reason,
  lines: lines.map(({ position, serviceId, description, net }) => ({ position, service_id: serviceId, description, net: net.toNumber() })),
});
