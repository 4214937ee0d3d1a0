import { expect, test } from 'vitest';
import { describeForLog } from './error.ts';

const message = (text: string) => describeForLog(new Error(text)).message;

test('the statement before what is wrong with it is left out, whatever its values hold', () => {
  expect(message(`insert into "support"."ticket" ("title") values ('a - b') - duplicate key value`)).toBe(
    '[statement] - duplicate key value',
  );
  expect(message('select * from secrets')).toBe('[statement]');
});

test('an ordinary sentence is kept', () => {
  expect(message('invalid input syntax for type timestamp with time zone: "x"')).toBe(
    'invalid input syntax for type timestamp with time zone: "x"',
  );
  expect(message('The provider did not update the order')).toBe('The provider did not update the order');
});

test('keys, tokens and passwords in addresses are not told', () => {
  const told = JSON.stringify(
    describeForLog(
      new Error(`sk_live_${'a'.repeat(64)} eyJhbGciOi.abc.def at postgres://user:secret@host/db`, {
        cause: new Error('whsec_abcdefgh12345'),
      }),
    ),
  );
  expect(told).not.toMatch(/sk_live|eyJ|secret|whsec_/);
});

test('a copy of an error, as the job queue reports it, is logged with its message, code and place', () => {
  const error = Object.assign(new Error('too many clients'), { code: '53300' });
  expect(describeForLog({ ...error, message: error.message, stack: error.stack, queue: 'reports' })).toMatchObject({
    message: 'too many clients',
    code: '53300',
    at: expect.arrayContaining([expect.stringContaining('log/error.unit.test')]),
  });
});
