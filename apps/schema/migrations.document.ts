import type { MigrationStep } from '../../kernel/migrations/migration.ts';

/** Checksums of steps by schema and name, as schema/migrations.json holds them. */
type Landed = Record<string, Record<string, string>>;

/**
 * schema/migrations.json: every step that has landed, with its checksum. New steps are added to what is committed; what is there
 * never changes, because databases have it.
 * @throws Error naming each step that was changed, removed, or put out of order
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
  'Put it back as it was and add a step. (A step that has not landed on main may be changed: remove its line from schema/migrations.json.)';

function* brokenSteps(landed: Landed, steps: Readonly<Record<string, readonly MigrationStep[]>>): Generator<string> {
  for (const [schema, checksums] of Object.entries(landed)) {
    for (const [name, checksum] of Object.entries(checksums)) {
      const step = steps[schema]?.find((one) => one.name === name);
      if (!step) yield `The migration ${name} of ${schema} has landed and is gone. ${ADVICE}`;
      else if (step.checksum !== checksum) yield `The migration ${name} of ${schema} has landed and was changed. ${ADVICE}`;
    }
  }
}

/** Steps are ordered by their names, and one that was added between two others would be missing in every database. */
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
