import { Decimal, roundTo, sum } from '../../../kernel/values/money.ts';
import { formatBandwidth } from '../coverage/bandwidth.ts';

/**
 * One part of the monthly price of a service, stored as JSON. Its amount is the quantity times the unit price, rounded
 * to the currency.
 */
export interface PriceLine {
  catalogId: string;
  /** Price item of the line: `bandwidth:1000mbps`, `feature:static_ip`, or `base` for a service without a bandwidth. */
  item: string;
  /** Service level whose surcharge is included in the unit price. Null if the service has no service level. */
  sla: string | null;
  /** Unit of the catalog, such as `month` or `site/month`. */
  unit: string;
  quantity: number;
  /** Price of one unit, as an exact decimal number such as `336.375`. */
  unitPrice: string;
}

/** Name of the price item of a service without a bandwidth. */
export const BASE = 'base';
/** Returns the name of the price item of a bandwidth, such as `bandwidth:1000mbps`. */
export const bandwidthItem = (mbps: number): string => `bandwidth:${formatBandwidth(mbps)}`;

/**
 * Returns a single price line with the whole monthly price, for a service that was ordered before the platform stored price
 * lines.
 */
export const lineOfPrice = (
  service: { catalogId: string; bandwidthMbps: number | null; sla: string | null },
  monthlyPrice: Decimal,
): PriceLine => ({
  catalogId: service.catalogId,
  item: service.bandwidthMbps === null ? BASE : bandwidthItem(service.bandwidthMbps),
  sla: service.sla,
  unit: 'month',
  quantity: 1,
  unitPrice: monthlyPrice.toFixed(),
});

/** Returns the sum of the amounts of the price lines. Each amount is rounded to the currency before it is added. */
export const priceOf = (lines: readonly PriceLine[], currency: string): Decimal =>
  sum(lines.map(({ quantity, unitPrice }) => roundTo(new Decimal(unitPrice).times(quantity), currency)));
