import { expect, test } from 'vitest';
import { isoText, timestampOf } from './timestamps.ts';

/** Yields edge cases from the year 1 to the year 9999, followed by random dates. Half of the random dates are before the year 2097. */
function* generated(): Generator<Date> {
  const edges = [0, -1, 1, 951_782_399_999, 951_782_400_000, 4_107_542_399_999, 253_402_300_799_999, -62_135_596_800_000];
  for (const edge of edges) yield new Date(edge);
  for (let index = 0; index < 20_000; index += 1) {
    const span = index % 2 === 0 ? 253_402_300_799_999 : 4_000_000_000_000;
    yield new Date(Math.floor(Math.random() * span) * (index % 10 === 1 ? -0.2 : 1));
  }
}

/** Formats a timestamp in the form in which PostgreSQL writes it with `timezone = UTC`. */
const written = (instant: Date): string =>
  `${instant
    .toISOString()
    .replace('T', ' ')
    .replace(/\.?0*Z$/, '')}+00`;

test('isoText returns the same text as Date.toISOString for timestamps of any year', () => {
  for (const instant of generated()) expect(isoText(instant)).toBe(instant.toISOString());
});

test('timestampOf parses a timestamp as PostgreSQL writes it, for any year from 1000 to 9999', () => {
  for (const instant of generated()) {
    if (instant.getUTCFullYear() >= 1000) expect(timestampOf(written(instant)).getTime(), written(instant)).toBe(instant.getTime());
  }
});

test.each([new Date(8.64e15), new Date(-8.64e15), new Date(-62_167_219_200_001)])(
  'isoText returns the same text as Date.toISOString for a year with more than four digits: %s',
  (instant) => expect(isoText(instant)).toBe(instant.toISOString()),
);

test('isoText throws a RangeError for an invalid date', () => {
  expect(() => isoText(new Date(Number.NaN))).toThrow(RangeError);
});

test.each(['2026-01-31T09:30:00.125+02:00', '2026-01-31', '2026-01-31 09:30:00.125+02', '0150-01-31 09:30:00.125+00', 'infinity'])(
  'timestampOf parses %s like the Date constructor',
  (text) => expect(timestampOf(text)).toEqual(new Date(text)),
);
