/** What programs that open a table would run as a formula, or take as the end of the cell before it. */
const FORMULA = /^[=+\-@\t\r]/;
const QUOTED = /[",\r\n]/;

/** A table as RFC 4180 writes it, its names first. Null is an empty cell; a text that a program could take for a formula gets an apostrophe before it. */
export function toCsv(names: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string {
  const lines = [names.map(cellOf), ...rows.map((row) => names.map((name) => cellOf(row[name])))];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(String(value)) ? `'${value}` : String(value);
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
