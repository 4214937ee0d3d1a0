import { GraphQLError } from 'graphql';
import type { Path } from './path.ts';
import type { Problem } from './problems.ts';

/** An error as it is, at another place of the response. */
export function errorAt(error: GraphQLError, path: Path | undefined): GraphQLError {
  return new GraphQLError(error.message, { path, originalError: error.originalError ?? error, extensions: error.extensions });
}

/** A fetch that failed for some objects as a whole, or that did not say where it failed. */
interface Failure {
  error: GraphQLError;
  /** The objects that were to be completed, as texts of their paths. */
  places: ReadonlySet<string>;
  parent: Path;
  /** The response keys that the fetch was to bring for each of them. */
  keys: ReadonlySet<string>;
  isReported: boolean;
}

/** The errors of one run. What a failed fetch leaves open is known when the response is made: it is reported at each such field. */
export class RunErrors {
  readonly #located: { error: GraphQLError; scope: Path }[] = [];
  readonly #failures: Failure[] = [];

  get areNone(): boolean {
    return this.#located.length === 0 && this.#failures.length === 0;
  }

  /** An error of a field. `scope`: what is absent because of it, the field itself by default. */
  add(error: GraphQLError, scope: Path = error.path ?? []): void {
    this.#located.push({ error, scope });
  }

  /** An error for which all of these fields are absent, or some of them. */
  fail(error: GraphQLError, places: readonly Path[], keys: ReadonlySet<string>): void {
    this.#failures.push({
      error,
      places: new Set(places.map((path) => JSON.stringify(path))),
      parent: commonParent(places),
      keys,
      isReported: false,
    });
  }

  /**
   * All errors, with those of the response's own problems that no error explains. `isOfAnotherType`: whether a path leads to a field
   * that the operation selects of another type only. A subgraph may have been asked for it before the type was known, and then its
   * error is nobody's.
   */
  complete(problems: readonly Problem[], isOfAnotherType: (path: Path) => boolean = () => false): GraphQLError[] {
    const located = this.#located.filter(({ error }) => !isOfAnotherType(error.path ?? []));
    const reported = problems.flatMap((problem) => this.#report(problem));
    const left = this.#failures.filter(({ isReported }) => !isReported);
    return [...located.map(({ error }) => error), ...reported, ...left.map(({ error, parent }) => at(error, parent))];
  }

  #report({ kind, path, message }: Problem): GraphQLError[] {
    const own = new GraphQLError(message, { path });
    if (kind === 'mistyped') return [own];
    const isKnown = this.#located.some(({ error, scope }) => startsWith(path, scope) || startsWith(error.path ?? [], path));
    if (isKnown) return [];
    const failure = this.#failureOf(path, ({ keys }, key) => keys.has(String(key))) ?? this.#failureOf(path, () => true);
    if (!failure) return [own];
    failure.isReported = true;
    return [errorAt(failure.error, path)];
  }

  /** The failure of an object that the path leads through. */
  #failureOf(path: Path, accepts: (failure: Failure, key: string | number | undefined) => boolean): Failure | undefined {
    if (this.#failures.length === 0) return undefined;
    for (let length = path.length - 1; length >= 0; length -= 1) {
      const place = JSON.stringify(path.slice(0, length));
      const found = this.#failures.find((failure) => failure.places.has(place) && accepts(failure, path[length]));
      if (found) return found;
    }
    return undefined;
  }
}

const at = (error: GraphQLError, path: Path): GraphQLError => errorAt(error, path.length > 0 ? path : undefined);

const startsWith = (path: Path, beginning: Path): boolean =>
  beginning.length <= path.length && beginning.every((step, index) => step === path[index]);

function commonParent(paths: readonly Path[]): Path {
  const [first = [], ...rest] = paths;
  const differs = first.findIndex((step, index) => rest.some((path) => path[index] !== step));
  return differs < 0 ? first : first.slice(0, differs);
}
