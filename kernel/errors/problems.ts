import { type FieldProblem, InvalidParameters, MAX_LISTED_PROBLEMS } from './errors.ts';

/** The problems of one request: the first of them as they are found, and how many there are in all. */
export class Problems {
  readonly #listed: FieldProblem[] = [];
  #total = 0;

  /** Whether another problem is only counted. Whoever would take long to word one asks before. */
  get isFull(): boolean {
    return this.#listed.length === MAX_LISTED_PROBLEMS;
  }

  get listed(): readonly FieldProblem[] {
    return this.#listed;
  }

  get total(): number {
    return this.#total;
  }

  add(problem: FieldProblem): void {
    this.#total += 1;
    if (!this.isFull) this.#listed.push(problem);
  }

  /** @throws InvalidParameters where there are any */
  refuse(): void {
    const [first, ...rest] = this.#listed;
    if (first) throw new InvalidParameters([first, ...rest], this.#total);
  }
}
