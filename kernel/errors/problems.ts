import { type FieldProblem, InvalidParameters, MAX_LISTED_PROBLEMS } from './errors.ts';

/** Collects the problems of one request: lists the first ones in the order they are found, and counts all. */
export class Problems {
  readonly #listed: FieldProblem[] = [];
  #total = 0;

  /** True if another problem is only counted. Check it before you build an expensive message. */
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

  /** Returns true if a listed problem is about that field, a field that contains it, or a field within it. */
  has(field: string): boolean {
    return this.#listed.some((problem) => isWithin(problem.field, field) || isWithin(field, problem.field));
  }

  /** @throws InvalidParameters if there are any problems */
  refuse(): void {
    const [first, ...rest] = this.#listed;
    if (first) throw new InvalidParameters([first, ...rest], this.#total);
  }
}

const isWithin = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}.`);
