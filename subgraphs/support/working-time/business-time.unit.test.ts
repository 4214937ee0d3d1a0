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

/**
 * Checks that `hours` of working time after `start` end at `due`, and that the working time from `start` to `due` is
 * `hours`.
 */
function expectDue(start: string, hours: number, calendar: BusinessCalendar | null, due: string): void {
  const [from, to] = [new Date(start), new Date(due)];
  expect(addWorkingTime(from, hours * HOUR_MS, calendar).toISOString()).toBe(to.toISOString());
  expect(workingTime(from, to, calendar) / HOUR_MS).toBeCloseTo(hours, 9);
}

describe('working time', () => {
  test.each([
    ['is within one day', '2026-06-03T10:00-04:00', 4, '2026-06-03T14:00-04:00'],
    ['ends with the day', '2026-06-03T13:00-04:00', 4, '2026-06-03T17:00-04:00'],
    ['continues the next morning', '2026-06-03T15:00-04:00', 4, '2026-06-04T11:00-04:00'],
    ['starts before the office opens', '2026-06-03T03:00-04:00', 1, '2026-06-03T10:00-04:00'],
    ['starts in the evening', '2026-06-03T22:30-04:00', 1, '2026-06-04T10:00-04:00'],
    ['starts on another date by UTC', '2026-06-03T23:30-04:00', 1, '2026-06-04T10:00-04:00'],
    ['crosses a weekend', '2026-06-05T16:00-04:00', 2, '2026-06-08T10:00-04:00'],
    ['starts on a Sunday', '2026-06-07T12:00-04:00', 8, '2026-06-08T17:00-04:00'],
    ['takes two weeks', '2026-06-01T09:00-04:00', 80, '2026-06-12T17:00-04:00'],
  ])('working time that %s: start %s plus %i working hours gives %s', (_, start, hours, due) => expectDue(start, hours, office(), due));

  test('working time leaves out holidays, also holidays next to a weekend', () => {
    const calendar = office({ holidays: ['2026-07-03', '2026-07-06'] });
    expectDue('2026-07-02T16:00-04:00', 2, calendar, '2026-07-07T10:00-04:00');
  });

  test('working time and holidays follow the time zone of the calendar', () => {
    const tokyo = office({ timezone: 'Asia/Tokyo', holidays: ['2026-06-04'] });
    expectDue('2026-06-03T16:00+09:00', 2, tokyo, '2026-06-05T10:00+09:00');
  });

  test('working time around the clock equals elapsed time', () => expectDue('2026-03-07T22:00Z', 72, null, '2026-03-10T22:00Z'));

  test('working time is zero if its end is before its start', () => {
    expect(workingTime(new Date('2026-06-04T10:00Z'), new Date('2026-06-03T10:00Z'), office())).toBe(0);
    expect(workingTime(new Date('2026-06-04T10:00Z'), new Date('2026-06-03T10:00Z'), null)).toBe(0);
    expect(addWorkingTime(new Date('2026-06-06T10:00Z'), 0, office())).toEqual(new Date('2026-06-06T10:00Z'));
  });

  test('the due time in a calendar with almost no working time is at most ten years later', () => {
    const start = new Date('2026-06-06T10:00Z');
    const never = addWorkingTime(start, 1, office({ hours: [] }));
    const rarely = addWorkingTime(start, 100_000 * HOUR_MS, office({ hours: [{ days: ['mon'], from: '09:00', to: '09:01' }] }));
    expect([never, rarely].map((due) => due.getUTCFullYear())).toEqual([2036, 2036]);
  });
});

describe('night hours', () => {
  const night = office({ hours: [{ days: ['fri'], from: '22:00', to: '06:00' }] });

  test('night hours end on the next day and belong to the evening on which they start', () => {
    expectDue('2026-06-05T20:00-04:00', 3, night, '2026-06-06T01:00-04:00');
    expectDue('2026-06-06T05:00-04:00', 2, night, '2026-06-12T23:00-04:00');
  });

  test('night hours that continue into a holiday end at midnight', () => {
    expectDue('2026-06-05T23:00-04:00', 2, { ...night, holidays: ['2026-06-06'] }, '2026-06-12T23:00-04:00');
  });

  test('minutes in several overlapping business hours count once as working time', () => {
    const hours: BusinessCalendar['hours'] = [...all('08:00', '12:00'), ...all('10:00', '14:00'), ...all('14:00', '24:00')];
    expectDue('2026-06-03T08:00-04:00', 17, office({ hours }), '2026-06-04T09:00-04:00');
  });
});

describe('daylight saving time', () => {
  const always = (timezone: string) => office({ timezone, hours: all('00:00', '24:00') });

  test('the start of daylight saving time removes an hour from a calendar that is open all day and none from office hours', () => {
    expectDue('2026-03-06T16:00-05:00', 2, office(), '2026-03-09T10:00-04:00');
    expectDue('2026-03-07T12:00-05:00', 24, always('America/New_York'), '2026-03-08T13:00-04:00');
  });

  test('the end of daylight saving time adds an hour to a calendar that is open all day and none to office hours', () => {
    expectDue('2026-10-30T16:00-04:00', 2, office(), '2026-11-02T10:00-05:00');
    expectDue('2026-10-31T12:00-04:00', 24, always('America/New_York'), '2026-11-01T11:00-05:00');
  });

  test('the start of daylight saving time within business hours shortens that day', () => {
    const early = office({ hours: all('01:00', '05:00') });
    expectDue('2026-03-08T00:00-05:00', 4, early, '2026-03-09T02:00-04:00');
  });

  test('the end of daylight saving time within business hours lengthens that day', () => {
    const early = office({ hours: all('01:00', '05:00') });
    expectDue('2026-11-01T00:00-04:00', 5, early, '2026-11-01T05:00-05:00');
  });

  // time windows of API keys also include both occurrences of a repeated hour
  test('working time in the hour that is repeated at the end of daylight saving time counts twice', () => {
    expectDue('2026-11-01T00:00-04:00', 3, office({ hours: all('00:00', '01:30') }), '2026-11-02T01:00-05:00');
    expect(
      workingTime(new Date('2026-11-01T00:00-04:00'), new Date('2026-11-01T03:00-05:00'), office({ hours: all('00:00', '01:30') })),
    ).toBe(2 * HOUR_MS);
    expect(
      workingTime(new Date('2026-11-01T00:00-04:00'), new Date('2026-11-01T03:00-05:00'), office({ hours: all('01:30', '03:00') })),
    ).toBe(2 * HOUR_MS);
  });

  test('an opening or closing time skipped by daylight saving time applies at the clock change', () => {
    expectDue('2026-03-08T00:00-05:00', 1, office({ hours: all('02:30', '06:00') }), '2026-03-08T04:00-04:00');
    expectDue('2026-03-08T00:00-05:00', 3, office({ hours: all('00:30', '02:30') }), '2026-03-09T02:00-04:00');
  });

  test('working time across a clock change at midnight has no gap and counts no hour twice', () => {
    expectDue('2026-03-07T12:00-05:00', 48, always('America/Havana'), '2026-03-09T13:00-04:00');
    expectDue('2026-10-31T12:00-04:00', 48, always('America/Havana'), '2026-11-02T11:00-05:00');
  });

  test('a clock change of half an hour changes working time by half an hour', () => {
    expectDue('2026-04-04T12:00+11:00', 24, always('Australia/Lord_Howe'), '2026-04-05T11:30+10:30');
  });
});

describe('working time within spans', () => {
  const span = (from: string, to?: string): Span => ({ from: new Date(from), to: to ? new Date(to) : null });
  const due = (spans: Span[], hours: number, calendar: BusinessCalendar | null = office()) =>
    reachedAt(spans, hours * HOUR_MS, calendar).toISOString();

  test('without a pause, a target of 4 hours is due 4 working hours after the start', () => {
    expect(due([span('2026-06-03T15:00-04:00')], 4)).toBe('2026-06-04T15:00:00.000Z');
  });

  test('a pause across closing time extends the due time by business hours only', () => {
    const spans = [span('2026-06-03T10:00-04:00', '2026-06-03T16:00-04:00'), span('2026-06-04T10:00-04:00')];
    expect(due(spans, 8)).toBe('2026-06-04T16:00:00.000Z');
  });

  test('a pause during a night or weekend does not extend the due time', () => {
    const spans = [span('2026-06-05T15:00-04:00', '2026-06-05T17:00-04:00'), span('2026-06-08T09:00-04:00')];
    expect(due(spans, 3)).toBe('2026-06-08T14:00:00.000Z');
  });

  test('a pause after the due time does not change the due time', () => {
    const spans = [span('2026-06-03T10:00-04:00', '2026-06-03T16:00-04:00'), span('2026-06-04T10:00-04:00')];
    expect(due(spans, 5)).toBe('2026-06-03T19:00:00.000Z');
  });

  test('a pause that has not ended does not change the due time', () => {
    expect(due([span('2026-06-03T10:00-04:00', '2026-06-03T16:00-04:00')], 8)).toBe('2026-06-04T14:00:00.000Z');
    expect(due([span('2026-06-03T10:00Z', '2026-06-03T11:00Z')], 8, null)).toBe('2026-06-03T18:00:00.000Z');
  });
});
