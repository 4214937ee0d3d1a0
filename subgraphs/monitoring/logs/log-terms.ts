/**
 * Functions that build the index and the queries of log entries. The index of an entry contains the words of its message with their
 * positions, and its fields. Both the index and the queries are built here, so that they always agree.
 */

/** Maximum length of a field value in the index. The rest is ignored, because PostgreSQL limits the length of a term. */
export const FIELD_VALUE_MAX = 256;
/** Maximum length of a word in the index. The rest of a longer word is ignored. */
const WORD_MAX = 128;
/** Matches field names that a log query can contain. */
export const FIELD_NAME = /^[A-Za-z_][\w.-]{0,63}$/;
/** Maximum number of fields of a log entry that are indexed. */
const FIELDS_MAX = 200;

const WORD = /[\p{L}\p{N}\p{M}_]+/gu;

/** Returns the words of a text in lower case, in their order. Words consist of letters, digits and underscores. */
export const wordsOf = (text: string): string[] =>
  (text.normalize('NFKC').toLowerCase().match(WORD) ?? []).map((word) => cut(word, WORD_MAX));

/** Returns the index term of a field. It contains a colon, so a search for a word never matches a field. */
export const fieldTerm = (name: string, value: string): string =>
  `:${name.toLowerCase()}:${cut(value.normalize('NFKC').toLowerCase(), FIELD_VALUE_MAX)}`;

/** Yields the fields of a log entry: its attributes, and all other values that can be searched as `key:value`. */
export function* fieldsOf(attributes: Readonly<Record<string, unknown>>, prefix = ''): Generator<[name: string, value: string]> {
  for (const [key, value] of Object.entries(attributes)) {
    const name = `${prefix}${key}`;
    const values = Array.isArray(value) ? value : [value];
    for (const one of values) {
      if (typeof one === 'object' && one !== null) {
        if (!Array.isArray(one)) yield* fieldsOf(one as Record<string, unknown>, `${name}.`);
      } else yield [name, String(one)];
    }
  }
}

/** Returns the PostgreSQL tsvector of a log entry. It contains each word with its positions, and each field without positions. */
export function tsvectorOf(message: string, fields: Iterable<readonly [string, string]>): string {
  const positions = new Map<string, number[]>();
  for (const [index, word] of wordsOf(message).entries()) {
    const known = positions.get(word);
    if (known) known.push(index + 1);
    else positions.set(word, [index + 1]);
  }
  const terms = new Set<string>();
  for (const [name, value] of fields) {
    if (terms.size === FIELDS_MAX) break;
    if (FIELD_NAME.test(name)) terms.add(fieldTerm(name, value));
  }
  return [...[...positions].map(([word, at]) => `${quoted(word)}:${at.join()}`), ...[...terms].map(quoted)].join(' ');
}

/** Quotes a term for use in a tsvector or tsquery. */
export const quoted = (term: string): string => `'${term.replace(/['\\]/g, '$&$&')}'`;

/** Cuts a text to a maximum length without splitting a character. */
function cut(text: string, max: number): string {
  const part = text.slice(0, max);
  return part.isWellFormed() ? part : part.slice(0, -1);
}
