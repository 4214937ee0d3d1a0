import type { Path } from './path.ts';

/** Where the fetched data does not fit the schema. */
export interface Problem {
  /** `null`: where none is allowed; `missing`: no subgraph sent the field; `mistyped`: the value is of another type. */
  readonly kind: 'null' | 'missing' | 'mistyped';
  readonly path: Path;
  readonly message: string;
}

/** A response with more problems than this has one cause, and is not made clearer by the rest of them. */
const MAX_PROBLEMS = 100;

/** The problems of one projection. Keeps where the projection is, at the cost of one assignment for each value. */
export class Problems {
  /** The keys and indexes down to the value that is projected now. */
  readonly path: (string | number)[] = [];
  #found: Problem[] = [];
  #depth = 0;

  get found(): readonly Problem[] {
    return this.#found;
  }

  /** Enters an object or list: its keys stand in `path` at the depth that is returned. */
  enter(): number {
    return this.#depth++;
  }

  leave(depth: number): void {
    this.#depth = depth;
  }

  /** `type`: what a value of another type should have been. */
  add(kind: Problem['kind'], type?: string): void {
    if (this.#found.length >= MAX_PROBLEMS) return;
    const path = this.path.slice(0, this.#depth);
    this.#found.push({ kind, path, message: describe(kind, path.join('.'), type) });
  }

  /**
   * The object at this depth becomes null, for the null in it that was added last: what else it lacks does not matter any more.
   * Takes that null back too where the object `isGone`, and returns whether it did.
   */
  collapse(depth: number, isGone: boolean): boolean {
    const last = this.#found.at(-1);
    const place = this.path.slice(0, depth);
    const isWithin = ({ path }: Problem): boolean => path.length > depth && place.every((step, index) => path[index] === step);
    const isForgotten = isGone && last?.kind === 'null' && last.path.length === depth + 1;
    this.#found = this.#found.filter((problem) => {
      if (!isWithin(problem)) return true;
      return problem === last ? !isForgotten : problem.kind !== 'missing';
    });
    return isForgotten;
  }
}

function describe(kind: Problem['kind'], field: string, type: string | undefined): string {
  switch (kind) {
    case 'null':
      return `There is no value for ${field}, which may not be null.`;
    case 'missing':
      return `No subgraph sent ${field}.`;
    case 'mistyped':
      return `A subgraph sent a value for ${field} that is not of the type ${type}.`;
  }
}
