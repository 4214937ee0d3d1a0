/**
 * Thrown if this release cannot work with the schema of a database. The message contains the reason and the solution.
 */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}
