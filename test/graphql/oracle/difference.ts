import { type ExecutionResult, parse } from 'graphql';
import type { Operation } from './generator.ts';
import type { World } from './world.ts';

export interface Difference {
  expected: unknown;
  ours: unknown;
}

/**
 * Compares data, key order and error positions; undefined if they are the same. Each document runs twice, because transports
 * compile repeated ones.
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
 * The data, and each null that an error explains. An executor may stop at the first error below such a null or continue, so error
 * paths are compared only as far as there is data.
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
