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

  addAll({ listed, total }: Problems): void {
    for (const problem of listed) this.add(problem);
    this.#total += total - listed.length;
  }

  /** Whether a listed problem is of that field, or of one around or within it. */
  has(field: string): boolean {
    return this.#listed.some((problem) => isWithin(problem.field, field) || isWithin(field, problem.field));
  }

  /** @throws InvalidParameters where there are any */
  refuse(): void {
    const [first, ...rest] = this.#listed;
    if (first) throw new InvalidParameters([first, ...rest], this.#total);
  }
}

const isWithin = (path: string, outer: string): boolean => path === outer || path.startsWith(`${outer}.`);
