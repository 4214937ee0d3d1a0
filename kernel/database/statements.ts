/**
 * Has a server plan a statement once for each connection, not each time. For a text that comes often, of which there are few:
 * what callers choose belongs into its values.
 */
export const PREPARED = { isPrepared: true } as const;
export interface StatementOptions {
  isPrepared?: boolean;
}

/** A connection keeps the plan of each statement that was prepared on it, some 20 KB. */
const MAX_STATEMENTS = 1_000;

/**
 * Names of prepared statements, one for each text. Nobody chooses a name: PostgreSQL cuts one at 63 bytes, and two that
 * begin alike would be one statement there.
 */
export class StatementNames {
  readonly #names = new Map<string, string>();

  /** Undefined where enough texts have a name: such a statement is sent without one, and planned each time. */
  of(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size === MAX_STATEMENTS) return known;
    const name = `s${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}
