import { IsOptional } from 'class-validator';
import { expect, test } from 'vitest';
import { Characters, MaxCharacters, Name } from './characters.ts';
import { problemsOf } from './validate-input.ts';

class Note {
  @Name(10)
  name?: string;

  @Characters(2, 4)
  code?: string;

  @IsOptional()
  @MaxCharacters(3)
  text?: string | null;
}

const reasonFor = (input: Partial<Note>): string | undefined => problemsOf(Object.assign(new Note(), input), {}).listed[0]?.reason;

test('a blank name, or a name of 11 characters with a limit of 10, is rejected', () => {
  expect(reasonFor({ name: 'x' })).toBeUndefined();
  expect(['', ' \t', 'x'.repeat(11)].map((name) => reasonFor({ name }))).toEqual([
    'must not be blank',
    'must not be blank',
    'must have 1 to 10 characters',
  ]);
});

test('a text with fewer or more characters than allowed is rejected', () => {
  expect(['ab', 'abcd'].map((code) => reasonFor({ code }))).toEqual([undefined, undefined]);
  expect(['a', 'abcde'].map((code) => reasonFor({ code }))).toEqual(Array(2).fill('must have 2 to 4 characters'));
});

test('an optional text may be null or empty, and a text beyond the maximum number of characters is rejected', () => {
  expect(['', 'abc', null].map((text) => reasonFor({ text }))).toEqual([undefined, undefined, undefined]);
  expect(reasonFor({ text: 'abcd' })).toBe('must have at most 3 characters');
});
