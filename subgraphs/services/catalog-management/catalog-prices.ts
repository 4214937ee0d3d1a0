import type { Decimal } from '../../../kernel/values/money.ts';
import type { Offer } from '../catalog/offer.ts';
import { formatBandwidth } from '../coverage/bandwidth.ts';

/** The prices and surcharges of a catalog service. The keys are price items, such as `bandwidth:1000mbps`. */
export type Prices = ReadonlyMap<string, Decimal>;

/** A difference in the price of one item. `old` is null for an added item, and `new` is null for a removed item. */
export interface PriceDifference {
  item: string;
  old: Decimal | null;
  new: Decimal | null;
}

/** Returns all prices and surcharges of a catalog service. */
export const pricesOf = ({
  service,
  bandwidths,
  slas,
  features,
}: Pick<Offer, 'bandwidths' | 'slas' | 'features'> & { service: Pick<Offer['service'], 'startingPrice' | 'installationFee'> }): Prices =>
  new Map([
    ['base', service.startingPrice],
    ...(service.installationFee.isZero() ? [] : [['installation', service.installationFee] as [string, Decimal]]),
    ...bandwidths.map(({ mbps, monthlyPrice }): [string, Decimal] => [`bandwidth:${formatBandwidth(mbps)}`, monthlyPrice]),
    ...slas.map(({ name, upliftPercent }): [string, Decimal] => [`sla:${name}`, upliftPercent]),
    ...features.map(({ name, monthlyPrice }): [string, Decimal] => [`feature:${name}`, monthlyPrice]),
  ]);

/** Lists the price items whose price has changed. */
export function priceDifferences(before: Prices, after: Prices): PriceDifference[] {
  const items = [...new Set([...before.keys(), ...after.keys()])];
  return items.flatMap((item) => {
    const [old, current] = [before.get(item) ?? null, after.get(item) ?? null];
    return old && current?.equals(old) ? [] : [{ item, old, new: current }];
  });
}
