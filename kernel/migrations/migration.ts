import { createHash } from 'node:crypto';

/** One migration step of a schema, as SQL. */
export interface MigrationStep {
  /** Four digits and words, such as `0003-sla`. Steps run in the order of their names. */
  name: string;
  statements: readonly string[];
  /**
   * Name of the newest step that a release must contain to run on a database with this step. Absent if this step excludes no release, for
   * example because it only adds tables, nullable columns or indexes. In this case, processes of older releases keep running and can be
   * restarted.
   */
  needs?: string;
  /** Digest of the statements. It is stored with each applied step and in schema/migrations.json. */
  checksum: string;
}

/**
 * Defines a migration step. A released step never changes: schema/migrations.json contains its checksum, and the
 * platform refuses a database in which the step has another checksum.
 * A step that drops, renames or narrows a table or column sets `needs` to the newest step of the release that stopped
 * using the old form.
 * `npm run migration -- <subgraph>` prints the statements that the entities need and no step contains yet.
 */
export function migration(name: string, statements: readonly string[], { needs }: { needs?: string } = {}): MigrationStep {
  const checksum = createHash('sha256').update(JSON.stringify(statements)).digest('hex');
  return { name, statements, ...(needs !== undefined && { needs }), checksum };
}
