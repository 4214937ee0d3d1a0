/** Returns true if a text can be stored. PostgreSQL cannot store U+0000, and an unpaired surrogate is not a character. */
export const isStorable = (text: string): boolean => !text.includes('\u0000') && text.isWellFormed();

/** Replaces the characters of a text that cannot be stored. */
export const storableText = (text: string): string => text.replaceAll('\u0000', '\uFFFD').toWellFormed();

/**
 * Maximum nesting depth of a value. Deeper values are attacks that try to exhaust the stack; valid values are less
 * deep.
 */
const MAX_DEPTH = 64;

export const UNSTORABLE = `cannot be stored: it contains U+0000, an unpaired surrogate or a number beyond 1.8e308, or is nested more than ${MAX_DEPTH} levels deep`;

/**
 * Returns the path of the first value or property name within `value` that cannot be stored. Undefined if everything
 * can be stored.
 */
export function unstorableIn(value: unknown, path = '', depth = 0): string | undefined {
  if (depth > MAX_DEPTH) return path;
  if (typeof value === 'string') return isStorable(value) ? undefined : path;
  // a JSON number can be too large: `1e999` is parsed as Infinity, which would be stored as null
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const at = path ? `${path}.${name}` : name;
    if (!isStorable(name)) return path;
    const found = unstorableIn(inner, at, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}
