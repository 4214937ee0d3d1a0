import { expect, test } from 'vitest';
import { Decimal } from '../../../kernel/values/money.ts';
import { atMostLeft } from './credit-notes.ts';

const d = (x: number | string) => new Decimal(x);
const line = (position: number, amount: number, amountCredited: number, taxRateIds: string[]) => ({
  position,
  amount: d(amount),
  amountCredited: d(amountCredited),
  taxRateIds,
  category: 'x',
});
/** Credits a test invoice. Its line A is 100 without tax, and its line B is 100 with 20 % tax. */
const run = async (invoice: object, credited: [number, number], wanted: [number, number][]) => {
  const lines = [line(0, 100, credited[0], []), line(1, 100, credited[1], ['r'])];
  const taxes = [
    {
      rateId: 'r',
      percent: d(20),
      taxable: d(100),
      amount: d(20),
      taxableCredited: d(credited[1]),
      amountCredited: d(credited[1]).times(0.2),
      appliesTo: (l: { taxRateIds: string[] }) => l.taxRateIds.includes('r'),
    },
  ];
  let n = 0;
  const tx = { flush: async () => undefined, find: async () => [lines, taxes][n++] };
  const of = {
    id: 'inv',
    amount: d(220),
    taxAmount: d(20),
    subtotal: d(200),
    currency: 'USD',
    amountReserved: d(0),
    refundReserved: d(0),
    ...invoice,
  };
  const left = await atMostLeft(
    tx as never,
    of as never,
    wanted.map(([position, net]) => ({ position, net: d(net) })),
  );
  return left.map(({ position, net }) => [position, net.toNumber()]);
};

test('after a credit for the taxed line, the whole untaxed line can still be credited', async () => {
  const invoice = { amountOpen: d(100), amountReturnable: d(0), amountReversed: d(120), taxReversed: d(20) };
  expect(await run(invoice, [0, 100], [[0, 100]])).toEqual([[0, 100]]);
});
