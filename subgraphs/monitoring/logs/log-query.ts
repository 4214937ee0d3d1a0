import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import { FIELD_VALUE_MAX, fieldTerm, quoted, wordsOf } from './log-terms.ts';

export const QUERY_MAX = 1_000;
/** Maximum number of terms in a log query. */
export const TERMS_MAX = 32;

/** A condition of a log query: a phrase of consecutive words, or a field with its value. */
export type LogTerm = ({ words: string[] } | { field: string; value: string }) & { isNegated: boolean };

/** Matches a field name and its colon. A time such as 12:30 does not match. */
const FIELD = /^([A-Za-z_][\w.-]{0,63}):/;

/**
 * Parses a log query. It consists of words, "phrases" and `key:value` terms. A `-` before a term excludes entries that match the term.
 * Returns the terms, or the first problem with its position.
 */
export function parseLogQuery(text: string): { terms: LogTerm[] } | { problem: string } {
  const terms: LogTerm[] = [];
  let at = 0;
  const wrong = (position: number, reason: string) => ({ problem: `${reason} at position ${position + 1}` });
  for (;;) {
    while (at < text.length && /\s/.test(text[at] as string)) at += 1;
    if (at === text.length) return { terms };
    if (terms.length === TERMS_MAX) return wrong(at, `must have at most ${TERMS_MAX} terms; there is another`);
    const start = at;
    const isNegated = text[at] === '-';
    if (isNegated) at += 1;
    const [prefix = '', field] = FIELD.exec(text.slice(at, at + 66)) ?? [];
    at += prefix.length;
    let value: string;
    if (text[at] === '"') {
      const end = text.indexOf('"', at + 1);
      if (end < 0) return wrong(at, 'has a quotation mark without an end');
      value = text.slice(at + 1, end);
      at = end + 1;
      if (at < text.length && !/\s/.test(text[at] as string)) return wrong(at, 'needs a space after the quotation mark');
    } else {
      const [run = ''] = /^[^\s"]*/.exec(text.slice(at)) ?? [];
      value = run;
      at += run.length;
      if (text[at] === '"') return wrong(at, 'needs a space before the quotation mark');
    }
    if (field) {
      if (value === '') return wrong(start, `needs a value after ${field}:`);
      if (value.length > FIELD_VALUE_MAX) return wrong(start, `has a value of more than ${FIELD_VALUE_MAX} characters`);
      terms.push({ field, value, isNegated });
      continue;
    }
    const words = wordsOf(value);
    if (words.length === 0) return wrong(start, 'has a term without a letter or digit');
    terms.push({ words, isNegated });
  }
}

/** Returns the problem of a log query as a problem of the input field `query`. */
export function problemOf(text: string): FieldProblem[] {
  const parsed = parseLogQuery(text);
  return 'problem' in parsed ? [{ field: 'query', value: text, reason: parsed.problem }] : [];
}

/** Returns a PostgreSQL tsquery that requires all terms. Null if there are no terms. */
export function tsqueryOf(terms: readonly LogTerm[]): string | null {
  const parts = terms.map((term) => {
    const text = 'words' in term ? `(${term.words.map(quoted).join(' <-> ')})` : quoted(fieldTerm(term.field, term.value));
    return term.isNegated ? `!${text}` : text;
  });
  return parts.length > 0 ? parts.join(' & ') : null;
}
