import { describe, expect, test } from 'vitest';
import { normalizedEmail, storedForms } from './email.ts';

describe('email address normalization', () => {
  test.each([
    ['Grace@Example.COM', 'Grace@example.com'],
    ['grace@b\u00fccher.example', 'grace@xn--bcher-kva.example'],
    ['grace@B\u00dcCHER.example', 'grace@xn--bcher-kva.example'],
    ['grace@bu\u0308cher.example', 'grace@xn--bcher-kva.example'],
    ['grace@xn--bcher-kva.example', 'grace@xn--bcher-kva.example'],
    ['grace@example\u3002com', 'grace@example.com'],
    ['gra\u0308ce@example.com', 'gr\u00e4ce@example.com'],
    ['grace@e\uff58ample.com', 'grace@example.com'],
  ])('the email address %j is stored as %j', (given, stored) => {
    expect(normalizedEmail(given)).toBe(stored);
  });

  test.each([
    ['a zero width space', 'gra\u200bce@example.com'],
    ['a zero width joiner in its domain', 'grace@exam\u200dple.com'],
    ['a soft hyphen', 'gra\u00adce@example.com'],
    ['a right-to-left override', 'grace\u202emoc.elpmaxe@example.com'],
    ['a bidirectional isolate', '\u2066grace@example.com'],
    ['a byte order mark', '\ufeffgrace@example.com'],
    ['a control character', 'grace\u0007@example.com'],
    ['a line break', 'grace@example.com\nBcc: all@example.com'],
    ['a line separator', 'grace\u2028@example.com'],
    ['a tag character', 'grace\u{e0061}@example.com'],
    ['an unpaired surrogate', 'grace\ud800@example.com'],
    ['an invisible filler', 'grace\u3164@example.com'],
    ['a percent sign in its domain', 'grace@example%2ecom'],
    ...['/', '/evil.example', '?', '#', '\\\\', ':443', ' ', '%20', '\uff0f', '\uff0fx', '\uff1f', '\uff03', '\uff20x', '\uff05'].map(
      (tail) => [`${JSON.stringify(tail)} behind its domain`, `grace@example.com${tail}`],
    ),
    ['a trailing dot', 'grace@example.com.'],
    ['a single-label domain', 'grace@localhost'],
    ['an IP address as domain', 'grace@127.0.0.1'],
    ['no local part', '@example.com'],
    ['no domain', 'grace@'],
    ['too many characters', `grace@${'a'.repeat(400)}.example`],
    ['broken Punycode', 'grace@xn--.example'],
  ])('an email address with %s is invalid', (_, given) => {
    expect(normalizedEmail(given)).toBeUndefined();
  });

  test('storedForms returns two forms of an email address, with the domain in Punycode and with the domain in Unicode', () => {
    expect(storedForms(' Grace@xn--bcher-kva.example ')).toEqual(['grace@xn--bcher-kva.example', 'grace@b\u00fccher.example']);
    expect(storedForms('not an address')).toEqual(['not an address']);
  });
});
