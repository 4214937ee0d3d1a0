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

  test('npm run schema fails if a migration in schema/migrations.json was changed', () => {
    const changed = migration(first.name, [...first.statements, 'select 1']);
    expect(withBilling([changed, ...billing.slice(1)])).toThrow(
      /^The migration 0001-invoices of billing has landed but was changed\. Restore it/,
    );
  });

  test('npm run schema fails if a migration in schema/migrations.json was removed', () => {
    expect(withBilling(billing.slice(1))).toThrow(/^The migration 0001-invoices of billing has landed but was removed\. Restore it/);
  });

  test('npm run schema fails if the number of a new migration is not higher than all earlier numbers', () => {
    const again = migration('0001-again', ['select 1']);
    expect(withBilling([...billing, again])).toThrow(/^The migration 0001-again of billing must have a higher number than/);
  });
});

test('npm run schema adds the checksum of a new migration to schema/migrations.json', () => {
  const next = migration('9999-next', ['select 1']);
  const document = JSON.parse(migrationsDocument({ ...STEPS, billing: [...billing, next] }, committed));
  expect(document.billing).toEqual({ ...JSON.parse(committed).billing, '9999-next': next.checksum });
});

/** Matches statements that can break an earlier release. Replacing a constraint with a less strict constraint is not matched. */
const TAKES_AWAY =
  /\bdrop (table|column|view|function|schema|sequence|type)\b|\brename\b|\bset not null\b|\balter column "?\w+"? (set data )?type\b|\badd column (?:(?!default|generated)[^,])*\bnot null\b(?!.*\bdefault\b)/is;
/** Migrations that `TAKES_AWAY` matches although they break no release, each with the reason. */
const HARMLESS = {
  'identity 0002-access': 'older than every release',
  'identity 0004-usage': 'older than every release',
  'identity 0016-invitations': 'a trigger sets the required column',
  'identity 0027-outbox-notification': 'a function that only its trigger called',
  'services 0024-outbox-notification': 'a function that only its trigger called',
  'billing 0023-outbox-notification': 'a function that only its trigger called',
  'support 0011-accents': 'the column is generated, and the same statement creates it again',
  'support 0023-outbox-notification': 'a function that only its trigger called',
  'monitoring 0025-outbox-notification': 'a function that only its trigger called',
  'events 0007-outbox-notification': 'a function that only its trigger called',
};

const takesAway = ({ statements, needs }: MigrationStep): boolean =>
  needs === undefined && statements.some((text) => TAKES_AWAY.test(text));

test('a migration that can break earlier releases names an existing migration in its property `needs`', () => {
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
])('the migration check detects whether a statement that %s is incompatible with earlier releases', (_, statement, expected) => {
  expect(takesAway(migration('0001', [statement]))).toBe(expected);
});
