import { restValue, snakeCase } from '../names.ts';

/** Members whose value is somebody's data, not words of ours. */
const DATA = new Set(['example', 'examples', 'default']);

/**
 * The document with its descriptions in REST's spelling. They are written once, at the graph's fields, where a member is
 * `nextCursor` and a value `PENDING`; of words in backticks those that the document knows as `next_cursor` and `pending` are meant.
 */
export function withRestNames<T extends object>(document: T): T {
  const known = new Set(namesIn(document));
  const restNameOf = (word: string): string => [snakeCase(word), restValue(word)].find((name) => known.has(name)) ?? word;
  const withNames = (text: string): string => text.replace(/`(\w+)`/g, (_, word: string) => `\`${restNameOf(word)}\``);
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (typeof node !== 'object' || node === null) return node;
    const entries = Object.entries(node).map(([key, value]) => {
      if (key === 'description' && typeof value === 'string') return [key, withNames(value)];
      return [key, DATA.has(key) ? value : visit(value)];
    });
    return Object.fromEntries(entries);
  };
  return visit(document) as T;
}

/** Of members, parameters and the values of enums. */
function* namesIn(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  const { properties, enum: values, in: place, name } = node as Record<string, unknown>;
  if (typeof properties === 'object' && properties !== null) yield* Object.keys(properties);
  if (Array.isArray(values)) yield* values.filter((value) => typeof value === 'string');
  if (typeof place === 'string' && typeof name === 'string') yield name;
  for (const [key, child] of Object.entries(node)) if (!DATA.has(key)) yield* namesIn(child);
}
