import { type FieldProblem, InvalidParameters, MAX_LISTED_PROBLEMS } from './errors.ts';

/** List of the problems of one request. It contains the first problems in the order in which they are found, and counts all problems. */
export class Problems {
  readonly #listed: FieldProblem[] = [];
  #total = 0;

  /**
   * True if the list is full, so another problem would only be counted. Check it before you build an expensive message.
   */
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

  addAll({ listed, total }: Problems): void {
    for (const problem of listed) this.add(problem);
    this.#total += total - listed.length;
  }

  /** Returns true if a listed problem concerns `field`, a field that contains `field`, or a field within `field`. */
  has(field: string): boolean {
    return this.#listed.some((problem) => isWithin(problem.field, field) || isWithin(field, problem.field));
  }

  /**
   * Refuses the request if it has problems.
   * @throws InvalidParameters with the collected problems
   */
  refuse(): void {
    const [first, ...rest] = this.#listed;
    if (first) throw new InvalidParameters([first, ...rest], this.#total);
  }
}

const isWithin = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}.`);
