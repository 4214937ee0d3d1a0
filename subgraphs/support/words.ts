/** The text search configuration of tickets and articles: English, without accents (migration 0011). */
const WORDS = `'"support"."words"'`;
/** The one before it. */
const ACCENTED = `'pg_catalog.english'`;

/** SQL of the words asked for, from a parameter that `spelled` made. */
export const searchQuery = (parameter: string): string => `websearch_to_tsquery(${WORDS}, ${parameter})`;

/** The same for rows that may not be converted yet, in which accented words stand with their accents only. */
export const transitionalQuery = (parameter: string): string =>
  `(${searchQuery(parameter)} || websearch_to_tsquery(${ACCENTED}, ${parameter}))`;

/** SQL of a query for all words of a text, without operators. */
export const plainQuery = (text: string): string => `plainto_tsquery(${WORDS}, ${text})`;

/** SQL of an excerpt of a text with the words marked. */
export const headlineOf = (text: string, query: string, options: string): string =>
  `ts_headline(${WORDS}, ${text}, ${query}, '${options}')`;

/** Dashes without a word or phrase behind them, which PostgreSQL counts as negations of what follows: it takes 32 in all. */
const LOOSE_DASH = /-(?![\p{L}\p{N}"])/gu;
const LOOSE_DASHES_MAX = 8;

/** Words in the encoding in which they are stored, an accent as part of its letter, and without more negations than PostgreSQL can parse. */
export function spelled(words: string): string {
  let left = LOOSE_DASHES_MAX;
  return words
    .trim()
    .normalize('NFC')
    .replace(LOOSE_DASH, (dash) => (--left >= 0 ? dash : ' '));
}
