import { createHash } from 'node:crypto';

/** One migration step of a schema, as SQL. */
export interface MigrationStep {
  /** Four digits and words, such as `0003-sla`. Steps are ordered by name. */
  name: string;
  statements: readonly string[];
  /**
   * The newest step that a release must know in order to run after this one. Absent if every release that knows the preceding step can.
   * A step that only adds (tables, nullable columns, indexes) has none: processes of older releases keep running, and can be restarted.
   */
  needs?: string;
  /** Digest of the statements: stored with each applied step, and in schema/migrations.json. */
  checksum: string;
}

/**
 * Defines a migration step. A landed step never changes: schema/migrations.json has its checksum, and the platform refuses a database on
 * which a different text was applied.
 * A step that takes something away (drops, renames, narrows) names in `needs` the newest step of the release that stopped using it. `npm
 * run migration -- <subgraph>` prints the statements that the entities need beyond the existing steps.
 */
export function migration(name: string, statements: readonly string[], { needs }: { needs?: string } = {}): MigrationStep {
  const checksum = createHash('sha256').update(JSON.stringify(statements)).digest('hex');
  return { name, statements, ...(needs !== undefined && { needs }), checksum };
}
