import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Decimal, sum } from '../../../kernel/values/money.ts';
import { creditedTax, ratesFor, refundedTax, type TaxableLine, type TaxRate, type TaxScope, taxesOf } from './taxes.ts';

const decimal = (value: string | number | bigint): Decimal => new Decimal(value.toString());
const rate = (percent: string, id = `tax_${percent}`): TaxRate => ({ id, name: 'VAT', percent: decimal(percent) });
const line = (net: string, ...rates: TaxRate[]): TaxableLine => ({ net: decimal(net), rates });

/** Returns the taxes as texts such as `20% of 100.00 = 20.00`, or with the reason in place of the percentage. */
const taxes = (lines: TaxableLine[], currency = 'EUR'): string[] =>
  taxesOf(lines, currency).map(
    ({ rate, exemption, taxable, amount }) => `${rate ? `${rate.percent}%` : exemption} of ${taxable} = ${amount}`,
  );

/** Rounds the quotient of two numbers half up. The numbers must not be negative. */
const rounded = (numerator: bigint, denominator: bigint): bigint => (2n * numerator + denominator) / (2n * denominator);
const cents = (amount: Decimal): bigint => BigInt(amount.times(100).toFixed());
const total = (amounts: readonly bigint[]): bigint => amounts.reduce((all, amount) => all + amount, 0n);

// the example of https://github.com/getlago/lago-api/pull/2643
const LAGO_LINES = ['68.33', '68.33', '57.50', '85.00'];

describe('taxes of an invoice', () => {
  test('a tax is computed from the sum of the lines and not from each line', () => {
    expect(taxes(LAGO_LINES.map((net) => line(net, rate('20'))))).toEqual(['20% of 279.16 = 55.83']);
    expect(taxes(Array.from({ length: 10 }, () => line('0.04', rate('10'))))).toEqual(['10% of 0.4 = 0.04']);
  });

  test('invoice lines are rounded before they are added to the taxable amount', () => {
    expect(taxes([line('0.125', rate('100')), line('0.125', rate('100'))])).toEqual(['100% of 0.26 = 0.26']);
  });

  test('several tax rates of one line are added and not compounded', () => {
    expect(taxes([line('100', rate('4'), rate('4.5'), rate('0.375'))], 'USD')).toEqual([
      '4% of 100 = 4',
      '4.5% of 100 = 4.5',
      '0.375% of 100 = 0.38',
    ]);
  });

  test('each tax rate covers its own lines, and taxes are in the order in which their rates first occur in the lines', () => {
    expect(taxes([line('10', rate('20')), line('30', rate('5.5')), line('5', rate('20'))])).toEqual(['20% of 15 = 3', '5.5% of 30 = 1.65']);
  });

  test('two rates with the same percentage are separate taxes', () => {
    expect(taxes([line('10', rate('5', 'tax_state')), line('20', rate('5', 'tax_city'))])).toEqual(['5% of 10 = 0.5', '5% of 20 = 1']);
  });

  test('a tax has the decimal places of its currency', () => {
    expect(taxes([line('1005', rate('10'))], 'JPY')).toEqual(['10% of 1005 = 101']);
    expect(taxes([line('1.005', rate('10'))], 'KWD')).toEqual(['10% of 1.005 = 0.101']);
  });

  test('invoice lines without tax rates have no tax', () => {
    expect(taxes([line('100')])).toEqual([]);
    expect(taxes([])).toEqual([]);
  });

  test('exempt invoice lines have no tax, even if tax rates apply, and the result contains the reason', () => {
    const exempt = (net: string, exemption: string): TaxableLine => ({ ...line(net, rate('20')), exemption });
    expect(
      taxes([exempt('100', 'Reverse charge'), line('50', rate('20')), exempt('1.50', 'Reverse charge'), exempt('7', 'Export')]),
    ).toEqual(['Reverse charge of 101.5 = 0', '20% of 50 = 10', 'Export of 7 = 0']);
  });

  test('the taxes of any invoice equal the taxes of integer arithmetic', () => {
    /** Tax percentages in thousandths of a percent: 8875 is 8.875 %. */
    const percents = [20_000n, 5_500n, 8_875n, 0n];
    const rates = percents.map((percent) => rate(`${percent}e-3`));
    const lines = fc.array(fc.record({ net: fc.bigInt({ min: 0n, max: 10n ** 13n }), chosen: fc.subarray([0, 1, 2, 3]) }), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(lines, (all) => {
        const actual = taxesOf(
          all.map(({ net, chosen }) => ({ net: decimal(net).div(100), rates: chosen.map((index) => rates[index] as TaxRate) })),
          'USD',
        );
        const expected = percents.flatMap((percent, index) => {
          const nets = all.filter(({ chosen }) => chosen.includes(index)).map(({ net }) => net);
          return nets.length > 0 ? [[rates[index]?.id, total(nets), rounded(total(nets) * percent, 100_000n)]] : [];
        });
        const sorted = actual.toSorted((one, other) => rates.indexOf(one.rate as TaxRate) - rates.indexOf(other.rate as TaxRate));
        expect(sorted.map(({ rate, taxable, amount }) => [rate?.id, cents(taxable), cents(amount)])).toEqual(expected);
      }),
    );
  });
});

describe('the tax of credits', () => {
  /** Credits the net amounts one after the other, and returns the tax of each credit. */
  const creditEach = (nets: readonly Decimal[], percent: string): Decimal[] =>
    nets.map((net, index) => creditedTax(rate(percent), sum(nets.slice(0, index)), net, 'USD'));

  test('four credits that together cover an invoice of 334.99 give back 334.99, although rounding each credit separately would give 335.00', () => {
    const nets = LAGO_LINES.map(decimal);
    const tax = creditEach(nets, '20');
    expect(tax.map(String)).toEqual(['13.67', '13.66', '11.5', '17']);
    expect(sum([...nets, ...tax]).toFixed()).toBe('334.99');
  });

  test('the taxes of any credits of all lines add up to the tax of the invoice', () => {
    const partitions = fc.array(fc.bigInt({ min: 0n, max: 10n ** 10n }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(partitions, fc.bigInt({ min: 0n, max: 100_000n }), (parts, percent) => {
        const nets = parts.map((part) => decimal(part).div(100));
        const [tax] = taxesOf([{ net: sum(nets), rates: [rate(`${percent}e-3`)] }], 'USD');
        const credits = creditEach(nets, `${percent}e-3`);
        const upTo = (count: number): bigint => rounded(total(parts.slice(0, count)) * percent, 100_000n);
        expect(credits.map(cents)).toEqual(parts.map((_, index) => upTo(index + 1) - upTo(index)));
        expect(sum(credits).toFixed()).toBe(tax?.amount.toFixed());
      }),
    );
  });
});

describe('the tax in refunds', () => {
  test('three refunds of a third of 12.00 with 2.00 tax contain 0.67, 0.66 and 0.67 tax', () => {
    const refunds = ['0', '4', '8'].map((refundedBefore) =>
      refundedTax({ amount: decimal(12), tax: decimal(2), refundedBefore: decimal(refundedBefore), refund: decimal(4) }, 'USD'),
    );
    expect(refunds.map(String)).toEqual(['0.67', '0.66', '0.67']);
  });

  test('computing the tax of refunds that exceed the payment throws a RangeError', () => {
    const payment = { amount: decimal(12), tax: decimal(2), refundedBefore: decimal(8), refund: decimal('4.01') };
    expect(() => refundedTax(payment, 'USD')).toThrow(RangeError);
  });

  test('the tax in any refunds of a payment adds up to the tax of the payment, and is never more than the refund', () => {
    const partitions = fc.array(fc.bigInt({ min: 1n, max: 10n ** 10n }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(partitions, fc.bigInt({ min: 0n, max: 10_000n }), (refunds, portion) => {
        const amount = total(refunds);
        const tax = (amount * portion) / 10_000n;
        const upTo = (count: number): bigint => rounded(total(refunds.slice(0, count)) * tax, amount);
        const actual = refunds.map((refund, index) => {
          const before = decimal(total(refunds.slice(0, index))).div(100);
          return refundedTax(
            { amount: decimal(amount).div(100), tax: decimal(tax).div(100), refundedBefore: before, refund: decimal(refund).div(100) },
            'USD',
          );
        });
        expect(actual.map(cents)).toEqual(refunds.map((_, index) => upTo(index + 1) - upTo(index)));
        expect(total(actual.map(cents))).toBe(tax);
        expect(actual.every((part, index) => cents(part) <= (refunds[index] as bigint))).toBe(true);
      }),
    );
  });
});

describe('the rates of a sale', () => {
  const scope = (changes: Partial<TaxScope>): TaxScope => ({
    country: 'US',
    region: null,
    category: null,
    validFrom: '2020-01-01',
    validTo: null,
    ...changes,
  });
  const sale = { country: 'US', region: 'NY', category: 'voice', day: '2026-03-01' };
  const applies = (changes: Partial<TaxScope>, at: Partial<typeof sale> = {}): boolean =>
    ratesFor([scope(changes)], { ...sale, ...at }).length > 0;

  test('a tax rate of a country applies in all its regions and to all categories, but not in other countries', () => {
    expect([applies({}), applies({}, { region: 'CA', category: 'internet' }), applies({}, { country: 'CA' })]).toEqual([true, true, false]);
  });

  test('a tax rate of a region applies only in this region', () => {
    expect([applies({ region: 'NY' }), applies({ region: 'NJ' })]).toEqual([true, false]);
    expect(ratesFor([scope({ region: 'NY' })], { ...sale, region: null })).toEqual([]);
  });

  test('a tax rate of a category applies only to this category', () => {
    expect([applies({ category: 'voice' }), applies({ category: 'internet' })]).toEqual([true, false]);
    expect(ratesFor([scope({ category: 'voice' })], { ...sale, category: null })).toEqual([]);
  });

  test('a tax rate applies from its first day until the day before its end', () => {
    const period = { validFrom: '2026-01-01', validTo: '2026-04-01' };
    const days = ['2025-12-31', '2026-01-01', '2026-03-31', '2026-04-01'];
    expect(days.map((day) => applies(period, { day }))).toEqual([false, true, true, false]);
  });

  test('tax rates of the country and of the region apply together, in the given order', () => {
    const rates = [scope({ region: 'NY' }), scope({ region: 'NJ' }), scope({}), scope({ region: 'NY', category: 'voice' })];
    expect(ratesFor(rates, sale)).toEqual([rates[0], rates[2], rates[3]]);
  });

  test('if one tax rate ends on the day on which another tax rate starts, exactly one of them applies on every day', () => {
    const days = fc
      .date({ min: new Date('2020-01-01'), max: new Date('2035-01-01'), noInvalidDate: true })
      .map((day) => day.toISOString().slice(0, 10));
    fc.assert(
      fc.property(days, days, (change, day) => {
        const [old, next] = [scope({ validFrom: '0001-01-01', validTo: change }), scope({ validFrom: change })];
        expect(ratesFor([old, next], { ...sale, day })).toEqual([Date.parse(day) < Date.parse(change) ? old : next]);
      }),
    );
  });
});
