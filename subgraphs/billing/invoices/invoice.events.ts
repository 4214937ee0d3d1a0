import { z } from 'zod';
import { defineEvent, timestamp } from '../../../kernel/events/events.ts';
import type { Seller } from '../invoice-settings/seller.ts';
import { InvoiceStatus } from './invoice.states.ts';
import type { IssuedInvoice } from './issued-invoice.ts';
import { LineKind } from './line-kind.ts';

const { PENDING, PAID, OVERDUE } = InvoiceStatus;

const invoicePayload = z.strictObject({
  id: z.string(),
  number: z.string(),
  account_id: z.string(),
  status: z.enum(InvoiceStatus),
  amount: z.number(),
  subtotal: z.number(),
  tax_amount: z.number(),
  amount_paid: z.number(),
  amount_due: z.number(),
  amount_credited: z.number(),
  credit_applied: z.number(),
  amount_refunded: z.number(),
  amount_returned: z
    .number()
    .optional()
    .describe('Sum of the credit notes for the paid part of the invoice. It became credit of the account.'),
  amount_written_off: z.number().optional().describe('Unpaid amount at the time when the invoice was written off.'),
  write_off_reason: z.string().nullable().optional().describe('Why the invoice was written off.'),
  taxes: z
    .array(
      z.strictObject({
        name: z.string(),
        percent: z.number(),
        taxable: z.number(),
        amount: z.number(),
        reason: z.string().nullable().describe('Why no tax is due, such as `Reverse charge`.'),
      }),
    )
    .optional()
    .describe('The tax of each rate.'),
  currency: z.string(),
  due_date: timestamp,
  paid_date: timestamp.nullable(),
  bill_to: z
    .strictObject({ name: z.string(), address: z.array(z.string()), tax_id: z.string().nullable() })
    .nullable()
    .optional()
    .describe('Customer as it was when the invoice was issued.'),
  seller: z
    .strictObject({ name: z.string(), address: z.array(z.string()), tax_id: z.string().nullable(), footer: z.string().nullable() })
    .nullable()
    .optional()
    .describe('Seller as it was when the invoice was issued.'),
  delivered_at: timestamp.nullable().optional().describe('When the invoice was first delivered by e-mail.'),
  revision: z.int(),
  services: z.array(
    z.strictObject({
      service_id: z.string(),
      description: z.string(),
      kind: z.enum(LineKind).optional().describe('Kind of charge.'),
      category: z.string().nullable().optional().describe('Category of the service in the catalog.'),
      period_start: timestamp.nullable().optional().describe('Start of the billed period. Null if the line bills no period.'),
      period_end: timestamp.nullable().optional().describe('End of the billed period, exclusive.'),
      quantity: z.int(),
      unit_price: z.number(),
      amount: z.number(),
      amount_credited: z.number().optional().describe('Part of `amount` that credit notes gave back.'),
    }),
  ),
});

const plain = z.strictObject({ invoice: invoicePayload });
const example: z.input<typeof plain> = {
  invoice: {
    id: 'inv_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
    number: 'INV-1042',
    account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
    status: PENDING,
    amount: 299.9,
    subtotal: 299.9,
    tax_amount: 0,
    amount_paid: 0,
    amount_due: 299.9,
    amount_credited: 0,
    credit_applied: 0,
    amount_refunded: 0,
    amount_returned: 0,
    amount_written_off: 0,
    write_off_reason: null,
    taxes: [{ name: 'Exempt', percent: 0, taxable: 299.9, amount: 0, reason: 'Reverse charge' }],
    currency: 'USD',
    due_date: '2026-03-02T09:30:00.000Z',
    paid_date: null,
    bill_to: { name: 'Acme Corp', address: ['350 Fifth Avenue', '10118 New York NY', 'US'], tax_id: null },
    seller: { name: 'Example Telecom Inc.', address: ['1 Main Street', '10001 New York NY', 'US'], tax_id: null, footer: null },
    delivered_at: null,
    revision: 1,
    services: [
      {
        service_id: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        description: 'Fiber 1000 Mbps',
        kind: LineKind.SERVICE,
        category: 'connectivity',
        period_start: null,
        period_end: null,
        quantity: 2,
        unit_price: 149.95,
        amount: 299.9,
        amount_credited: 0,
      },
    ],
  },
};

const family = 'billing';
const statusChange = z.strictObject({ status: z.strictObject({ from: z.enum(InvoiceStatus), to: z.enum(InvoiceStatus) }) });

export const invoiceCreated = defineEvent(
  { name: 'invoice.created', family, description: 'An invoice was created by an API request.', data: plain, example },
  tellIssued,
);

export const invoiceGenerated = defineEvent(
  {
    name: 'invoice.generated',
    family,
    description: 'An invoice was created automatically: for the first billing cycle of a service, or by recurring billing.',
    data: plain,
    example,
  },
  tellIssued,
);

export const invoicePaid = defineEvent(
  {
    name: 'invoice.paid',
    family,
    description: 'An invoice was paid in full.',
    data: z.strictObject({
      invoice: invoicePayload,
      changes: statusChange,
      payment_id: z
        .string()
        .nullable()
        .describe('Id of the payment that paid the rest of the invoice. Null if the rest was paid by credit, or was 0.'),
    }),
    example: {
      invoice: { ...example.invoice, status: PAID, amount_paid: 299.9, amount_due: 0, paid_date: '2026-02-14T08:00:00.000Z' },
      changes: { status: { from: PENDING, to: PAID } },
      payment_id: 'pay_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
    },
  },
  (issued: IssuedInvoice, from: InvoiceStatus, paymentId: string | null) =>
    told(issued, { changes: { status: { from, to: issued.invoice.status } }, payment_id: paymentId }),
);

export const invoiceOverdue = defineEvent(
  {
    name: 'invoice.overdue',
    family,
    description: 'An invoice was not paid by its due date.',
    data: z.strictObject({ invoice: invoicePayload, changes: statusChange }),
    example: { invoice: { ...example.invoice, status: OVERDUE }, changes: { status: { from: PENDING, to: OVERDUE } } },
  },
  (issued: IssuedInvoice) => told(issued, { changes: { status: { from: PENDING, to: OVERDUE } } }),
);

const { CANCELLED } = InvoiceStatus;
const updated = z.strictObject({
  invoice: invoicePayload,
  changes: z
    .partialRecord(z.enum(['status', 'due_date', 'notes', 'amount']), z.strictObject({ from: z.unknown(), to: z.unknown() }))
    .describe('Each field that changed, with its old and its new value. `amount` changes with the lines.'),
});

export const invoiceUpdated = defineEvent(
  {
    name: 'invoice.updated',
    family,
    description:
      'An invoice changed. The causes are: an API request changed, cancelled or wrote off the invoice; credit notes that cover the invoice cancelled it; or the payment processor took a payment back, which reopened it.',
    data: updated,
    example: {
      invoice: { ...example.invoice, status: CANCELLED, amount_due: 0 },
      changes: { status: { from: PENDING, to: CANCELLED } },
    },
  },
  (issued: IssuedInvoice, changes: InvoiceChanges) => told(issued, { changes }),
);

export const invoiceDeliveryFailed = defineEvent(
  {
    name: 'invoice.delivery_failed',
    family,
    description: 'An invoice could not be delivered by e-mail, and is not tried again. Correct the address and send the invoice again.',
    data: z.strictObject({
      invoice: invoicePayload,
      delivery: z.strictObject({
        recipient: z.string().nullable().describe('E-mail address. Null if the account has none.'),
        reason: z.string().describe('Why the last attempt failed.'),
        attempts: z.int(),
      }),
    }),
    example: {
      ...example,
      delivery: { recipient: 'billing@acme.example.com', reason: '550 No such mailbox', attempts: 2 },
    },
  },
  (issued: IssuedInvoice, delivery: { recipient: string | null; reason: string; attempts: number }, occurredAt: Date) => ({
    ...told(issued, { delivery }),
    occurredAt,
  }),
);

export type InvoiceChanges = Partial<Record<'status' | 'due_date' | 'notes' | 'amount', { from: unknown; to: unknown }>>;

export const invoiceEvents = [
  ...[invoiceCreated.type, invoiceGenerated.type, invoicePaid.type, invoiceOverdue.type, invoiceUpdated.type],
  invoiceDeliveryFailed.type,
];

/** Creates the event data of a changed invoice. The time of the event is the time of the change. */
function told<T extends object>(issued: IssuedInvoice, more: T) {
  const { data, ...envelope } = tellIssued(issued);
  return { ...envelope, occurredAt: issued.invoice.updatedAt, data: { ...data, ...more } };
}

function tellIssued(issued: IssuedInvoice) {
  const { invoice } = issued;
  const { organizationId, id, createdAt, accountId } = invoice;
  return {
    organizationId,
    occurredAt: createdAt,
    subject: { type: 'Invoice', id },
    accountId,
    data: { invoice: payloadOf(issued) },
  };
}

const payloadOf = ({ invoice, lines, taxes }: IssuedInvoice): z.infer<typeof invoicePayload> => ({
  id: invoice.id,
  number: invoice.number,
  account_id: invoice.accountId,
  status: invoice.status,
  amount: invoice.amount.toNumber(),
  subtotal: invoice.subtotal.toNumber(),
  tax_amount: invoice.taxAmount.toNumber(),
  amount_paid: invoice.amountPaid.toNumber(),
  amount_due: invoice.amountDue.toNumber(),
  amount_credited: invoice.amountCredited.toNumber(),
  credit_applied: invoice.creditApplied.toNumber(),
  amount_refunded: invoice.amountRefunded.toNumber(),
  amount_returned: invoice.amountReturned.toNumber(),
  amount_written_off: invoice.amountWrittenOff.toNumber(),
  write_off_reason: invoice.writeOffReason,
  taxes: taxes.map(({ name, percent, taxable, amount, reason }) => ({
    ...{ name, percent: percent.toNumber(), taxable: taxable.toNumber(), amount: amount.toNumber(), reason },
  })),
  currency: invoice.currency,
  due_date: invoice.dueDate.toISOString(),
  paid_date: invoice.paidDate?.toISOString() ?? null,
  bill_to: invoice.billTo && { name: invoice.billTo.name, address: invoice.billTo.address, tax_id: invoice.billTo.taxId },
  seller: invoice.seller && tellSeller(invoice.seller),
  delivered_at: invoice.deliveredAt?.toISOString() ?? null,
  revision: invoice.revision,
  services: lines.map(
    ({ serviceId, description, kind, category, periodStart, periodEnd, quantity, unitPrice, amount, amountCredited }) => ({
      service_id: serviceId,
      description,
      kind,
      category,
      period_start: periodStart?.toISOString() ?? null,
      period_end: periodEnd?.toISOString() ?? null,
      quantity,
      unit_price: unitPrice.toNumber(),
      amount: amount.toNumber(),
      amount_credited: amountCredited.toNumber(),
    }),
  ),
});

const tellSeller = ({ name, address, taxId, footer }: Seller) => ({ name, address, tax_id: taxId, footer });
