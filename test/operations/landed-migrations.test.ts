import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { STEPS } from '../../apps/platform/schemas.ts';
import { migrationsDocument } from '../../apps/schema/migrations.document.ts';
import { type MigrationStep, migration } from '../../kernel/migrations/migration.ts';

const committed = readFileSync(new URL('../../schema/migrations.json', import.meta.url), 'utf8');
const billing = STEPS.billing;

describe('checks of npm run schema', () => {
  const withBilling = (steps: readonly MigrationStep[]) => () => migrationsDocument({ ...STEPS, billing: steps }, committed);
  const [first = migration('0001', [])] = billing;

  test('npm run schema refuses a landed migration that was changed', () => {
    const changed = migration(first.name, [...first.statements, 'select 1']);
    expect(withBilling([changed, ...billing.slice(1)])).toThrow(
      /^The migration 0001-invoices of billing has landed but was changed\. Restore it/,
    );
  });

  test('npm run schema refuses a landed migration that was removed', () => {
    expect(withBilling(billing.slice(1))).toThrow(/^The migration 0001-invoices of billing has landed but was removed\. Restore it/);
  });

  test('npm run schema refuses a migration whose number is not higher than those before it', () => {
    const again = migration('0001-again', ['select 1']);
    expect(withBilling([...billing, again])).toThrow(/^The migration 0001-again of billing must have a higher number than/);
  });
});

test('npm run schema adds a new migration to the landed ones', () => {
  const next = migration('9999-next', ['select 1']);
  const document = JSON.parse(migrationsDocument({ ...STEPS, billing: [...billing, next] }, committed));
  expect(document.billing).toEqual({ ...JSON.parse(committed).billing, '9999-next': next.checksum });
});

/** Statements that can break a release that does not know the step. Dropping a constraint to widen it is not one. */
const TAKES_AWAY =
  /\bdrop (table|column|view|function|schema|sequence|type)\b|\brename\b|\bset not null\b|\balter column "?\w+"? (set data )?type\b|\badd column (?:(?!default|generated)[^,])*\bnot null\b(?!.*\bdefault\b)/is;
/** Steps that look as if they removed something but do not: each with the reason why every release can run after it. */
const HARMLESS = {
  'identity 0002-access': 'older than every release',
  'identity 0004-usage': 'older than every release',
  'identity 0016-invitations': 'a trigger fills the column that must have a value',
  'support 0011-accents': 'the column is generated, and is there again after the same statement',
};

const takesAway = ({ statements, needs }: MigrationStep): boolean =>
  needs === undefined && statements.some((text) => TAKES_AWAY.test(text));

test('a migration that removes something names the step that a release must know to run after it', () => {
  const all = Object.entries(STEPS).flatMap(([schema, steps]) => steps.map((step) => ({ title: `${schema} ${step.name}`, step })));
  expect(all.filter(({ step }) => takesAway(step)).map(({ title }) => title)).toEqual(Object.keys(HARMLESS));
  for (const { step } of all) if (step.needs) expect(all.map((one) => one.step.name)).toContain(step.needs);
});

test.each([
  ['drops a column', 'alter table "a"."b" drop column "c"', true],
  ['renames', 'alter table "a"."b" rename column "c" to "d"', true],
  ['adds a required column', 'alter table "a"."b" add column "c" text not null', true],
  ['adds a column with a default', `alter table "a"."b" add column "c" text not null default 'x'`, false],
  ['adds a nullable column', 'alter table "a"."b" add column "c" text null', false],
  ['adds a table', 'create table "a"."b" ("c" text not null)', false],
])('the check classifies a statement that %s', (_, statement, expected) => {
  expect(takesAway(migration('0001', [statement]))).toBe(expected);
});
