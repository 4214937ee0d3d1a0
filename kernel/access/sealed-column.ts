/**
 * A column of encrypted texts. `npm run maintenance -- reencrypt` finds them by this declaration, and so does the check of the
 * secret key at the start; a test fails where a table holds an encrypted text that none declares.
 */
export interface SealedColumn {
  table: string;
  column: string;
  /** The purpose of the SecretBox. */
  purpose: string;
  /** The primary key, whose values make the context of the text. Default: `id`. */
  key?: readonly string[];
  /** What stands between those values in the context. Default: nothing. */
  separator?: string;
}

/** Jobs with an encrypted text in the field `sealed`, and its context in `id`. */
export interface SealedJobs {
  queue: string;
  purpose: string;
}
