import { expect, test } from 'vitest';
import { toCsv } from './report-csv.ts';

test('a table has its names first, CRLF after each line, and nothing where there is no value', () => {
  expect(toCsv(['category', 'count', 'rate'], [{ category: 'voice', count: 3, rate: null }])).toBe('category,count,rate\r\nvoice,3,\r\n');
  expect(toCsv(['a'], [])).toBe('a\r\n');
});

test('commas, quotes and line breaks stay within their cell', () => {
  expect(toCsv(['a', 'b'], [{ a: 'one, two', b: 'say "hi"\r\nthen' }])).toBe('a,b\r\n"one, two","say ""hi""\r\nthen"\r\n');
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx'])('%j is no formula', (text) => {
  expect(
    toCsv(['a'], [{ a: text }])
      .split('\r\n', 2)[1]
      ?.replace(/^"/, ''),
  ).toMatch(/^'/);
});

test('a number that is negative stays one', () => {
  expect(toCsv(['a'], [{ a: -1.5 }])).toBe('a\r\n-1.5\r\n');
});
