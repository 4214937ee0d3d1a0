import type { MigrationStep } from './migration.ts';
import { SchemaError } from './schema-error.ts';

/** A migration step as stored in the table `migration` of a schema. */
export interface AppliedStep {
  name: string;
  /** Checksum of the step. Null if the step was applied by a release that stored no checksums. */
  checksum: string | null;
  /** The value of `MigrationStep.needs` when the step was applied. */
  needs: string | null;
}

const WHAT_TO_DO = 'See Upgrade in docs/operations.md.';

/**
 * Returns the steps that must still be applied. The database may also contain steps of a newer release, if this release
 * can run with them.
 * @throws SchemaError if an applied step has another checksum, a step before the newest applied step is missing, or
 * this release cannot run with a step of a newer release
 */
export function pendingSteps(schema: string, steps: readonly MigrationStep[], applied: readonly AppliedStep[]): MigrationStep[] {
  const known = new Map(steps.map((step) => [step.name, step]));
  const names = new Set(applied.map(({ name }) => name));
  for (const one of applied) {
    const step = known.get(one.name);
    if (!step) refuseUnlessCompatible(schema, one, known);
    else if (one.checksum !== null && one.checksum !== step.checksum) {
      throw new SchemaError(
        `The step ${one.name} of the schema ${schema} differs between this release and the release that applied it to this database: start a release that has the applied step, or restore a backup that fits this release. ${WHAT_TO_DO}`,
      );
    }
  }
  const pending = steps.filter(({ name }) => !names.has(name));
  const newest =
    applied
      .map(({ name }) => name)
      .toSorted()
      .at(-1) ?? '';
  const missing = pending.find(({ name }) => name < newest);
  if (missing) {
    throw new SchemaError(
      `The step ${missing.name} of the schema ${schema} is missing in this database, although the later step ${newest} was applied: the database does not come from a release. Restore a backup of one. ${WHAT_TO_DO}`,
    );
  }
  return pending;
}

/**
 * Checks an applied step that this release does not have. It is accepted only if it is newer than all steps of this
 * release, has a checksum, and its `needs` is null or a step of this release.
 * @throws SchemaError if the step is not accepted
 */
function refuseUnlessCompatible(schema: string, { name, checksum, needs }: AppliedStep, known: ReadonlyMap<string, MigrationStep>): void {
  const newest = [...known.keys()].toSorted().at(-1) ?? 'no step';
  if (name > newest && checksum !== null && (needs === null || known.has(needs))) return;
  const reason = needs === null ? '' : ` It needs a release that knows the step ${needs}.`;
  throw new SchemaError(
    `The schema ${schema} of this database is newer than this release: its step ${name} is unknown here, where ${newest} is the newest.${reason} Start a release that knows the step, or restore a backup from before the upgrade. ${WHAT_TO_DO}`,
  );
}
