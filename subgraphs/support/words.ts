/** The text search configuration of tickets and articles: English, without accents (migration 0011). */
const WORDS = `'"support"."words"'`;
/** The text search configuration before migration 0011. */
const ACCENTED = `'pg_catalog.english'`;

/** SQL for a search query. `parameter` is a placeholder whose value comes from `spelled`. */
export const searchQuery = (parameter: string): string => `websearch_to_tsquery(${WORDS}, ${parameter})`;

/**
 * As `searchQuery`, for tables with rows that may not be converted yet. These rows have accented words only with their
 * accents.
 */
export const transitionalQuery = (parameter: string): string =>
  `(${searchQuery(parameter)} || websearch_to_tsquery(${ACCENTED}, ${parameter}))`;

/** SQL for a query that requires all words of a text and has no operators. */
export const plainQuery = (text: string): string => `plainto_tsquery(${WORDS}, ${text})`;

/** SQL for an excerpt of a text with the search words marked. */
export const headlineOf = (text: string, query: string, options: string): string =>
  `ts_headline(${WORDS}, ${text}, ${query}, '${options}')`;

/**
 * Dashes that are not directly followed by a word or phrase. PostgreSQL parses each as a negation of the next word, and
 * accepts at most 32 of them.
 */
const LOOSE_DASH = /-(?![\p{L}\p{N}"])/gu;
const LOOSE_DASHES_MAX = 8;

/**
 * Prepares search words: converts them to Unicode NFC, as texts are stored, and removes dashes that PostgreSQL could
 * not parse.
 */
export function spelled(words: string): string {
  let left = LOOSE_DASHES_MAX;
  return words
    .trim()
    .normalize('NFC')
    .replace(LOOSE_DASH, (dash) => (--left >= 0 ? dash : ' '));
}
