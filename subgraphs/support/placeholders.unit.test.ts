import { expect, test } from 'vitest';
import { fill, placeholdersIn } from './placeholders.ts';

const values = new Map([
  ['ticket.number', 'TKT-1001'],
  ['evil', '{{ticket.number}} $& $1'],
]);
const textFor = (name: string): string | undefined => values.get(name);

test('a placeholder is replaced by its value, with or without spaces inside its braces', () => {
  expect(fill('[{{ticket.number}}] {{ ticket.number }}', textFor)).toBe('[TKT-1001] TKT-1001');
});

test('a value that contains a placeholder or a replacement pattern such as $& is inserted unchanged', () => {
  expect(fill('{{evil}}!', textFor)).toBe('{{ticket.number}} $& $1!');
});

test('a placeholder without a value stays unchanged, even if its name is an inherited property', () => {
  for (const text of ['{{constructor}}', '{{__proto__}}', '{{toString}}', '{{}}', '{{{x}}}', '{{', '}}'])
    expect(fill(text, textFor)).toBe(text);
});

test('placeholdersIn lists each placeholder name of a text once', () => {
  expect(placeholdersIn('{{a}} {{ b.c }} {{a}} {{}} {d} {{constructor}}')).toEqual(['a', 'b.c', '', 'constructor']);
  expect(placeholdersIn(`${'{{'.repeat(50_000)}a}}`)).toEqual(['a']);
});
