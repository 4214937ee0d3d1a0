import { expect, test } from 'vitest';
import { fill, placeholdersIn } from './placeholders.ts';

const values = new Map([
  ['ticket.number', 'TKT-1001'],
  ['evil', '{{ticket.number}} $& $1'],
]);
const textFor = (name: string): string | undefined => values.get(name);

test('a value stands where its name stood, with or without spaces', () => {
  expect(fill('[{{ticket.number}}] {{ ticket.number }}', textFor)).toBe('[TKT-1001] TKT-1001');
});

test('what a value holds is text: neither a placeholder nor a pattern of replacement', () => {
  expect(fill('{{evil}}!', textFor)).toBe('{{ticket.number}} $& $1!');
});

test('a name that nothing gave a value stays as it stands, whatever objects inherit', () => {
  for (const text of ['{{constructor}}', '{{__proto__}}', '{{toString}}', '{{}}', '{{{x}}}', '{{', '}}'])
    expect(fill(text, textFor)).toBe(text);
});

test('the names in a text are found once each', () => {
  expect(placeholdersIn('{{a}} {{ b.c }} {{a}} {{}} {d} {{constructor}}')).toEqual(['a', 'b.c', '', 'constructor']);
  expect(placeholdersIn(`${'{{'.repeat(50_000)}a}}`)).toEqual(['a']);
});
