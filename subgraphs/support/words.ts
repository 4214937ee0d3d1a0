/** The text search configuration of tickets and articles: English, without accents (migration 0011). */
const WORDS = `'"support"."words"'`;
/** The text search configuration before migration 0011. */
const ACCENTED = `'pg_catalog.english'`;

/** Returns SQL for a search query. `parameter` is an SQL placeholder, whose value must be a result of `spelled`. */
export const searchQuery = (parameter: string): string => `websearch_to_tsquery(${WORDS}, ${parameter})`;

/**
 * Returns SQL like `searchQuery` for a table that migration 0011 has not converted completely. The query also finds rows
 * that are not converted yet, which contain accented words only with their accents.
 */
export const transitionalQuery = (parameter: string): string =>
  `(${searchQuery(parameter)} || websearch_to_tsquery(${ACCENTED}, ${parameter}))`;

/** Returns SQL for a query that requires all words of a text and treats none as an operator. `text` is an SQL expression. */
export const plainQuery = (text: string): string => `plainto_tsquery(${WORDS}, ${text})`;

/** Returns SQL for an excerpt of a text in which the search words are marked. */
export const headlineOf = (text: string, query: string, options: string): string =>
  `ts_headline(${WORDS}, ${text}, ${query}, '${options}')`;

/**
 * Dashes that are not directly followed by a word or phrase. PostgreSQL parses each of these dashes as a negation of
 * the next word, and accepts at most 32 of them.
 */
const LOOSE_DASH = /-(?![\p{L}\p{N}"])/gu;
const LOOSE_DASHES_MAX = 8;

/**
 * Prepares search words: converts them to Unicode NFC, in which texts are stored, and removes dashes that PostgreSQL
 * could not parse.
 */
export function spelled(words: string): string {
  let left = LOOSE_DASHES_MAX;
  return words
    .trim()
    .normalize('NFC')
    .replace(LOOSE_DASH, (dash) => (--left >= 0 ? dash : ' '));
}
