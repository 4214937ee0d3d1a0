import { type ExecutionResult, parse } from 'graphql';
import type { Operation } from './generator.ts';
import type { World } from './world.ts';

export interface Difference {
  expected: unknown;
  ours: unknown;
}

/**
 * Compares the response of the router with the expected response: the data, the order of its keys, and the nulls that
 * have an error. Returns undefined if both are equal. Runs the document twice, because the router compiles documents
 * that are repeated.
 */
export async function difference(world: World, { document, variables }: Operation): Promise<Difference | undefined> {
  const expected = normalized(world.expected(parse(document), variables));
  for (let time = 0; time < 2; time += 1) {
    const ours = normalized(await world.ours(document, variables));
    if (JSON.stringify(ours) !== JSON.stringify(expected)) return { expected, ours };
  }
  return undefined;
}

/**
 * Returns the data and the paths of the nulls that have an error. The path of an error below a null is shortened to the
 * path of the null, because executors report different errors there: some stop at the first error, others continue.
 */
function normalized({ data, errors = [] }: ExecutionResult): { data: unknown; nulls: string[] } {
  const nulls = errors.map(({ path = [], message }) => {
    let value: unknown = data;
    const at = path.findIndex((step) => {
      if (value === null) return true;
      value = (value as Record<string, unknown>)?.[step];
      return value === undefined;
    });
    const place = at < 0 ? path : path.slice(0, at);
    return value === null ? place.join('.') : `${path.join('.')} is not null: ${message}`;
  });
  return { data, nulls: [...new Set(nulls)].sort() };
}
