import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import { type Decimal, roundTo } from '../../../kernel/values/money.ts';
import { formatBandwidth } from '../coverage/bandwidth.ts';
import type { CatalogBandwidthRow, CatalogServiceRow, CatalogSlaRow } from './catalog.entity.ts';

/**
 * A service of the catalog, with its bandwidths from small to large and its service levels. The first service level is
 * the default.
 */
export interface Offer {
  service: Pick<CatalogServiceRow, 'id' | 'name' | 'category' | 'description' | 'startingPrice' | 'unit' | 'currency'>;
  bandwidths: readonly Pick<CatalogBandwidthRow, 'mbps' | 'monthlyPrice'>[];
  slas: readonly Pick<CatalogSlaRow, 'name' | 'upliftPercent' | 'uptimePercent'>[];
}

export interface Price {
  sla: string;
  monthlyPrice: Decimal;
  currency: string;
}

/**
 * Computes the monthly price of a bandwidth with a service level. Default: the first service level. The price is the
 * bandwidth's price plus the percentage that the service level adds. Only the total is rounded, to the precision of the
 * currency.
 * @throws InvalidParameters for a bandwidth or service level that is not offered
 */
export function priceOf({ service, bandwidths, slas }: Offer, mbps: number, slaName: string | undefined): Price {
  const bandwidth = bandwidths.find((option) => option.mbps === mbps);
  if (!bandwidth)
    throw notSold(
      'bandwidth',
      formatBandwidth(mbps),
      bandwidths.map((option) => formatBandwidth(option.mbps)),
    );
  const sla = slaName === undefined ? slas[0] : slas.find(({ name }) => name === slaName);
  if (!sla)
    throw notSold(
      'sla',
      slaName,
      slas.map(({ name }) => name),
    );
  const factor = sla.upliftPercent.dividedBy(100).plus(1);
  return { sla: sla.name, monthlyPrice: roundTo(bandwidth.monthlyPrice.times(factor), service.currency), currency: service.currency };
}

const notSold = (field: string, value: unknown, options: readonly string[]): InvalidParameters =>
  new InvalidParameters([{ field, value, reason: `must be one of ${options.join(', ')}` }]);
