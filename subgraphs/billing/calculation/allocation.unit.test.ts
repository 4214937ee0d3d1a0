import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal, sum } from '../../../kernel/values/money.ts';
import { allocate, type OpenInvoice } from './allocation.ts';

const invoice = (id: string, amountOpen: string, changes: { due?: string; created?: string; currency?: string } = {}): OpenInvoice => ({
  id,
  currency: changes.currency ?? 'USD',
  dueDate: new Date(changes.due ?? '2026-05-31'),
  createdAt: new Date(changes.created ?? '2026-05-01'),
  amountOpen: new Decimal(amountOpen),
});

/** Returns the allocation as texts such as `inv_a 10`, with the unallocated amount at the end. */
function allocated(invoices: OpenInvoice[], amount: string): string[] {
  const { parts, rest } = allocate(invoices, { amount: new Decimal(amount), currency: 'USD' });
  return [...parts.map((part) => `${part.invoice.id} ${part.amount}`), `rest ${rest}`];
}

test('money is allocated first to the invoice with the earliest due date', () => {
  const invoices = [invoice('inv_a', '50', { due: '2026-06-30' }), invoice('inv_b', '30', { due: '2026-05-31' })];
  expect(allocated(invoices, '60')).toEqual(['inv_b 30', 'inv_a 30', 'rest 0']);
});

test('invoices with the same due date get money in the order of creation, and with the same creation time in the order of their ids', () => {
  const invoices = [
    invoice('inv_c', '1', { created: '2026-05-02' }),
    invoice('inv_b', '1'),
    invoice('inv_a', '1'),
    invoice('inv_d', '1', { created: '2026-04-30' }),
  ];
  expect(allocated(invoices, '10')).toEqual(['inv_d 1', 'inv_a 1', 'inv_b 1', 'inv_c 1', 'rest 6']);
});

test('an invoice never gets more than its open amount', () => {
  expect(allocated([invoice('inv_a', '12.34')], '100')).toEqual(['inv_a 12.34', 'rest 87.66']);
});

test('invoices in other currencies get no money', () => {
  expect(allocated([invoice('inv_a', '10', { currency: 'EUR' }), invoice('inv_b', '10')], '15')).toEqual(['inv_b 10', 'rest 5']);
});

test('invoices without an open amount are not in the allocation', () => {
  expect(allocated([invoice('inv_a', '0'), invoice('inv_b', '10')], '10')).toEqual(['inv_b 10', 'rest 0']);
  expect(allocated([invoice('inv_a', '10')], '0')).toEqual(['rest 0']);
});

test('allocating money does not reorder the given list of invoices', () => {
  const invoices = [invoice('inv_b', '1', { due: '2026-07-01' }), invoice('inv_a', '1')];
  allocated(invoices, '1');
  expect(invoices.map(({ id }) => id)).toEqual(['inv_b', 'inv_a']);
});

test('any allocation equals the allocation of a model that gives each single cent to the most urgent open invoice', () => {
  const days = fc.constantFrom('2026-05-01', '2026-05-02', '2026-05-03');
  const changes = fc.record({ due: days, created: days, currency: fc.constantFrom('USD', 'USD', 'EUR') });
  const opens = fc.array(fc.record({ cents: fc.nat(60), changes }), { maxLength: 8 });
  fc.assert(
    fc.property(opens, fc.nat(300), (all, money) => {
      const invoices = all.map(({ cents, changes }, index) => invoice(`inv_${(index * 5) % 8}`, `${cents}e-2`, changes));
      const left = all.map(({ cents }) => cents);
      const paid = new Map<string, number>();
      let rest = money;
      for (; rest > 0; rest -= 1) {
        const urgency = (index: number): string => `${all[index]?.changes.due} ${all[index]?.changes.created} ${invoices[index]?.id}`;
        const open = left.flatMap((cents, index) => (cents > 0 && all[index]?.changes.currency === 'USD' ? [index] : []));
        const next = open.reduce((best, index) => (best < 0 || urgency(index) < urgency(best) ? index : best), -1);
        if (next < 0) break;
        left[next] = (left[next] as number) - 1;
        paid.set(invoices[next]?.id as string, (paid.get(invoices[next]?.id as string) ?? 0) + 1);
      }

      const result = allocate(invoices, { amount: new Decimal(`${money}e-2`), currency: 'USD' });
      const cents = (amount: Decimal): string => amount.times(100).toFixed();
      expect(result.parts.map((part) => [part.invoice.id, cents(part.amount)])).toEqual(
        [...paid].map(([id, amount]) => [id, String(amount)]),
      );
      expect(cents(result.rest)).toBe(String(rest));
      expect(cents(sum([...result.parts.map(({ amount }) => amount), result.rest]))).toBe(String(money));
    }),
    { numRuns: 300 },
  );
});
