import { describe, expect, test } from 'vitest';
import { Invoice } from './invoice.entity.ts';
import { InvoiceStatus } from './invoice.states.ts';

const NOW = new Date('2026-02-01T00:00:00.000Z');
const ALLOWED: Record<InvoiceStatus, InvoiceStatus[]> = {
  pending: [InvoiceStatus.PAID, InvoiceStatus.OVERDUE, InvoiceStatus.CANCELLED],
  overdue: [InvoiceStatus.PENDING, InvoiceStatus.PAID, InvoiceStatus.CANCELLED],
  paid: [],
  cancelled: [],
};
const invoiceIn = (status: InvoiceStatus): Invoice => Object.assign(new Invoice(), { status });
const statuses = Object.values(InvoiceStatus);
const pairs = statuses.flatMap((from) => statuses.map((to) => ({ from, to, isAllowed: ALLOWED[from].includes(to) })));

describe('invoice states', () => {
  test.each(pairs.filter(({ isAllowed }) => isAllowed))('an invoice can change from $from to $to', ({ from, to }) => {
    const invoice = invoiceIn(from);
    invoice.moveTo(to, NOW);
    expect(invoice).toMatchObject({ status: to, paidDate: to === InvoiceStatus.PAID ? NOW : null, updatedAt: NOW });
  });

  test.each(pairs.filter(({ isAllowed }) => !isAllowed))('an invoice cannot change from $from to $to', ({ from, to }) => {
    const invoice = invoiceIn(from);
    expect(() => invoice.moveTo(to, NOW)).toThrow(
      expect.objectContaining({ code: 'INVALID_STATE', details: { from, to, allowed: ALLOWED[from] } }),
    );
    expect(invoice.status).toBe(from);
  });
});
