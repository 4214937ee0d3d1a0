import { GraphQLError } from 'graphql';
import type { Path } from './path.ts';

/** An error as it is, at another place of the answer. */
export function errorAt(error: GraphQLError, path: Path | undefined): GraphQLError {
  return new GraphQLError(error.message, { path, originalError: error.originalError ?? error, extensions: error.extensions });
}

/**
 * Errors of an entity fetch, at the places of the entities: `["_entities", 3, "name"]` is `name` of every object that the
 * representation with index 3 was made of. `at` is where in the path the index stands.
 */
export function relocate(errors: readonly GraphQLError[], at: number, pathsOf: (index: number) => Path[]): GraphQLError[] {
  return errors.flatMap((error) => {
    const index = error.path?.[at];
    if (typeof index !== 'number') return [errorAt(error, undefined)];
    const tail = error.path?.slice(at + 1) ?? [];
    const paths = pathsOf(index);
    return paths.length ? paths.map((path) => errorAt(error, [...path, ...tail])) : [errorAt(error, undefined)];
  });
}
