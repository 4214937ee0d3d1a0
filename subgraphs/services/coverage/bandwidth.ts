const TEXT = /^(\d{1,7}(?:\.\d{1,3})?) ?(mbps|gbps)$/i;
const MBPS_PER_GBPS = 1000;
/** The columns of bandwidths are 32-bit integers. */
const MAX_MBPS = 999_999_999;

/** Description of the format of a bandwidth, for error messages and API descriptions. */
export const BANDWIDTH_FORM = 'a bandwidth such as 500mbps or 1gbps';

/**
 * Regular expression for bandwidths, shown in the API documents. `parseBandwidth` also accepts leading and trailing
 * zeros, and spaces around the text.
 */
export const BANDWIDTH_PATTERN = '^([1-9][0-9]{0,6} ?[Mm][Bb][Pp][Ss]|([1-9][0-9]{0,5}|[0-9]{1,4}[.][0-9]{0,2}[1-9]) ?[Gg][Bb][Pp][Ss])$';

/**
 * Parses a bandwidth such as `1000mbps`, `500 mbps`, `1gbps` or `2.5 Gbps`, and returns megabits per second. Returns
 * null for any other text, for fractions of a megabit, and for more than 999,999,999 megabits.
 */
export function parseBandwidth(text: string): number | null {
  const [, amount, unit] = TEXT.exec(text.trim()) ?? [];
  if (!amount || !unit) return null;
  // rounds the product, because 2.3 * 1000 is not exactly 2300 in floating-point arithmetic
  const mbps = unit.toLowerCase() === 'gbps' ? Math.round(Number(amount) * MBPS_PER_GBPS) : Number(amount);
  return Number.isInteger(mbps) && mbps > 0 && mbps <= MAX_MBPS ? mbps : null;
}

/** Parses a bandwidth that `IsBandwidth` has accepted. */
export function mbpsOf(text: string): number {
  const mbps = parseBandwidth(text);
  if (mbps === null) throw new Error(`${text} is not a bandwidth.`);
  return mbps;
}

/** Formats a bandwidth as in the specification: `1000mbps`. */
export const formatBandwidth = (mbps: number): string => `${mbps}mbps`;
