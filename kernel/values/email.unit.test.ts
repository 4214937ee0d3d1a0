import { describe, expect, test } from 'vitest';
import { normalizedEmail, storedForms } from './email.ts';

describe('an e-mail address', () => {
  test.each([
    ['Grace@Example.COM', 'Grace@example.com'],
    ['grace@b\u00fccher.example', 'grace@xn--bcher-kva.example'],
    ['grace@B\u00dcCHER.example', 'grace@xn--bcher-kva.example'],
    ['grace@bu\u0308cher.example', 'grace@xn--bcher-kva.example'],
    ['grace@xn--bcher-kva.example', 'grace@xn--bcher-kva.example'],
    ['grace@example\u3002com', 'grace@example.com'],
    ['gra\u0308ce@example.com', 'gr\u00e4ce@example.com'],
    ['grace@e\uff58ample.com', 'grace@example.com'],
  ])('%j is stored as %j', (given, stored) => {
    expect(normalizedEmail(given)).toBe(stored);
  });

  test.each([
    ['a zero width space', 'gra\u200bce@example.com'],
    ['a zero width joiner in its domain', 'grace@exam\u200dple.com'],
    ['a soft hyphen', 'gra\u00adce@example.com'],
    ['a right-to-left override', 'grace\u202emoc.elpmaxe@example.com'],
    ['an isolate', '\u2066grace@example.com'],
    ['a byte order mark', '\ufeffgrace@example.com'],
    ['a control character', 'grace\u0007@example.com'],
    ['a line break', 'grace@example.com\nBcc: all@example.com'],
    ['a line separator', 'grace\u2028@example.com'],
    ['a tag character', 'grace\u{e0061}@example.com'],
    ['an unpaired surrogate', 'grace\ud800@example.com'],
    ['a filler that looks like nothing', 'grace\u3164@example.com'],
    ['a percent sign in its domain', 'grace@example%2ecom'],
    ...['/', '/evil.example', '?', '#', '\\\\', ':443', ' ', '%20', '\uff0f', '\uff0fx', '\uff1f', '\uff03', '\uff20x', '\uff05'].map(
      (tail) => [`${JSON.stringify(tail)} behind its domain`, `grace@example.com${tail}`],
    ),
    ['a trailing dot', 'grace@example.com.'],
    ['one label', 'grace@localhost'],
    ['an address of a machine', 'grace@127.0.0.1'],
    ['no name', '@example.com'],
    ['no domain', 'grace@'],
    ['no end', `grace@${'a'.repeat(400)}.example`],
    ['broken Punycode', 'grace@xn--.example'],
  ])('with %s is none', (_, given) => {
    expect(normalizedEmail(given)).toBeUndefined();
  });

  test('is found as it was stored before domains were normalized', () => {
    expect(storedForms(' Grace@xn--bcher-kva.example ')).toEqual(['grace@xn--bcher-kva.example', 'grace@b\u00fccher.example']);
    expect(storedForms('not an address')).toEqual(['not an address']);
  });
});
