import { GraphQLError } from 'graphql';
import type { Path } from './path.ts';
import type { Problem } from './problems.ts';

/** Copies an error to another path of the response. */
export function errorAt(error: GraphQLError, path: Path | undefined): GraphQLError {
  return new GraphQLError(error.message, { path, originalError: error.originalError ?? error, extensions: error.extensions });
}

/** An error of a fetch that does not say which field failed. Any field that the fetch should have loaded may be absent. */
interface Failure {
  error: GraphQLError;
  /** The paths, as JSON, of the objects for which the fetch should have loaded fields. */
  places: ReadonlySet<string>;
  parent: Path;
  /** The response keys that the fetch should have added to each of these objects. */
  keys: ReadonlySet<string>;
  isReported: boolean;
}

/**
 * The errors of one run. The fields that a failed fetch leaves empty are found only when the response is built. The
 * error of the fetch is then reported at each of these fields.
 */
export class RunErrors {
  readonly #located: { error: GraphQLError; scope: Path }[] = [];
  readonly #failures: Failure[] = [];

  get areNone(): boolean {
    return this.#located.length === 0 && this.#failures.length === 0;
  }

  /**
   * Adds an error of one field. Because of the error, everything at and below the path `scope` is absent. By default,
   * `scope` is the field itself.
   */
  add(error: GraphQLError, scope: Path = error.path ?? []): void {
    this.#located.push({ error, scope });
  }

  /**
   * Adds the error of a fetch that failed. Some or all of the fields `keys` of the objects at `places` are absent
   * because of it.
   */
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
   * Returns all errors. A value of the wrong type is always reported. An absent value is reported only if no error of a
   * field explains it. Its error is then the error of a failed fetch, if there is one.
   * `isOfAnotherType` returns true if the operation selects the field at a path, but not for the type of this object.
   * A subgraph may have fetched such a field before the type was known, so the error of the field is dropped.
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

  /**
   * Returns a failed fetch that explains why the value at a path is absent: a fetch for the object that contains the
   * value, or for an object above it.
   */
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
