import { describe, expect, test } from 'vitest';
import { addWorkingTime, type BusinessCalendar, reachedAt, type Span, WEEKDAYS, workingTime } from './business-time.ts';

const HOUR_MS = 3_600_000;
const WEEK: BusinessCalendar['hours'] = [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:00' }];
const office = (more: Partial<BusinessCalendar> = {}): BusinessCalendar => ({
  timezone: 'America/New_York',
  hours: WEEK,
  holidays: [],
  ...more,
});
const all = (from: string, to: string): BusinessCalendar['hours'] => [{ days: WEEKDAYS, from, to }];

/** Checks that working time after `start` ends at `due`, and that the working time between the two is the same. */
function expectDue(start: string, hours: number, calendar: BusinessCalendar | null, due: string): void {
  const [from, to] = [new Date(start), new Date(due)];
  expect(addWorkingTime(from, hours * HOUR_MS, calendar).toISOString()).toBe(to.toISOString());
  expect(workingTime(from, to, calendar) / HOUR_MS).toBeCloseTo(hours, 9);
}

describe('working time', () => {
  test.each([
    ['within one day', '2026-06-03T10:00-04:00', 4, '2026-06-03T14:00-04:00'],
    ['ends with the day', '2026-06-03T13:00-04:00', 4, '2026-06-03T17:00-04:00'],
    ['goes on in the next morning', '2026-06-03T15:00-04:00', 4, '2026-06-04T11:00-04:00'],
    ['begins with the day, where it starts before', '2026-06-03T03:00-04:00', 1, '2026-06-03T10:00-04:00'],
    ['begins on the next day, where it starts in the evening', '2026-06-03T22:30-04:00', 1, '2026-06-04T10:00-04:00'],
    ['starts where the UTC date is another one', '2026-06-03T23:30-04:00', 1, '2026-06-04T10:00-04:00'],
    ['passes over the weekend', '2026-06-05T16:00-04:00', 2, '2026-06-08T10:00-04:00'],
    ['begins on Monday, where it starts on a Sunday', '2026-06-07T12:00-04:00', 8, '2026-06-08T17:00-04:00'],
    ['takes two weeks', '2026-06-01T09:00-04:00', 80, '2026-06-12T17:00-04:00'],
  ])('%s', (_, start, hours, due) => expectDue(start, hours, office(), due));

  test('passes over holidays, also beside a weekend', () => {
    const calendar = office({ holidays: ['2026-07-03', '2026-07-06'] });
    expectDue('2026-07-02T16:00-04:00', 2, calendar, '2026-07-07T10:00-04:00');
  });

  test('is by the clocks of its zone: a holiday there is no holiday of UTC', () => {
    const tokyo = office({ timezone: 'Asia/Tokyo', holidays: ['2026-06-04'] });
    expectDue('2026-06-03T16:00+09:00', 2, tokyo, '2026-06-05T10:00+09:00');
  });

  test('round the clock is time', () => expectDue('2026-03-07T22:00Z', 72, null, '2026-03-10T22:00Z'));

  test('backwards is none', () => {
    expect(workingTime(new Date('2026-06-04T10:00Z'), new Date('2026-06-03T10:00Z'), office())).toBe(0);
    expect(workingTime(new Date('2026-06-04T10:00Z'), new Date('2026-06-03T10:00Z'), null)).toBe(0);
    expect(addWorkingTime(new Date('2026-06-06T10:00Z'), 0, office())).toEqual(new Date('2026-06-06T10:00Z'));
  });

  test('of a calendar that hardly works is due some day, and not looked for without end', () => {
    const start = new Date('2026-06-06T10:00Z');
    const never = addWorkingTime(start, 1, office({ hours: [] }));
    const rarely = addWorkingTime(start, 100_000 * HOUR_MS, office({ hours: [{ days: ['mon'], from: '09:00', to: '09:01' }] }));
    expect([never, rarely].map((due) => due.getUTCFullYear())).toEqual([2036, 2036]);
  });
});

describe('hours of the night', () => {
  const night = office({ hours: [{ days: ['fri'], from: '22:00', to: '06:00' }] });

  test('end on the next day, and belong to the evening on which they begin', () => {
    expectDue('2026-06-05T20:00-04:00', 3, night, '2026-06-06T01:00-04:00');
    expectDue('2026-06-06T05:00-04:00', 2, night, '2026-06-12T23:00-04:00');
  });

  test('end at midnight where a holiday begins then', () => {
    expectDue('2026-06-05T23:00-04:00', 2, { ...night, holidays: ['2026-06-06'] }, '2026-06-12T23:00-04:00');
  });

  test('that overlap others count once', () => {
    const hours: BusinessCalendar['hours'] = [...all('08:00', '12:00'), ...all('10:00', '14:00'), ...all('14:00', '24:00')];
    expectDue('2026-06-03T08:00-04:00', 17, office({ hours }), '2026-06-04T09:00-04:00');
  });
});

describe('summer time', () => {
  const always = (timezone: string) => office({ timezone, hours: all('00:00', '24:00') });

  test('that begins takes an hour of the night and none of the office', () => {
    expectDue('2026-03-06T16:00-05:00', 2, office(), '2026-03-09T10:00-04:00');
    expectDue('2026-03-07T12:00-05:00', 24, always('America/New_York'), '2026-03-08T13:00-04:00');
  });

  test('that ends gives an hour of the night and none to the office', () => {
    expectDue('2026-10-30T16:00-04:00', 2, office(), '2026-11-02T10:00-05:00');
    expectDue('2026-10-31T12:00-04:00', 24, always('America/New_York'), '2026-11-01T11:00-05:00');
  });

  test('that begins within working hours shortens that day', () => {
    const early = office({ hours: all('01:00', '05:00') });
    expectDue('2026-03-08T00:00-05:00', 4, early, '2026-03-09T02:00-04:00');
  });

  test('that ends within working hours lengthens that day', () => {
    const early = office({ hours: all('01:00', '05:00') });
    expectDue('2026-11-01T00:00-04:00', 5, early, '2026-11-01T05:00-05:00');
  });

  test('that ends counts an hour twice where only a part of it is worked, as API keys with time windows do', () => {
    expectDue('2026-11-01T00:00-04:00', 3, office({ hours: all('00:00', '01:30') }), '2026-11-02T01:00-05:00');
    expect(
      workingTime(new Date('2026-11-01T00:00-04:00'), new Date('2026-11-01T03:00-05:00'), office({ hours: all('00:00', '01:30') })),
    ).toBe(2 * HOUR_MS);
    expect(
      workingTime(new Date('2026-11-01T00:00-04:00'), new Date('2026-11-01T03:00-05:00'), office({ hours: all('01:30', '03:00') })),
    ).toBe(2 * HOUR_MS);
  });

  test('that skips an opening or closing time opens or closes when it jumps', () => {
    expectDue('2026-03-08T00:00-05:00', 1, office({ hours: all('02:30', '06:00') }), '2026-03-08T04:00-04:00');
    expectDue('2026-03-08T00:00-05:00', 3, office({ hours: all('00:30', '02:30') }), '2026-03-09T02:00-04:00');
  });

  test('that comes or goes at midnight leaves no hole and counts nothing twice', () => {
    expectDue('2026-03-07T12:00-05:00', 48, always('America/Havana'), '2026-03-09T13:00-04:00');
    expectDue('2026-10-31T12:00-04:00', 48, always('America/Havana'), '2026-11-02T11:00-05:00');
  });

  test('of half an hour is half an hour', () => {
    expectDue('2026-04-04T12:00+11:00', 24, always('Australia/Lord_Howe'), '2026-04-05T11:30+10:30');
  });
});

describe('time within spans', () => {
  const span = (from: string, to?: string): Span => ({ from: new Date(from), to: to ? new Date(to) : null });
  const due = (spans: Span[], hours: number, calendar: BusinessCalendar | null = office()) =>
    reachedAt(spans, hours * HOUR_MS, calendar).toISOString();

  test('without a pause is working time', () => {
    expect(due([span('2026-06-03T15:00-04:00')], 4)).toBe('2026-06-04T15:00:00.000Z');
  });

  test('a pause over closing time costs only what would have been worked', () => {
    const spans = [span('2026-06-03T10:00-04:00', '2026-06-03T16:00-04:00'), span('2026-06-04T10:00-04:00')];
    expect(due(spans, 8)).toBe('2026-06-04T16:00:00.000Z');
  });

  test('a pause of a night or a weekend costs nothing', () => {
    const spans = [span('2026-06-05T15:00-04:00', '2026-06-05T17:00-04:00'), span('2026-06-08T09:00-04:00')];
    expect(due(spans, 3)).toBe('2026-06-08T14:00:00.000Z');
  });

  test('what was due before a pause was due then', () => {
    const spans = [span('2026-06-03T10:00-04:00', '2026-06-03T16:00-04:00'), span('2026-06-04T10:00-04:00')];
    expect(due(spans, 5)).toBe('2026-06-03T19:00:00.000Z');
  });

  test('during a pause it shows when it would have been due', () => {
    expect(due([span('2026-06-03T10:00-04:00', '2026-06-03T16:00-04:00')], 8)).toBe('2026-06-04T14:00:00.000Z');
    expect(due([span('2026-06-03T10:00Z', '2026-06-03T11:00Z')], 8, null)).toBe('2026-06-03T18:00:00.000Z');
  });
});
