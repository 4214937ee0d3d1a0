import { expect, test } from 'vitest';
import { toCsv } from './report-csv.ts';

test('a CSV table starts with column names, and leaves missing values empty', () => {
  expect(toCsv(['category', 'count', 'rate'], [{ category: 'voice', count: 3, rate: null }])).toBe('category,count,rate\r\nvoice,3,\r\n');
  expect(toCsv(['a'], [])).toBe('a\r\n');
});

test('a text in a CSV table that a spreadsheet could run as a formula is escaped', () => {
  expect(toCsv(['a'], [{ a: '=1+1' }, { a: -1.5 }])).toBe("a\r\n'=1+1\r\n-1.5\r\n");
});
