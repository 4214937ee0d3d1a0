/**
 * A column of encrypted texts. `npm run maintenance -- reencrypt` and the check of the secret key at startup find the
 * column by this declaration. A test fails if a table contains encrypted text in a column that is not declared.
 */
export interface SealedColumn {
  table: string;
  column: string;
  /** The purpose of the `SecretBox` that encrypts the column. */
  purpose: string;
  /**
   * Columns of the primary key. Their values, joined by `separator`, are the parameter `context` of `SecretBox.seal`.
   * Default: `id`.
   */
  key?: readonly string[];
  /** Separator between the values of the primary key. Default: none. */
  separator?: string;
}

/**
 * A queue whose jobs contain an encrypted text in the field `sealed`. The `context` of the encryption (see
 * `SecretBox.seal`) is the field `id` of the job.
 */
export interface SealedJobs {
  queue: string;
  purpose: string;
}
