const TEXT = /^(\d{1,7}(?:\.\d{1,3})?) ?(mbps|gbps)$/i;
const MBPS_PER_GBPS = 1000;

/** What a bandwidth looks like, for messages and descriptions. */
export const BANDWIDTH_FORM = 'a bandwidth such as 500mbps or 1gbps';

/** The same as a pattern, for documents: `parseBandwidth` also reads superfluous zeros and spaces around the text. */
export const BANDWIDTH_PATTERN = '^([1-9][0-9]{0,6} ?[Mm][Bb][Pp][Ss]|([1-9][0-9]{0,6}|[0-9]{1,4}[.][0-9]{0,2}[1-9]) ?[Gg][Bb][Pp][Ss])$';

/** Megabits per second of `1000mbps`, `500 mbps`, `1gbps` or `2.5 Gbps`; null for anything else, and for what is not whole. */
export function parseBandwidth(text: string): number | null {
  const [, amount, unit] = TEXT.exec(text.trim()) ?? [];
  if (!amount || !unit) return null;
  // 2.3 * 1000 is not quite 2300 in binary
  const mbps = unit.toLowerCase() === 'gbps' ? Math.round(Number(amount) * MBPS_PER_GBPS) : Number(amount);
  return Number.isInteger(mbps) && mbps > 0 ? mbps : null;
}

/** Of a text that `IsBandwidth` has let through. */
export function mbpsOf(text: string): number {
  const mbps = parseBandwidth(text);
  if (mbps === null) throw new Error(`${text} is no bandwidth.`);
  return mbps;
}

/** The specification's spelling: `1000mbps`. */
export const formatBandwidth = (mbps: number): string => `${mbps}mbps`;
