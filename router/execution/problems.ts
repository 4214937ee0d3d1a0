import type { Path } from './path.ts';

/** A place where the fetched data does not match the schema. */
export interface Problem {
  /**
   * `null`: the value is null, which the schema does not allow; `missing`: no subgraph sent the field; `mistyped`: the
   * value has the wrong type.
   */
  readonly kind: 'null' | 'missing' | 'mistyped';
  readonly path: Path;
  readonly message: string;
}

/** Maximum number of problems per response. Further problems usually have the same cause. */
const MAX_PROBLEMS = 100;

/**
 * Collects the problems of one response while it is built. Tracking the current path costs only one assignment per
 * value.
 */
export class Problems {
  /** The keys and indexes that lead to the current value. */
  readonly path: (string | number)[] = [];
  #found: Problem[] = [];
  #depth = 0;

  get found(): readonly Problem[] {
    return this.#found;
  }

  /**
   * Called at the start of an object or list. Returns its depth, which is the index in `path` where the caller stores
   * the current key or list index.
   */
  enter(): number {
    return this.#depth++;
  }

  leave(depth: number): void {
    this.#depth = depth;
  }

  /** Adds a problem at the current path. `type` is the type that was expected. */
  add(kind: Problem['kind'], type?: string): void {
    if (this.#found.length >= MAX_PROBLEMS) return;
    const path = this.path.slice(0, this.#depth);
    this.#found.push({ kind, path, message: describe(kind, path.join('.'), type) });
  }

  /**
   * Called when the object or list at `depth` becomes null because of the last problem. Removes the problems of missing
   * fields inside it, because these fields no longer matter.
   * If `isGone` is true, the record of the object no longer exists. If the last problem is then a null in a field of
   * this object itself, the problem is removed too, and the method returns true.
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
