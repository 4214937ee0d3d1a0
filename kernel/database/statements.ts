/**
 * Option for a statement that the server plans only once per connection. Use it for frequent statements that have few different texts. The
 * statement must pass the values that callers choose as parameters, not in its text.
 */
export const PREPARED = { isPrepared: true } as const;
export interface StatementOptions {
  isPrepared?: boolean;
}

/** Maximum number of prepared statements. A connection keeps the plan of each statement, which takes about 20 KB. */
const MAX_STATEMENTS = 1_000;

/**
 * Generated names of prepared statements, one per text. A text cannot be its own name: PostgreSQL truncates names to 63
 * bytes, so two long texts with the same beginning would get the same name.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();

  /**
   * Returns the name of the prepared statement with this text. Returns undefined for a new text if the maximum number of statements have
   * names. In this case, the statement is sent without a name and planned each time.
   */
  of(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size === MAX_STATEMENTS) return known;
    const name = `s${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}
