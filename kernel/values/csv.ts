/**
 * Matches a text if its first character could make a spreadsheet program run the text as a formula or split the cell.
 */
const FORMULA = /^[=+\-@\t\r]/;
const QUOTED = /[",\r\n]/;

/**
 * Returns one line of CSV (RFC 4180), with its line break. Null and undefined become empty cells. A text that a
 * spreadsheet program could run as a formula is prefixed with an apostrophe; a number such as -1.5 is not. Pass a decimal
 * number as a `CsvNumber`, so that it is written without rounding.
 */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(cellOf).join(',')}\r\n`;

/** A number that is already written with its digits, such as an amount of money. It is never treated as a formula. */
export class CsvNumber {
  constructor(readonly digits: string) {}
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  if (value instanceof CsvNumber) return value.digits;
  const text = FORMULA.test(String(value)) ? `'${value}` : String(value);
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Writes a table as CSV with a header line. */
export const csvTable = (names: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string =>
  [names, ...rows.map((row) => names.map((name) => row[name]))].map(csvLine).join('');
