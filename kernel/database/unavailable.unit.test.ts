import { expect, test } from 'vitest';
import { toPlatformError } from '../http/http.ts';
import { CommitOutcomeUnknown, unavailableFor } from './unavailable.ts';

const coded = (code: string, message = 'failed') => Object.assign(new Error(message), { code });

test.each([
  ['a server that refuses connections', coded('ECONNREFUSED')],
  ['a host with several addresses, none of which is reached', new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')])],
  ['a full disk', coded('53100')],
  ['too many connections', coded('53300')],
  ['a server that is shut down', coded('57P01')],
  ['a server that is starting', coded('57P03')],
  ['a read-only server', coded('25006')],
  ['a pooler that has lost its server', coded('08P01')],
  ['a pool without a free connection', new Error('timeout exceeded when trying to connect')],
  ['a connection that broke', new Error('Connection terminated unexpectedly')],
  ['a deadlock', coded('40P01')],
  ['a serialization failure', coded('40001')],
  ['a statement that was cancelled', coded('57014')],
  ['a full disk as the cause of another error', new Error('wrapped', { cause: coded('53100') })],
])('%s results in SERVICE_UNAVAILABLE with the detail retry_after', (_, error) => {
  const shown = toPlatformError(error);
  expect([shown.code, shown.status]).toEqual(['SERVICE_UNAVAILABLE', 503]);
  expect(shown.details.retry_after).toBeGreaterThan(0);
  expect(shown.message).not.toContain('failed');
});

test.each([
  ['a duplicate value', coded('23505')],
  ['a missing table', coded('42P01')],
  ['a prepared statement that exists', coded('42P05')],
  ['a bug', new TypeError('x is not a function')],
])('%s is reported as INTERNAL_ERROR', (_, error) => {
  expect(unavailableFor(error)).toBeUndefined();
  expect(toPlatformError(error).code).toBe('INTERNAL_ERROR');
});

test('a COMMIT without a response is reported as an unknown outcome, even if the ORM wraps the error', () => {
  const lost = new CommitOutcomeUnknown(new Error('Connection terminated unexpectedly'));
  for (const error of [lost, Object.assign(new Error(lost.message), { code: lost.code })])
    expect(toPlatformError(error)).toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: { outcome: 'unknown' } });
});
