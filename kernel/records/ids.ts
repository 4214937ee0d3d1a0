import { monotonicFactory } from 'ulid';
import { type Kind, PREFIXES } from '../values/id-prefixes.ts';

export type { Kind };

/**
 * Pool of random numbers. They are read from the system in bulk, because an id needs sixteen, and reading them one by one would be most of
 * the cost of an id.
 */
const pool = new Uint32Array(1024);
let taken = pool.length;

function random(): number {
  if (taken === pool.length) {
    crypto.getRandomValues(pool);
    taken = 0;
  }
  return (pool[taken++] as number) / 2 ** 32;
}

const ulid = monotonicFactory(random);

/** Creates an id, such as `ticket_01J…`: a prefix and a ULID. Ids of one process sort by creation time. */
export const newId = (kind: Kind): string => `${PREFIXES[kind]}_${ulid()}`;

/** Patterns of ids that do not end with a ULID. Ids of the platform's own articles are derived from file names. */
const SUFFIX: Readonly<Partial<Record<Kind, string>>> = { article: '\\w+' };
const ULID = '[0-9A-HJKMNP-TV-Z]{26}';

/** Returns the JSON Schema pattern for ids of these kinds. */
export function idPattern(...kinds: readonly Kind[]): string {
  const patterns = kinds.map((kind) => `${PREFIXES[kind]}_${SUFFIX[kind] ?? ULID}`);
  return patterns.length === 1 ? `^${patterns[0]}$` : `^(${patterns.join('|')})$`;
}

export const isKind = (name: string): name is Kind => Object.hasOwn(PREFIXES, name);
