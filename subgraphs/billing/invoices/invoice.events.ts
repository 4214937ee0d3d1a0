import { z } from 'zod';
import { type DomainEvent, defineEvent, timestamp } from '../../../kernel/events.ts';
import type { Invoice } from './invoice.entity.ts';
import { InvoiceStatus } from './invoice.states.ts';
import type { InvoiceLine } from './invoice-line.entity.ts';

const invoicePayload = z.strictObject({
  id: z.string(),
  number: z.string(),
  account_id: z.string(),
  status: z.enum(InvoiceStatus),
  amount: z.number(),
  currency: z.string(),
  due_date: timestamp,
  paid_date: timestamp.nullable(),
  services: z.array(
    z.strictObject({ service_id: z.string(), description: z.string(), quantity: z.int(), unit_price: z.number(), amount: z.number() }),
  ),
});

const example = {
  invoice: {
    id: 'inv_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
    number: 'INV-1042',
    account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
    status: 'pending',
    amount: 299.9,
    currency: 'USD',
    due_date: '2026-03-02T09:30:00.000Z',
    paid_date: null,
    services: [
      {
        service_id: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        description: 'Fiber 1000 Mbps',
        quantity: 2,
        unit_price: 149.95,
        amount: 299.9,
      },
    ],
  },
};

const family = 'billing';
const data = z.strictObject({ invoice: invoicePayload });

export const invoiceEvents = [
  defineEvent({ name: 'invoice.created', family, description: 'An invoice was made by request.', data, example }),
  defineEvent({
    name: 'invoice.generated',
    family,
    description: 'An invoice was made by the platform: for the first billing cycle of a service, or by a recurring run.',
    data,
    example,
  }),
];

/** An invoice with its lines, in their order. */
export interface IssuedInvoice {
  invoice: Invoice;
  lines: InvoiceLine[];
}

export const invoiceCreated = (issued: IssuedInvoice): DomainEvent => event('invoice.created', issued);
export const invoiceGenerated = (issued: IssuedInvoice): DomainEvent => event('invoice.generated', issued);

function event(name: string, { invoice, lines }: IssuedInvoice): DomainEvent {
  const { organizationId, id, createdAt } = invoice;
  return {
    name,
    organizationId,
    occurredAt: createdAt,
    subject: { type: 'Invoice', id },
    accountId: invoice.accountId,
    data: { invoice: payloadOf(invoice, lines) },
  };
}

const payloadOf = (invoice: Invoice, lines: readonly InvoiceLine[]): z.infer<typeof invoicePayload> => ({
  id: invoice.id,
  number: invoice.number,
  account_id: invoice.accountId,
  status: invoice.status,
  amount: invoice.amount.toNumber(),
  currency: invoice.currency,
  due_date: invoice.dueDate.toISOString(),
  paid_date: invoice.paidDate?.toISOString() ?? null,
  services: lines.map(({ serviceId, description, quantity, unitPrice, amount }) => ({
    service_id: serviceId,
    description,
    quantity,
    unit_price: unitPrice.toNumber(),
    amount: amount.toNumber(),
  })),
});
