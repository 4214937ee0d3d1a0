import { expect, test } from 'vitest';
import { CsvNumber, csvLine } from './csv.ts';

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
