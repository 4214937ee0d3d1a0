import { describe, expect, test } from 'vitest';
import { isSecretName, redactText, redactValue } from './redaction.ts';

describe('redaction of texts', () => {
  test.each([
    ['an API key', 'key sk_live_4Jx8Qm2ZrT0aKd93 failed', 'key [redacted] failed'],
    ['a test key', 'test_sk_4Jx8Qm2ZrT0aKd93', '[redacted]'],
    ['a webhook secret', 'whsec_4Jx8Qm2ZrT0aKd93;', '[redacted];'],
    ['a refresh token', '"rt_4Jx8Qm2ZrT0aKd93"', '"[redacted]"'],
    ['a JSON Web Token', 'got eyJhbGciOiJI.eyJzdWIiOiIx.c2ln-nature now', 'got [redacted] now'],
    ['an Authorization header', 'Authorization: Basic dXNlcjpwYXNz', 'Authorization: [redacted]'],
    ['an Authorization header in JSON', '{"authorization":"Bearer abc.def"}', '{"authorization":"[redacted]"}'],
    ['a bearer token', 'sent Bearer 0123456789abcdef', 'sent Bearer [redacted]'],
    ['the password in a URL', 'postgres://user:pw@host/db', 'postgres://[redacted]host/db'],
    ['an assigned password', 'login?password=hunter2&next=1', 'login?password=[redacted]&next=1'],
    ['a secret in JSON', '{"client_secret": "x y", "a": 1}', '{"client_secret": [redacted], "a": 1}'],
    ['a card number', 'card 4242 4242 4242 4242 declined', 'card [redacted] declined'],
    ['a card number with hyphens', '5555-5555-5555-4444', '[redacted]'],
    ['a private key', 'a\n-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\nb', 'a\n[redacted]\nb'],
    ['a private key without an end', 'a -----BEGIN PRIVATE KEY-----\nMIIE', 'a [redacted]'],
  ])('%s is redacted', (_, text, expected) => {
    expect(redactText(text)).toBe(expected);
  });

  test.each([
    'order 4242424242424241 is no card number, because its check digit is wrong',
    'at 1764111111111 ms',
    'invalid token: expired',
    'req_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
    'the key of the sorted_map',
    '2026-01-31T09:30:00.000Z',
  ])('the text %j is unchanged', (text) => {
    expect(redactText(text)).toBe(text);
  });

  test('the number of redacted values is counted', () => {
    const count = { redacted: 0 };
    redactValue({ password: 'x', note: 'Bearer 0123456789 and 4242424242424242', list: ['whsec_0123456789'] }, count);
    expect(count.redacted).toBe(4);
  });

  test.each([
    ['eyJ-'.repeat(50_000)],
    ['-----BEGIN '.repeat(20_000)],
    ['4 '.repeat(100_000)],
    ['authorization: '.repeat(15_000)],
    ['password="'.repeat(20_000)],
    ['bearer '.repeat(30_000)],
    ['sk_'.repeat(70_000)],
    ['://'.repeat(70_000)],
  ])('a text of 200 KB that imitates secrets is redacted in linear time (%#)', (text) => {
    const began = performance.now();
    redactText(text);
    expect(performance.now() - began).toBeLessThan(500);
  });
});

describe('redaction of names', () => {
  test.each(['password', 'Authorization', 'x-api-key', 'apiKey', 'client_secret', 'accessToken', 'set-cookie', 'key', 'private_key'])(
    '%s is a secret name',
    (name) => {
      expect(isSecretName(name)).toBe(true);
    },
  );

  test.each(['partition_key', 'tokens_used', 'status', 'keyboard', 'secretary'])('%s is not a secret name', (name) => {
    expect(isSecretName(name)).toBe(false);
  });

  test('a value with a secret name is redacted at any depth and with any type', () => {
    expect(redactValue({ a: [{ password: { nested: 1 } }], token: 17, secret: null, n: 1 })).toEqual({
      a: [{ password: '[redacted]' }],
      token: '[redacted]',
      secret: null,
      n: 1,
    });
  });
});
