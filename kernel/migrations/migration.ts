import { createHash } from 'node:crypto';

/** One migration step of a schema, as SQL. */
export interface MigrationStep {
  /** Four digits and words, such as `0003-sla`. Steps run in the order of their names. */
  name: string;
  statements: readonly string[];
  /**
   * The newest step that a release must contain in order to run after this step. Absent if every release that contains
   * the preceding step can run. A step that only adds tables, nullable columns or indexes has no `needs`: processes of
   * older releases keep running and can be restarted.
   */
  needs?: string;
  /** Digest of the statements. It is stored with each applied step and in schema/migrations.json. */
  checksum: string;
}

/**
 * Defines a migration step. A released step never changes: schema/migrations.json contains its checksum, and the
 * platform refuses a database in which the step has another checksum.
 * A step that drops, renames or narrows something sets `needs` to the newest step of the release that stopped using it.
 * `npm run migration -- <subgraph>` prints the statements that the entities need in addition to the existing steps.
 */
export function migration(name: string, statements: readonly string[], { needs }: { needs?: string } = {}): MigrationStep {
  const checksum = createHash('sha256').update(JSON.stringify(statements)).digest('hex');
  return { name, statements, ...(needs !== undefined && { needs }), checksum };
}
