import { expect, test } from 'vitest';
import { digestOf, generateApiKey, isApiKey, isSandboxKey } from './api-key-secret.ts';

test('each generated API key is unique and has the prefix of its mode and 64 letters or digits', () => {
  const keys = Array.from({ length: 500 }, () => generateApiKey(false));
  expect(new Set(keys).size).toBe(500);
  for (const key of keys) expect(key).toMatch(/^sk_live_[A-Za-z0-9]{64}$/);
  expect(generateApiKey(true)).toMatch(/^test_sk_[A-Za-z0-9]{64}$/);
});

test('every letter and digit of an API key is equally likely', () => {
  const counts = new Map<string, number>();
  for (let made = 0; made < 1000; made += 1) {
    for (const letter of generateApiKey(false).slice('sk_live_'.length)) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  const expected = (1000 * 64) / 62;
  expect(counts.size).toBe(62);
  // chi-squared with 61 degrees of freedom exceeds 130 once in a million runs; for random bytes modulo 62, it would be
  // several hundred
  const chiSquared = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  expect(chiSquared).toBeLessThan(130);
});

test('isApiKey returns false for a text without the format of an API key', () => {
  const key = generateApiKey(false);
  expect(isApiKey(key)).toBe(true);
  expect(isSandboxKey(key)).toBe(false);
  for (const text of [
    '',
    'sk_live_',
    key.slice(0, -1),
    `${key}x`,
    `${key.slice(0, -1)}-`,
    `${key.slice(0, -1)}\n`,
    key.replace('sk_live_', 'sk_test_'),
  ]) {
    expect(isApiKey(text)).toBe(false);
  }
});

test('the digest of an API key is the SHA-256 of the whole key', () => {
  expect(digestOf('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
