import { type Decimal, roundTo } from '../../../kernel/values/money.ts';

/**
 * Returns the amount of `total` that belongs to one part of a whole, rounded to the digits of the currency. `part`, `whole` and `before`
 * are sizes in the same unit, such as milliseconds; `before` is the size of all earlier parts together. However a whole is split, the
 * amounts of its parts add up to the rounded total, because each amount is the difference of two rounded cumulative amounts.
 * @throws RangeError if the part is not within the whole
 */
export function shareOf(total: Decimal, part: Decimal, whole: Decimal, before: Decimal, currency: string): Decimal {
  const end = before.plus(part);
  const isWithin = whole.greaterThan(0) && before.greaterThanOrEqualTo(0) && part.greaterThanOrEqualTo(0) && end.lessThanOrEqualTo(whole);
  if (!isWithin) throw new RangeError(`The part from ${before} to ${end} is not within the whole, which ends at ${whole}.`);

  // multiplies first: a quotient such as 1/3 is not exact, and an amount of exactly half a cent could be rounded down
  const upTo = (size: Decimal): Decimal => roundTo(total.times(size).div(whole), currency);
  return upTo(end).minus(upTo(before));
}
