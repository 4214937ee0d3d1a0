import { expect, test } from 'vitest';
import { idPattern } from '../../../kernel/records/ids.ts';
import { type CompleteLine, storedEntryOf } from './stored-entry.ts';

const stored = (line: Partial<CompleteLine>) =>
  storedEntryOf(
    { organizationId: 'org_1', level: 'info', source: 'job', message: 'x', at: new Date(0), accountId: null, ...line },
    { redacted: 0 },
  );

test('a long log message is cut after its secrets are removed, so that no part of a secret is stored', () => {
  const secret = `sk_live_${'a'.repeat(64)}`;
  for (let before = 8100; before < 8200; before += 7) {
    const { message } = stored({ message: `${'x'.repeat(before)} ${secret} end` });
    expect(message).not.toContain('sk_live');
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(8192);
  }
});

test('a log message is never cut within a character', () => {
  const { message } = stored({ message: `x${'ä'.repeat(5000)}` });
  expect(message).toBe(`x${'ä'.repeat(4095)}`);
});

test('attributes of a log entry that are too large are left out, and the entry states this', () => {
  expect(stored({ attributes: { text: 'x'.repeat(20_000) } }).attributes).toEqual({ truncated: true });
});

test('characters of a log entry that PostgreSQL cannot store are replaced', () => {
  const { message, attributes } = stored({ message: 'a\u0000b\ud800', attributes: { 'a\u0000': 'c\u0000', none: undefined } });
  expect([message, attributes]).toEqual(['a\ufffdb\ufffd', { 'a\ufffd': 'c\ufffd' }]);
});

test('a log entry with a key has the same id each time, but another id in another organization', () => {
  const { id } = stored({ key: 'k' });
  expect(id).toMatch(new RegExp(idPattern('logEntry')));
  expect(stored({ key: 'k' }).id).toBe(id);
  expect(stored({ key: 'k', organizationId: 'org_2' }).id).not.toBe(id);
  expect(stored({}).id).not.toBe(stored({}).id);
});

test('the id of a service that does not exist is removed from a log entry', () => {
  expect(stored({ serviceId: 'svc_1' }).serviceId).toBeNull();
  expect(stored({ serviceId: 'svc_1', accountId: 'acc_1' }).serviceId).toBe('svc_1');
});
