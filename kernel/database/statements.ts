/**
 * Option for a statement that the server plans once per connection. Use it for frequent statements with few different texts: values chosen
 * by callers must be parameters.
 */
export const PREPARED = { isPrepared: true } as const;
export interface StatementOptions {
  isPrepared?: boolean;
}

/** A connection keeps the plan of each prepared statement, about 20 KB. */
const MAX_STATEMENTS = 1_000;

/**
 * Names of prepared statements, one per text. They are generated, because PostgreSQL truncates names to 63 bytes, and two names with the
 * same beginning would mean the same statement.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();

  /** Undefined if the maximum number of texts have a name. The statement is then sent without a name and planned each time. */
  of(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size === MAX_STATEMENTS) return known;
    const name = `s${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}
