import { DAY_MS } from '../../../kernel/values/days.ts';
import { localTime } from '../../../kernel/values/local-time.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import type { Period } from './billing-periods.ts';
import { shareOf } from './share.ts';

/** A part of a billing period, and the price of the whole period. */
export interface Proration {
  /** Price of the whole billing period. */
  price: Decimal;
  currency: string;
  period: Period;
  /** Start of the part of the period. The part includes `from`, but not `to`. */
  from: Date;
  to: Date;
  /** IANA name of the time zone in which the time is measured. */
  zone: string;
}

/**
 * Returns the share of a price for a part of its period, rounded to the digits of the currency. Time is measured in
 * local time, so that every local day costs the same, even a day with 23 or 25 hours. However a period is split, the
 * shares of its parts add up to the rounded price.
 * @throws RangeError if the part is not within the period
 */
export function proratedShare({ price, currency, period, from, to, zone }: Proration): Decimal {
  const start = reached(period.start, zone);
  const size = (end: Date, begin = start): Decimal => new Decimal(reached(end, zone) - begin);
  return shareOf(price, size(to, reached(from, zone)), size(period.end), size(from), currency);
}

/**
 * Returns the latest local time that the clocks have shown until `time`, in milliseconds. It differs from the local time only around a
 * clock change. While the clocks repeat an hour, the result stays at the end of this hour, so that later times never have a lower result.
 * At the moment of a skip, the result is midnight if the skip crosses the start of a day, and the time before the skip otherwise. So each
 * day starts at 00:00 and ends at 24:00.
 */
function reached(time: Date, zone: string): number {
  const last = time.getTime() - 1;
  const dayBefore = last - DAY_MS;
  const [shown, offsetBefore] = [localTime(last, zone), localTime(dayBefore, zone) - dayBefore];
  if (shown - last >= offsetBefore) return Math.max(shown + 1, Math.floor(localTime(last + 1, zone) / DAY_MS) * DAY_MS);

  // clocks were set back within the last day; searches the last millisecond before that
  let [early, late] = [dayBefore, last];
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    if (localTime(middle, zone) - middle === offsetBefore) early = middle;
    else late = middle;
  }
  return Math.max(localTime(early, zone), shown) + 1;
}
