/** Says why this release cannot work with the schema of a database, and what to do. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}
