import { Decimal, roundTo } from '../../../kernel/values/money.ts';

/** A range of quantities with its unit price. The range starts where the tier before it ends. */
export interface PriceTier {
  /** Largest quantity of the tier. Null in the last tier, which has no upper limit. */
  upTo: Decimal | null;
  unitPrice: Decimal;
}

/**
 * Price model: the way in which a quantity is priced. Prices may have more digits than the currency.
 * - `per_unit`: each unit has the same price
 * - `graduated`: each unit has the price of its own tier
 * - `volume`: all units have the price of the tier that contains the whole quantity
 * - `blocks`: each started block of `blockSize` units costs the full price of a block
 */
export type PriceModel =
  | { model: 'per_unit'; unitPrice: Decimal }
  | { model: 'graduated' | 'volume'; tiers: readonly PriceTier[] }
  | { model: 'blocks'; blockSize: Decimal; blockPrice: Decimal };

/** The usage of one metric in one billing period, with its price. */
export interface MeteredUsage {
  /** Sum of the quantities of all usage events in the period. Pricing each event separately would round too often. */
  quantity: Decimal;
  /** Quantity of the period that costs nothing. Tiers and blocks start after it. */
  included: Decimal;
  price: PriceModel;
  currency: string;
}

/**
 * Returns the price of the usage of a billing period, rounded once to the digits of the currency. It is 0 if the quantity
 * is at most the included quantity.
 * @throws RangeError if the tiers or the block size are invalid
 */
export const meteredAmount = ({ currency, ...usage }: MeteredUsage): Decimal => roundTo(exactAmount(usage), currency);

/**
 * Returns the unrounded price of the usage of a billing period, so that the prices of several periods can be added before rounding.
 * @throws RangeError if the tiers or the block size are invalid
 */
export const exactAmount = ({ quantity, included, price }: Omit<MeteredUsage, 'currency'>): Decimal =>
  exactPrice(Decimal.max(quantity.minus(included), 0), price);

function exactPrice(quantity: Decimal, price: PriceModel): Decimal {
  switch (price.model) {
    case 'per_unit':
      return quantity.times(price.unitPrice);
    case 'graduated':
      return graduatedPrice(quantity, validTiers(price.tiers));
    case 'volume':
      return volumePrice(quantity, validTiers(price.tiers));
    case 'blocks':
      if (!price.blockSize.greaterThan(0)) throw new RangeError(`The block size ${price.blockSize} is not greater than 0.`);
      return quantity.div(price.blockSize).ceil().times(price.blockPrice);
  }
}

function graduatedPrice(quantity: Decimal, tiers: readonly PriceTier[]): Decimal {
  let [total, from] = [new Decimal(0), new Decimal(0)];
  for (const { upTo, unitPrice } of tiers) {
    const to = Decimal.min(upTo ?? quantity, quantity);
    total = total.plus(to.minus(from).times(unitPrice));
    from = to;
  }
  return total;
}

function volumePrice(quantity: Decimal, tiers: readonly PriceTier[]): Decimal {
  const tier = tiers.find(({ upTo }) => upTo === null || quantity.lessThanOrEqualTo(upTo));
  return quantity.times(tier?.unitPrice ?? 0);
}

function validTiers(tiers: readonly PriceTier[]): readonly PriceTier[] {
  const problem = tierProblem(tiers);
  if (problem) throw new RangeError(`The tiers ${problem}.`);
  return tiers;
}

/** Returns the problem of the tiers of a price, such as `must have increasing limits`; undefined if they are valid. */
export function tierProblem(tiers: readonly PriceTier[]): string | undefined {
  const limits = tiers.map(({ upTo }) => upTo);
  if (limits.pop() !== null) return 'must have a last tier without a limit';
  const isIncreasing = limits.every((limit, index) => limit?.greaterThan(limits[index - 1] ?? 0));
  return isIncreasing ? undefined : 'must have increasing limits, and a limit in each tier except the last';
}
