import type { MigrationStep } from '../../kernel/migrations/migration.ts';

/** Checksums of committed migrations by schema and name, as in schema/migrations.json. */
type Landed = Record<string, Record<string, string>>;

/**
 * Generates schema/migrations.json: the checksums of all migrations. Adds new migrations to the committed file. A
 * committed migration must never change, because databases have applied it.
 * @throws Error if a migration was changed, removed or put out of order; the message contains the name of each such
 * migration
 */
export function migrationsDocument(steps: Readonly<Record<string, readonly MigrationStep[]>>, committed: string | undefined): string {
  const landed: Landed = committed ? JSON.parse(committed) : {};
  const problems = [...brokenSteps(landed, steps), ...disorderedSteps(steps)];
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const entries = Object.entries(steps).map(([schema, all]) => [
    schema,
    Object.fromEntries(all.map(({ name, checksum }) => [name, checksum])),
  ]);
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}

const ADVICE =
  'Restore it and add a new migration. (A migration that has not landed on main may be changed: remove its line from schema/migrations.json.)';

function* brokenSteps(landed: Landed, steps: Readonly<Record<string, readonly MigrationStep[]>>): Generator<string> {
  for (const [schema, checksums] of Object.entries(landed)) {
    for (const [name, checksum] of Object.entries(checksums)) {
      const step = steps[schema]?.find((one) => one.name === name);
      if (!step) yield `The migration ${name} of ${schema} has landed but was removed. ${ADVICE}`;
      else if (step.checksum !== checksum) yield `The migration ${name} of ${schema} has landed but was changed. ${ADVICE}`;
    }
  }
}

/**
 * Reports migrations that are out of order. Migrations are ordered by name. If a migration is added between two
 * committed migrations, existing databases do not apply it.
 */
function* disorderedSteps(steps: Readonly<Record<string, readonly MigrationStep[]>>): Generator<string> {
  for (const [schema, all] of Object.entries(steps)) {
    const names = all.map(({ name }) => name);
    for (const [index, name] of names.entries()) {
      if (!/^\d{4}-[a-z0-9-]+$/.test(name)) yield `The migration ${name} of ${schema} needs a name such as 0012-tags.`;
      const before = names[index - 1];
      if (before !== undefined && before.slice(0, 4) >= name.slice(0, 4))
        yield `The migration ${name} of ${schema} must have a higher number than ${before}.`;
    }
  }
}
