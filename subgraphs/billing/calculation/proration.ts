import { DAY_MS } from '../../../kernel/values/days.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import type { Period } from './billing-periods.ts';
import { localTime } from './local-time.ts';
import { shareOf } from './share.ts';

/** A part of a billing period, and the price of the whole period. */
export interface Proration {
  /** Price of the whole period. */
  price: Decimal;
  currency: string;
  period: Period;
  /** Start of the part of the period. The part includes `from`, but not `to`. */
  from: Date;
  to: Date;
  /** IANA name of the time zone whose clocks measure the time. */
  zone: string;
}

/**
 * Returns the share of a price for a part of its period, rounded to the digits of the currency. Time is measured by local
 * clocks, so that every local day costs the same, even a day of 23 or 25 hours. However a period is split, the shares of
 * its parts add up to the rounded price.
 * @throws RangeError if the part is not within the period
 */
export function proratedShare({ price, currency, period, from, to, zone }: Proration): Decimal {
  const start = reached(period.start, zone);
  const size = (end: Date, begin = start): Decimal => new Decimal(reached(end, zone) - begin);
  return shareOf(price, size(to, reached(from, zone)), size(period.end), size(from), currency);
}

/**
 * Returns the latest local time that clocks have reached until `time`, in milliseconds. It differs from the local time only
 * after clocks are changed: while they repeat an hour, it stays at the end of this hour, so that later times never
 * have a lower result. At the moment of a skip, it is the midnight at which a day starts if the skip reaches one, so that a
 * day starts at 00:00 and the day before ends at 24:00 although clocks show neither, and the time before the skip otherwise.
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
