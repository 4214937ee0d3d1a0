import { restValue, snakeCase } from '../names.ts';

/** Properties of the document that contain sample data. Names in the data are not translated. */
const DATA = new Set(['example', 'examples', 'default']);

/**
 * Translates the names in all descriptions of an OpenAPI document from GraphQL to REST.
 * The descriptions are written once, with the names of GraphQL, such as `nextCursor` for a field and `PENDING` for an
 * enum value. A word in backticks is translated (to `next_cursor` or `pending`) if the document has a field, parameter
 * or enum value of the translated name.
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

/** Yields the names of all fields, parameters and enum values in the document. */
function* namesIn(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  const { properties, enum: values, in: place, name } = node as Record<string, unknown>;
  if (typeof properties === 'object' && properties !== null) yield* Object.keys(properties);
  if (Array.isArray(values)) yield* values.filter((value) => typeof value === 'string');
  if (typeof place === 'string' && typeof name === 'string') yield name;
  for (const [key, child] of Object.entries(node)) if (!DATA.has(key)) yield* namesIn(child);
}
