/** The values of a statement as it is put together. */
export class Parameters {
  readonly values: unknown[] = [];

  /** Keeps a value; answers its place, `$3`. */
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}
