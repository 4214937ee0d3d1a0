import { csvLine } from '../../../kernel/values/csv.ts';

/** Writes a table as CSV with a header line. */
export const toCsv = (names: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string =>
  [names, ...rows.map((row) => names.map((name) => row[name]))].map(csvLine).join('');
