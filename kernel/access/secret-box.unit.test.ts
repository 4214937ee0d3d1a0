import { expect, test } from 'vitest';
import { SecretBox } from './secret-box.ts';

const box = new SecretBox(['k'.repeat(32)], 'tests');

test('a sealed secret can be opened for its own record, and its text does not contain the secret', () => {
  const sealed = box.seal('whsec_geheim', 'wh_1');
  expect(box.open(sealed, 'wh_1')).toBe('whsec_geheim');
  expect(sealed).not.toContain('geheim');
  expect(Buffer.from(sealed.slice(3), 'base64url').toString('latin1')).not.toContain('geheim');
});

test('sealing a secret twice gives different texts', () => {
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
  ['a truncated text', (sealed: string) => box.open(sealed.slice(0, 20), 'wh_1')],
  ['another format', () => box.open('v2.AAAA', 'wh_1')],
])('a sealed secret cannot be opened with %s', (_, open) => {
  const sealed = box.seal('whsec_geheim', 'wh_1');
  expect(() => open(sealed)).toThrow();
});
