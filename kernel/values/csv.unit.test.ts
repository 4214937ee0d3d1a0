import { expect, test } from 'vitest';
import { CsvNumber, csvLine, csvTable } from './csv.ts';

test('a line of CSV leaves missing values empty and ends with CRLF', () => {
  expect(csvLine(['voice', 3, null, undefined])).toBe('voice,3,,\r\n');
});

test('commas, quotes and line breaks in a CSV cell are quoted', () => {
  expect(csvLine(['one, two', 'say "hi"\r\nthen'])).toBe('"one, two","say ""hi""\r\nthen"\r\n');
});

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx'])('the CSV text %j is escaped so that it is not a formula', (text) => {
  expect(csvLine([text]).replace(/^"/, '')).toMatch(/^'/);
});

test('a negative number in a CSV cell is not escaped', () => {
  expect(csvLine([-1.5, new CsvNumber('-5.00')])).toBe('-1.5,-5.00\r\n');
});

test('a CSV table starts with column names, and leaves missing values empty', () => {
  expect(csvTable(['category', 'count', 'rate'], [{ category: 'voice', count: 3, rate: null }])).toBe(
    'category,count,rate\r\nvoice,3,\r\n',
  );
  expect(csvTable(['a'], [])).toBe('a\r\n');
});

test('a text in a CSV table that a spreadsheet could run as a formula is escaped', () => {
  expect(csvTable(['a'], [{ a: '=1+1' }, { a: -1.5 }])).toBe("a\r\n'=1+1\r\n-1.5\r\n");
});
