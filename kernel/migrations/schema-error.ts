/** Why this release cannot work with the schema of a database, in words that say what to do. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}
