/**
 * A column of encrypted texts. `npm run maintenance -- reencrypt` and the check of the secret key at startup find the columns by this
 * declaration. A test fails if a table holds encrypted text in a column that is not declared.
 */
export interface SealedColumn {
  table: string;
  column: string;
  /** The purpose of the SecretBox. */
  purpose: string;
  /** The primary key. Its values are the context of the encrypted text. Default: `id`. */
  key?: readonly string[];
  /** The separator between those values in the context. Default: none. */
  separator?: string;
}

/** Jobs whose field `sealed` is an encrypted text, with the field `id` as its context. */
export interface SealedJobs {
  queue: string;
  purpose: string;
}
