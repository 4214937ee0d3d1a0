import { expect, test } from 'vitest';
import { SecretBox } from './secret-box.ts';

const box = new SecretBox(['k'.repeat(32)], 'tests');

test('a secret opens again for the record that it was sealed for, and shows nothing of itself', () => {
  const sealed = box.seal('whsec_geheim', 'wh_1');
  expect(box.open(sealed, 'wh_1')).toBe('whsec_geheim');
  expect(sealed).not.toContain('geheim');
  expect(Buffer.from(sealed.slice(3), 'base64url').toString('latin1')).not.toContain('geheim');
});

test('the same secret is sealed differently each time', () => {
  expect(box.seal('a', 'wh_1')).not.toBe(box.seal('a', 'wh_1'));
});

test.each([
  ['another record', (sealed: string) => box.open(sealed, 'wh_2')],
  ['another purpose', (sealed: string) => new SecretBox(['k'.repeat(32)], 'other').open(sealed, 'wh_1')],
  ['another platform', (sealed: string) => new SecretBox(['j'.repeat(32)], 'tests').open(sealed, 'wh_1')],
  [
    'one changed letter',
    (sealed: string) => box.open(sealed.slice(0, -2) + (sealed.at(-2) === 'A' ? 'B' : 'A') + sealed.slice(-1), 'wh_1'),
  ],
  ['a cut text', (sealed: string) => box.open(sealed.slice(0, 20), 'wh_1')],
  ['another form', () => box.open('v2.AAAA', 'wh_1')],
])('it does not open with %s', (_, open) => {
  const sealed = box.seal('whsec_geheim', 'wh_1');
  expect(() => open(sealed)).toThrow();
});
