import { expect, test } from 'vitest';
import { SecretBox } from './secret-box.ts';

const box = new SecretBox(['k'.repeat(32)], 'tests');

test('a sealed secret can be opened with the id of its record, and the sealed text does not contain the secret', () => {
  const sealed = box.seal('whsec_geheim', 'wh_1');
  expect(box.open(sealed, 'wh_1')).toBe('whsec_geheim');
  expect(sealed).not.toContain('geheim');
  expect(Buffer.from(sealed.slice(3), 'base64url').toString('latin1')).not.toContain('geheim');
});

test('sealing the same secret twice returns two different sealed texts', () => {
  expect(box.seal('a', 'wh_1')).not.toBe(box.seal('a', 'wh_1'));
});

test.each([
  ['with the id of another record', (sealed: string) => box.open(sealed, 'wh_2')],
  ['for another purpose', (sealed: string) => new SecretBox(['k'.repeat(32)], 'other').open(sealed, 'wh_1')],
  ['with the key of another platform', (sealed: string) => new SecretBox(['j'.repeat(32)], 'tests').open(sealed, 'wh_1')],
  [
    'after one letter of the sealed text was changed',
    (sealed: string) => box.open(sealed.slice(0, -2) + (sealed.at(-2) === 'A' ? 'B' : 'A') + sealed.slice(-1), 'wh_1'),
  ],
  ['after the sealed text was truncated', (sealed: string) => box.open(sealed.slice(0, 20), 'wh_1')],
  ['in another format', () => box.open('v2.AAAA', 'wh_1')],
])('opening a sealed secret %s throws an error', (_, open) => {
  const sealed = box.seal('whsec_geheim', 'wh_1');
  expect(() => open(sealed)).toThrow();
});
