import { expect, test } from 'vitest';
import { instantOf, isoText } from './instants.ts';

/** Every kind of date, and more in the centuries of today. */
function* generated(): Generator<Date> {
  const edges = [0, -1, 1, 951_782_399_999, 951_782_400_000, 4_107_542_399_999, 253_402_300_799_999, -62_135_596_800_000];
  for (const edge of edges) yield new Date(edge);
  for (let index = 0; index < 20_000; index += 1) {
    const span = index % 2 === 0 ? 253_402_300_799_999 : 4_000_000_000_000;
    yield new Date(Math.floor(Math.random() * span) * (index % 10 === 1 ? -0.2 : 1));
  }
}

/** As PostgreSQL writes it with `timezone = UTC`. */
const written = (instant: Date): string =>
  `${instant
    .toISOString()
    .replace('T', ' ')
    .replace(/\.?0*Z$/, '')}+00`;

test('an instant is written as toISOString writes it', () => {
  for (const instant of generated()) expect(isoText(instant)).toBe(instant.toISOString());
});

test('what PostgreSQL wrote of an instant is read as that instant', () => {
  for (const instant of generated()) {
    if (instant.getUTCFullYear() >= 1000) expect(instantOf(written(instant)).getTime(), written(instant)).toBe(instant.getTime());
  }
});

test.each([new Date(8.64e15), new Date(-8.64e15), new Date(-62_167_219_200_001)])(
  'an instant beyond four-digit years is written as toISOString writes it: %s',
  (instant) => expect(isoText(instant)).toBe(instant.toISOString()),
);

test('what is no instant is refused as toISOString refuses it, and not written', () => {
  expect(() => isoText(new Date(Number.NaN))).toThrow(RangeError);
});

test.each(['2026-01-31T09:30:00.125+02:00', '2026-01-31', '2026-01-31 09:30:00.125+02', '0150-01-31 09:30:00.125+00', 'infinity'])(
  '%s, which is no instant of a server in UTC, is left to Date',
  (text) => expect(instantOf(text)).toEqual(new Date(text)),
);
