import { createHash } from 'node:crypto';

/** One step of a schema's history, as SQL. */
export interface MigrationStep {
  /** A number of four digits and a word, by which steps are ordered: `0003-sla`. */
  name: string;
  statements: readonly string[];
  /**
   * The step that a release must know so that it runs after this one; absent where every release does that knew the step before it.
   * A step that only adds (tables, nullable columns, indexes) has none: processes of older releases go on, and may be restarted.
   */
  needs?: string;
  /** Of the statements: kept with each step that was applied, and in schema/migrations.json. */
  checksum: string;
}

/**
 * A step, which never changes once it has landed: schema/migrations.json holds its checksum, and a database on which another text
 * was applied is refused. A step that takes something away (drops, renames, narrows) states in `needs` the step that came with the
 * release that no longer uses it. `npm run migration -- <subgraph>` prints the statements that the entities need beyond the steps so far.
 */
export function migration(name: string, statements: readonly string[], { needs }: { needs?: string } = {}): MigrationStep {
  const checksum = createHash('sha256').update(JSON.stringify(statements)).digest('hex');
  return { name, statements, ...(needs !== undefined && { needs }), checksum };
}
