import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { formatBandwidth } from '../coverage/bandwidth.ts';
import { BASE, bandwidthItem, type PriceLine } from '../inventory/price-line.ts';
import type { Offer } from './offer.ts';

/** Values of a service that determine its price. */
export interface PricedTerms {
  bandwidthMbps: number | null;
  sla: string | null;
  features: readonly string[];
  /** Number of billed units, such as sites of a network. */
  quantity: number;
  /** Discount for the contract term, in percent. Default: 0. */
  discountPercent?: Decimal;
}

/**
 * Returns the service level of orders that do not choose one: the first service level of the catalog service. Null if the catalog service
 * has no service levels.
 */
export const defaultSla = ({ slas }: Offer): string | null => slas[0]?.name ?? null;

/**
 * Lists the bandwidth, service level and features that the catalog does not sell, and a required bandwidth that is
 * missing. The problems have the fields `bandwidth`, `sla` and `features.<index>`.
 */
export function offerProblems({ bandwidths, slas, features }: Offer, wanted: PricedTerms): FieldProblem[] {
  const sold = bandwidths.map(({ mbps }) => formatBandwidth(mbps));
  const asked = wanted.bandwidthMbps === null ? null : formatBandwidth(wanted.bandwidthMbps);
  const levels = slas.map(({ name }) => name);
  const names = features.map(({ name }) => name);
  return [
    ...(asked === null || sold.includes(asked) ? [] : [problem('bandwidth', asked, sold)]),
    ...(asked === null && sold.length > 0 ? [{ field: 'bandwidth', reason: `is required: one of ${sold.join(', ')}` }] : []),
    ...(wanted.sla === null || levels.includes(wanted.sla) ? [] : [problem('sla', wanted.sla, levels)]),
    ...wanted.features.flatMap((name, index) => (names.includes(name) ? [] : [problem(`features.${index}`, name, names)])),
  ];
}

const problem = (field: string, value: string, options: readonly string[]): FieldProblem => ({
  field,
  value,
  reason: options.length > 0 ? `must be one of ${options.join(', ')}` : 'is not sold for this service',
});

/**
 * Computes the parts of the monthly price of a service. The surcharge of the service level applies to each part. A part
 * that is in `agreed` keeps its unit price, so that a change of the catalog does not change the agreed price. The bandwidth and features must
 * be sold by the catalog (`offerProblems`), or be in `agreed`.
 */
export function priceLinesOf(offer: Offer, wanted: PricedTerms, agreed: readonly PriceLine[] = []): PriceLine[] {
  const { service, bandwidths, slas, features } = offer;
  const { bandwidthMbps, sla, quantity } = wanted;
  const uplift = slas.find(({ name }) => name === sla)?.upliftPercent ?? ZERO;
  const factor = shareOf(uplift)
    .plus(1)
    .times(new Decimal(1).minus(shareOf(wanted.discountPercent ?? ZERO)));
  const lineOf = (item: string, unit: string, count: number, price: Decimal): PriceLine => {
    const known = agreed.find((line) => line.catalogId === service.id && line.item === item && line.sla === sla);
    return { catalogId: service.id, item, sla, unit, quantity: count, unitPrice: known?.unitPrice ?? price.times(factor).toFixed() };
  };
  const bandwidth = bandwidths.find(({ mbps }) => mbps === bandwidthMbps);
  const base = bandwidthMbps === null ? BASE : bandwidthItem(bandwidthMbps);
  const unsold = wanted.features.filter((wantedName) => !features.some(({ name }) => name === wantedName)).map(featureItem);
  return [
    lineOf(base, service.unit, quantity, bandwidth?.monthlyPrice ?? service.startingPrice),
    ...features
      .filter(({ name }) => wanted.features.includes(name))
      .map(({ name, perUnit, monthlyPrice }) =>
        lineOf(featureItem(name), perUnit ? service.unit : MONTH, perUnit ? quantity : 1, monthlyPrice),
      ),
    ...unsold.flatMap((item) => {
      const line = agreed.find((one) => one.catalogId === service.id && one.item === item && one.sla === sla);
      return line ? [{ ...line, quantity: line.unit === MONTH ? line.quantity : quantity }] : [];
    }),
  ];
}

/** Unit of features whose price does not depend on the quantity. */
const MONTH = 'month';
const featureItem = (name: string): string => `feature:${name}`;
const ZERO = new Decimal(0);
const shareOf = (percent: Decimal): Decimal => percent.dividedBy(100);

/** Minimum term of a contract, in months, with which the installation is free. */
const FREE_INSTALLATION_MONTHS = 24;

/** Returns the fee that is charged once for a new service. */
export const installationFee = ({ service }: Offer, quantity: number, termMonths: number | null): Decimal =>
  termMonths !== null && termMonths >= FREE_INSTALLATION_MONTHS ? ZERO : service.installationFee.times(quantity);
