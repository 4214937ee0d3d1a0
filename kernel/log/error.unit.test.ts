import { expect, test } from 'vitest';
import { describeForLog } from './error.ts';

const message = (text: string) => describeForLog(new Error(text)).message;

test('the SQL statement is removed from a logged database error, even if a value contains a dash', () => {
  expect(message(`insert into "support"."ticket" ("title") values ('a - b') - duplicate key value`)).toBe(
    '[statement] - duplicate key value',
  );
  expect(message('select * from secrets')).toBe('[statement]');
});

test('an error message without SQL statements and secrets is logged unchanged', () => {
  expect(message('invalid input syntax for type timestamp with time zone: "x"')).toBe(
    'invalid input syntax for type timestamp with time zone: "x"',
  );
  expect(message('The provider did not update the order')).toBe('The provider did not update the order');
});

test('keys, tokens and passwords in URLs are removed from logged errors', () => {
  const told = JSON.stringify(
    describeForLog(
      new Error(`sk_live_${'a'.repeat(64)} eyJhbGciOi.abc.def at postgres://user:secret@host/db`, {
        cause: new Error('whsec_abcdefgh12345'),
      }),
    ),
  );
  expect(told).not.toMatch(/sk_live|eyJ|secret|whsec_/);
});

test('a serialized error from the job queue is logged with its message, code and stack', () => {
  const error = Object.assign(new Error('too many clients'), { code: '53300' });
  expect(describeForLog({ ...error, message: error.message, stack: error.stack, queue: 'reports' })).toMatchObject({
    message: 'too many clients',
    code: '53300',
    at: expect.arrayContaining([expect.stringContaining('log/error.unit.test')]),
  });
});
