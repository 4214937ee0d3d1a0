import { expect, test } from 'vitest';
import { parseLogQuery, tsqueryOf } from './log-query.ts';
import { fieldsOf, tsvectorOf, wordsOf } from './log-terms.ts';

test('a log query can contain words, phrases, fields and negated terms', () => {
  expect(parseLogQuery('  Refused "by the carrier" -retry status:503 -path:"/a b" conn.reset ')).toEqual({
    terms: [
      { words: ['refused'], isNegated: false },
      { words: ['by', 'the', 'carrier'], isNegated: false },
      { words: ['retry'], isNegated: true },
      { field: 'status', value: '503', isNegated: false },
      { field: 'path', value: '/a b', isNegated: true },
      { words: ['conn', 'reset'], isNegated: false },
    ],
  });
});

test('an empty log query has no terms, and a time is not parsed as a field', () => {
  expect(parseLogQuery(' \t ')).toEqual({ terms: [] });
  expect(parseLogQuery('12:30')).toEqual({ terms: [{ words: ['12', '30'], isNegated: false }] });
});

test.each([
  ['a "b c', 'has a quotation mark without an end at position 3'],
  ['a -', 'has a term without a letter or digit at position 3'],
  ['status: 5', 'needs a value after status: at position 1'],
  ['a **', 'has a term without a letter or digit at position 3'],
  ['a"b"', 'needs a space before the quotation mark at position 2'],
  ['"a"b', 'needs a space after the quotation mark at position 4'],
  [`k:${'v'.repeat(300)}`, 'has a value of more than 256 characters at position 1'],
  ['a '.repeat(33), 'must have at most 32 terms; there is another at position 65'],
])('the log query %j is refused with the position of the error', (text, problem) => {
  expect(parseLogQuery(text)).toEqual({ problem });
});

test('quotation marks and backslashes in terms cannot change the structure of a log query', () => {
  expect(tsqueryOf([{ field: 'a', value: "x' | 'y\\", isNegated: false }])).toBe("':a:x'' | ''y\\\\'");
});

test('words of a log query are compared case-insensitively and in Unicode compatibility form', () => {
  expect(wordsOf('Straße ＡＢＣ déjà-vu svc_01')).toEqual(['straße', 'abc', 'déjà', 'vu', 'svc_01']);
});

test('fields of a log entry have dotted names, and each element of a list is a separate value', () => {
  expect([...fieldsOf({ http: { status: 404, retried: false }, tags: ['a', 'b'], none: null })]).toEqual([
    ['http.status', '404'],
    ['http.retried', 'false'],
    ['tags', 'a'],
    ['tags', 'b'],
    ['none', 'null'],
  ]);
});

test('the index of a log entry has the positions of its words, and its fields without positions', () => {
  expect(tsvectorOf('a b a', [['Status', "4'4"]])).toBe("'a':1,3 'b':2 ':status:4''4'");
});
