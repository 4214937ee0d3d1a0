import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BillingCycle, monthsOf } from '../../../kernel/values/billing-cycle.ts';
import { boundary, localDay, periodAt } from './billing-periods.ts';

const { MONTHLY, QUARTERLY, ANNUAL } = BillingCycle;
const ZONES = Intl.supportedValuesOf('timeZone');

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const boundaryDays = (anchor: string, cycle: BillingCycle, count: number, zone = 'America/New_York'): string[] =>
  numbers(count).map((n) => localDay(boundary(anchor, cycle, n, zone), zone));

/** Adds months to a date by calculating with year, month and day instead of a date library. */
function addMonths(date: string, months: number): string {
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
  const index = year * 12 + month - 1 + months;
  const [newYear, newMonth] = [Math.floor(index / 12), (index % 12) + 1];
  const isLeap = (newYear % 4 === 0 && newYear % 100 !== 0) || newYear % 400 === 0;
  const length = newMonth === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(newMonth) ? 30 : 31;
  return [String(newYear).padStart(4, '0'), ...[newMonth, Math.min(day, length)].map((part) => String(part).padStart(2, '0'))].join('-');
}

describe('boundaries', () => {
  test('monthly periods from 31 January start on the last day of shorter months and return to the 31st', () => {
    expect(boundaryDays('2026-01-31', MONTHLY, 6)).toEqual([
      '2026-01-31',
      '2026-02-28',
      '2026-03-31',
      '2026-04-30',
      '2026-05-31',
      '2026-06-30',
    ]);
    expect(boundaryDays('2028-01-31', MONTHLY, 3)).toEqual(['2028-01-31', '2028-02-29', '2028-03-31']);
  });

  test('quarterly periods from 30 November start on the 28th only in February', () => {
    expect(boundaryDays('2026-11-30', QUARTERLY, 4)).toEqual(['2026-11-30', '2027-02-28', '2027-05-30', '2027-08-30']);
  });

  test('annual periods from 29 February start on 29 February again in the next leap year', () => {
    expect(boundaryDays('2028-02-29', ANNUAL, 5)).toEqual(['2028-02-29', '2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29']);
  });

  test.each([
    ['is the local midnight in winter', '2026-02-15', 1, 'America/New_York', '2026-03-15T04:00:00.000Z'],
    ['is the local midnight in summer', '2026-02-15', 0, 'America/New_York', '2026-02-15T05:00:00.000Z'],
    ['is 01:00 on a day without midnight', '2026-08-06', 1, 'America/Santiago', '2026-09-06T04:00:00.000Z'],
    ['is the first midnight on a day with two', '2026-09-25', 1, 'Atlantic/Azores', '2026-10-25T00:00:00.000Z'],
  ])('a boundary of a billing period %s', (_, anchor, n, zone, expected) => {
    expect(boundary(anchor, MONTHLY, n, zone).toISOString()).toBe(expected);
  });

  test('an invalid anchor or time zone is refused', () => {
    expect(() => boundary('2026-02-30', MONTHLY, 0, 'UTC')).toThrow(new RangeError('2026-02-30 is not a date.'));
    expect(() => boundary('2026-02-28', MONTHLY, 0, 'Mars/Olympus')).toThrow(RangeError);
  });
});

describe('periods', () => {
  const period = (instant: string, zone = 'America/New_York') => periodAt('2026-01-31', MONTHLY, new Date(instant), zone);

  test('a period contains its start but not its end', () => {
    expect(period('2026-02-28T05:00:00Z')).toEqual({
      number: 1,
      start: new Date('2026-02-28T05:00:00Z'),
      end: new Date('2026-03-31T04:00:00Z'),
    });
    expect(period('2026-02-28T04:59:59.999Z').number).toBe(0);
    expect(period('2026-03-31T03:59:59.999Z').number).toBe(1);
    expect(period('2026-03-31T04:00:00Z').number).toBe(2);
  });

  test('the time zone decides the period: the same time is in different periods in Auckland and New York', () => {
    expect(period('2026-02-27T12:00:00Z', 'Pacific/Auckland').number).toBe(1);
    expect(period('2026-02-27T12:00:00Z').number).toBe(0);
  });

  test('billing periods before the anchor have negative numbers', () => {
    expect(period('2026-01-31T04:59:59Z').number).toBe(-1);
    expect(period('2024-12-31T05:00:00Z').number).toBe(-13);
  });

  const dates = fc.date({ min: new Date('2024-01-01'), max: new Date('2045-01-01'), noInvalidDate: true });
  const anchors = fc.oneof(
    dates,
    fc.constantFrom('2024-02-29', '2026-01-31', '2026-08-31', '2026-04-30').map((date) => new Date(date)),
  );
  const cycles = fc.constantFrom(MONTHLY, QUARTERLY, ANNUAL);

  test('in any zone a billing period starts on the day that calendar arithmetic computes, and ends when the next period starts', () => {
    fc.assert(
      fc.property(anchors, cycles, fc.integer({ min: -30, max: 200 }), fc.constantFrom(...ZONES), (day, cycle, n, zone) => {
        const anchor = day.toISOString().slice(0, 10);
        const start = boundary(anchor, cycle, n, zone);
        expect(localDay(start, zone)).toBe(addMonths(anchor, n * monthsOf(cycle)));
        expect(periodAt(anchor, cycle, start, zone)).toEqual({ number: n, start, end: boundary(anchor, cycle, n + 1, zone) });
        expect(periodAt(anchor, cycle, new Date(start.getTime() - 1), zone).number).toBe(n - 1);
      }),
      { numRuns: 300 },
    );
  });

  test('in any zone a time belongs to the billing period whose days contain the local day of this time', () => {
    fc.assert(
      fc.property(anchors, cycles, dates, fc.constantFrom(...ZONES), (day, cycle, instant, zone) => {
        const anchor = day.toISOString().slice(0, 10);
        const { number, start, end } = periodAt(anchor, cycle, instant, zone);
        const today = localDay(instant, zone);
        expect(start <= instant && instant < end).toBe(true);
        expect(addMonths(anchor, number * monthsOf(cycle)) <= today).toBe(true);
        expect(today < addMonths(anchor, (number + 1) * monthsOf(cycle))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
