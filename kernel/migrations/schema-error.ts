/**
 * Thrown if this release cannot work with the schema of a database. The message contains the reason and how to solve
 * it.
 */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}
