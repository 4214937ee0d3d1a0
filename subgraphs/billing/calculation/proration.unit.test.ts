import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { DAY_MS, dateOf, datesBetween, MINUTE_MS } from '../../../kernel/values/days.ts';
import { startOfDay } from '../../../kernel/values/local-time.ts';
import { Decimal, minorDigits, roundTo, sum } from '../../../kernel/values/money.ts';
import { boundary, type Period, periodAt } from './billing-periods.ts';
import { proratedShare } from './proration.ts';

const QUARTER_MS = 15 * MINUTE_MS;
/** Time zones that change clocks at or near midnight, by half an hour, by two hours, or backwards in summer. */
const UNUSUAL_ZONES = [
  'Africa/Cairo',
  'Africa/Casablanca',
  'America/Havana',
  'America/Nuuk',
  'America/Santiago',
  'America/St_Johns',
  'Antarctica/Troll',
  'Atlantic/Azores',
  'Australia/Lord_Howe',
  'Europe/Dublin',
];
const zones = fc.oneof(
  fc.constantFrom(...UNUSUAL_ZONES),
  fc.constantFrom('America/New_York', 'Europe/Berlin'),
  fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
);
const anchors = fc.date({ min: new Date('2024-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }).map(dateOf);
const currencies = fc.constantFrom('USD', 'JPY', 'KWD', 'CLF');

const periodOf = (anchor: string, zone: string, cycle = BillingCycle.MONTHLY): Period => ({
  start: boundary(anchor, cycle, 0, zone),
  end: boundary(anchor, cycle, 1, zone),
});

interface Example {
  price?: string;
  period: Period;
  from?: Date;
  to?: Date;
  zone: string;
}

const share = ({ price = '310', period, from = period.start, to = period.end, zone }: Example): string =>
  proratedShare({ price: new Decimal(price), currency: 'USD', period, from, to, zone }).toFixed(2);

describe('a month in which New York changes to summer time', () => {
  const zone = 'America/New_York';
  const period = periodOf('2026-03-01', zone);

  test('March at 310.00 costs 160.00 for the 16 days until the midnight at the end of 16 March', () => {
    expect(share({ period, to: startOfDay('2026-03-17', zone), zone })).toBe('160.00');
  });

  test('March at 310.00 costs 150.00 until the midnight at the start of 16 March, and 160.00 from then on', () => {
    const midnight = new Date('2026-03-16T04:00:00Z');
    expect([share({ period, to: midnight, zone }), share({ period, from: midnight, zone })]).toEqual(['150.00', '160.00']);
  });

  test('a day of 23 hours that costs 10.00 costs 5.00 until the clocks show noon', () => {
    expect(share({ period, from: startOfDay('2026-03-08', zone), to: new Date('2026-03-08T16:00:00Z'), zone })).toBe('5.00');
  });
});

test.each([
  ['America/New_York', '2026-03-01'],
  ['America/New_York', '2026-11-01'],
  ['America/Santiago', '2026-09-06'],
  ['America/Santiago', '2026-08-07'],
  ['America/Santiago', '2026-03-31'],
  ['Africa/Cairo', '2026-04-24'],
  ['Atlantic/Azores', '2026-10-25'],
  ['Atlantic/Azores', '2026-10-01'],
  ['America/Havana', '2026-11-01'],
  ['America/Nuuk', '2026-03-01'],
  ['America/Nuuk', '2026-03-29'],
])('each local day in %s costs the same in the month from %s, although clocks are changed in it', (zone, anchor) => {
  const period = periodOf(anchor, zone);
  const days = datesBetween(anchor, dateOf(new Date(period.end.getTime() - DAY_MS / 2)));
  const price = String(10 * days.length);
  const ends = [...days.slice(1).map((day) => startOfDay(day, zone)), period.end];
  expect(days.map((day, index) => share({ price, period, from: startOfDay(day, zone), to: ends[index] as Date, zone }))).toEqual(
    days.map(() => '10.00'),
  );
});

describe('an hour that clocks in New York show twice', () => {
  const zone = 'America/New_York';
  const period = periodOf('2026-11-01', zone);
  const price = String(30 * 24);

  test('the first occurrence of an hour that clocks show twice is charged', () => {
    expect(share({ price, period, from: new Date('2026-11-01T05:00:00Z'), to: new Date('2026-11-01T06:00:00Z'), zone })).toBe('1.00');
  });

  test('the second occurrence of an hour that clocks show twice is not charged', () => {
    expect(share({ price, period, from: new Date('2026-11-01T06:00:00Z'), to: new Date('2026-11-01T07:00:00Z'), zone })).toBe('0.00');
  });

  test('the share from 01:50 until 01:10 is not negative if clocks are set back from 02:00 to 01:00 in between', () => {
    expect(share({ price, period, from: new Date('2026-11-01T05:50:00Z'), to: new Date('2026-11-01T06:10:00Z'), zone })).toBe('0.17');
  });
});

test('proratedShare refuses a part that starts before its period, ends after it, or ends before it starts', () => {
  const zone = 'Europe/Berlin';
  const period = periodOf('2026-05-01', zone);
  const middle = startOfDay('2026-05-16', zone);
  expect(() => share({ period, from: new Date(period.start.getTime() - 1), zone })).toThrow(RangeError);
  expect(() => share({ period, to: new Date(period.end.getTime() + 1), zone })).toThrow(RangeError);
  expect(() => share({ period, from: middle, to: new Date(middle.getTime() - 1), zone })).toThrow(RangeError);
});

test('the shares of any partition of any period in any zone and currency add up to the rounded price, and none is negative', () => {
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 });
  const prices = fc.bigInt({ min: 0n, max: 10n ** 12n }).map((value) => new Decimal(value.toString()).div(10_000));
  const cycles = fc.constantFrom(...Object.values(BillingCycle));
  fc.assert(
    fc.property(zones, anchors, cycles, currencies, prices, cuts, (zone, anchor, cycle, currency, price, fractions) => {
      const period = periodOf(anchor, zone, cycle);
      const [start, end] = [period.start.getTime(), period.end.getTime()];
      const times = fractions.map((fraction) => new Date(start + Math.round(fraction * (end - start)))).sort((one, other) => +one - +other);
      const shares = [...times, period.end].map((to, index) =>
        proratedShare({ price, currency, period, from: times[index - 1] ?? period.start, to, zone }),
      );
      expect(shares.some((amount) => amount.isNegative() && !amount.isZero())).toBe(false);
      expect(sum(shares).toFixed()).toBe(roundTo(price, currency).toFixed());
    }),
    { numRuns: 300 },
  );
});

describe('shares by a count of quarter hours', () => {
  const formats = new Map<string, Intl.DateTimeFormat>();

  /** Formats a time as local date and time with the JavaScript API Intl, such as `2026-03-08 03:00`. */
  function shown(time: number, timeZone: string): string {
    const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
    formats.set(timeZone, format);
    return format.format(time);
  }

  /** Lists all quarter hours of the calendar days from `first` to the day before `end`, as texts such as `2026-03-08 03:00`. */
  function calendar(first: string, end: string): string[] {
    const [from, to] = [Date.parse(first), Date.parse(end)];
    return Array.from({ length: (to - from) / QUARTER_MS }, (_, index) =>
      new Date(from + index * QUARTER_MS).toISOString().slice(0, 16).replace('T', ' '),
    );
  }

  /**
   * Walks through a period in steps of a quarter hour. A calendar quarter hour counts as passed when the clocks have shown it or a later
   * quarter hour, and at the latest when the next day starts. Returns for each step how many quarter hours have passed before it, and the
   * steps at which the clocks change.
   */
  function walk({ start, end }: Period, zone: string): { counted: number[]; changes: number[] } {
    const steps = (end.getTime() - start.getTime()) / QUARTER_MS;
    const texts = Array.from({ length: steps + 1 }, (_, step) => shown(start.getTime() + step * QUARTER_MS, zone));
    const quarters = calendar((texts[0] as string).slice(0, 10), (texts[steps] as string).slice(0, 10));
    const [counted, changes] = [[] as number[], [] as number[]];
    let next = 0;
    texts.forEach((text, step) => {
      const before = next;
      while (next < quarters.length && (quarters[next] as string) < text.slice(0, 10)) next += 1;
      counted.push(next);
      while (next < quarters.length && (quarters[next] as string) <= text) next += 1;
      if (next !== before + 1) changes.push(step);
    });
    return { counted, changes };
  }

  const rounded = (numerator: bigint, denominator: bigint): bigint => (2n * numerator + denominator) / (2n * denominator);
  /** A step at which a test splits a period: at a fraction of the period, or a few steps before or after the first clock change. */
  const cut = fc.oneof(
    fc.record({ fraction: fc.double({ min: 0, max: 1, noNaN: true }) }),
    fc.record({ near: fc.integer({ min: -6, max: 10 }) }),
  );

  test('the share of any part of a month in any zone equals the share that is computed by counting quarter hours of local time', () => {
    fc.assert(
      fc.property(
        zones,
        anchors,
        currencies,
        fc.bigInt({ min: 0n, max: 10n ** 9n }),
        cut,
        cut,
        (zone, anchor, currency, cents, one, other) => {
          const period = periodOf(anchor, zone);
          const { counted, changes } = walk(period, zone);
          const stepOf = (at: { fraction: number } | { near: number }): number => {
            const step = 'fraction' in at ? Math.round(at.fraction * (counted.length - 1)) : (changes[0] ?? 100) + at.near;
            return Math.min(Math.max(step, 0), counted.length - 1);
          };
          const [first, last] = [stepOf(one), stepOf(other)].sort((a, b) => a - b) as [number, number];
          const upTo = (step: number): bigint => rounded(cents * BigInt(counted[step] as number), BigInt(counted.at(-1) as number));

          const at = (step: number): Date => new Date(period.start.getTime() + step * QUARTER_MS);
          const price = new Decimal(`${cents}e-${minorDigits(currency)}`);
          const actual = proratedShare({ price, currency, period, from: at(first), to: at(last), zone });
          expect(actual.times(10 ** minorDigits(currency)).toFixed()).toBe(String(upTo(last) - upTo(first)));
        },
      ),
      { numRuns: 200 },
    );
  });
});

test('the shares before and after any time in its billing period add up to the price', () => {
  fc.assert(
    fc.property(
      zones,
      anchors,
      fc.date({ min: new Date('2024-01-01'), max: new Date('2040-01-01'), noInvalidDate: true }),
      (zone, anchor, at) => {
        const period = periodAt(anchor, BillingCycle.MONTHLY, at, zone);
        const [before, after] = [share({ period, to: at, zone }), share({ period, from: at, zone })];
        expect(new Decimal(before).plus(after).toFixed(2)).toBe('310.00');
      },
    ),
  );
});
