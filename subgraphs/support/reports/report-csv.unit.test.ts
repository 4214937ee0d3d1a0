import { expect, test } from 'vitest';
import { toCsv } from './report-csv.ts';

test('a CSV table starts with column names, uses CRLF and leaves missing values empty', () => {
  expect(toCsv(['category', 'count', 'rate'], [{ category: 'voice', count: 3, rate: null }])).toBe('category,count,rate\r\nvoice,3,\r\n');
  expect(toCsv(['a'], [])).toBe('a\r\n');
});

test('commas, quotes and line breaks in a CSV cell are quoted', () => {
  expect(toCsv(['a', 'b'], [{ a: 'one, two', b: 'say "hi"\r\nthen' }])).toBe('a,b\r\n"one, two","say ""hi""\r\nthen"\r\n');
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx'])('the CSV text %j is escaped so that it is not a formula', (text) => {
  expect(
    toCsv(['a'], [{ a: text }])
      .split('\r\n', 2)[1]
      ?.replace(/^"/, ''),
  ).toMatch(/^'/);
});

test('a negative number in a CSV cell is not escaped', () => {
  expect(toCsv(['a'], [{ a: -1.5 }])).toBe('a\r\n-1.5\r\n');
});
