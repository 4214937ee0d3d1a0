const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'];

/** Formats a number of bytes with a decimal unit and at most two decimal digits: `1.24 TB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // a value that rounds to 1000 gets the next unit
  while (Number(value.toFixed(2)) >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${Number(value.toFixed(unit === 0 ? 0 : 2))} ${UNITS[unit]}`;
}
