import { describe, expect, test } from 'vitest';
import { KeywordMatcher, wordsOf } from './keyword-matcher.ts';

const found = (text: string | string[], ...keywords: string[]): string[] =>
  [...new KeywordMatcher(keywords.map((keyword) => [keyword, keyword])).ownersIn([text].flat())].sort();

describe('keyword matching', () => {
  test.each([
    ['Total outage since noon', 'outage'],
    ['OUTAGE!', 'outage'],
    ['outage', 'Outage'],
    ['(outage)', 'outage'],
    ['link_outage: eth0', 'outage'],
    ['Störung der Leitung', 'STÖRUNG'],
    ['Sto\u0308rung', 'störung'],
    ['ＯＵＴＡＧＥ', 'outage'],
    ['Нет связи', 'СВЯЗИ'],
    ['回線障害です', '障害'],
    ['no dial tone at all', 'dial tone'],
    ['no dial-tone', 'dial tone'],
    ['no dial\n\ttone', 'dial   tone'],
    ['the wi-fi is slow', 'Wi-Fi'],
    ['error 503 again', '503'],
    ['a a b', 'a b'],
    ['abc abd abc abe', 'abc abe'],
  ])('in the text %j the keyword %j is found', (text, keyword) => {
    expect(found(text, keyword)).toEqual([keyword]);
  });

  test.each([
    ['Total outage since noon', 'out'],
    ['Total outage since noon', 'age'],
    ['outages', 'outage'],
    ['dial a tone', 'dial tone'],
    ['tone dial', 'dial tone'],
    ['Störung', 'Storung'],
    ['1503', '503'],
    ['anything', ''],
    ['anything', '!?'],
    ['', 'anything'],
    ['a.b', 'axb'],
    ['aaa', '(a+)+$'],
  ])('in the text %j the keyword %j is not found', (text, keyword) => {
    expect(found(text, keyword)).toEqual([]);
  });

  test('each of several overlapping keywords is found in a text', () => {
    expect(found('she has lost the dial tone again', 'dial', 'tone', 'dial tone', 'lost the', 'the dial tone again', 'lost a')).toEqual([
      'dial',
      'dial tone',
      'lost the',
      'the dial tone again',
      'tone',
    ]);
    expect(found('a b c', 'a b d', 'b c', 'c')).toEqual(['b c', 'c']);
  });

  test('a keyword of two words is not found if its words are in two different texts', () => {
    expect(found(['no dial', 'tone'], 'dial tone')).toEqual([]);
    expect(found(['no dial tone', 'x'], 'dial tone')).toEqual(['dial tone']);
  });
});

test('wordsOf splits at punctuation, converts words to lower case and returns each CJK character as a word', () => {
  expect(wordsOf('Die Leitung-2 ist_down: 障害, \u0000 \ud800 💥 ok')).toEqual(['die', 'leitung', '2', 'ist', 'down', '障', '害', 'ok']);
});

test('matching 200 keywords in a text of 10,000 repeated words does not time out', () => {
  const text = 'a '.repeat(10_000);
  const keywords = Array.from({ length: 200 }, (_, length) => `${'a '.repeat(length)}b`);
  expect(found(text, ...keywords)).toEqual([]);
  const nested = Array.from({ length: 200 }, (_, length) => 'a '.repeat(length + 1).trim());
  expect(found(text, ...nested)).toHaveLength(200);
  expect(found('\ufdfa'.repeat(20_000), ...keywords)).toEqual([]);
});
