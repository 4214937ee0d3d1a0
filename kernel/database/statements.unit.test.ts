import { expect, test } from 'vitest';
import { StatementNames } from './statements.ts';

/** Maximum length of a statement name in bytes. PostgreSQL truncates longer names. */
const NAME_MAX_BYTES = 63;

test('a prepared statement keeps its name, and two similar statements have different names of at most 63 bytes', () => {
  const names = new StatementNames();
  const texts = ['a', 'b'].map((end) => `select ${'"column", '.repeat(200)} "${end}" from "table"`);
  const given = texts.map((text) => names.of(text) ?? '');
  expect(new Set(given).size).toBe(2);
  for (const name of given) expect(Buffer.byteLength(name)).toBeLessThanOrEqual(NAME_MAX_BYTES);
  expect(texts.map((text) => names.of(text))).toEqual(given);
});

test('a process prepares the first 1,000 statements and does not prepare later statements', () => {
  const names = new StatementNames();
  const given = Array.from({ length: 2_000 }, (_, number) => names.of(`select ${number}`));
  expect(given.filter((name) => name !== undefined)).toHaveLength(1_000);
  expect(names.of('select 0')).toBe(given[0]);
  expect(names.of('select 1999')).toBeUndefined();
});
