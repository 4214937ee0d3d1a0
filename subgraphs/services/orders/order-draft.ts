import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import { checkNeeds, inCatalogOrder, type OrderableOffer } from '../catalog/offer.ts';
import { defaultSla, offerProblems, type PricedTerms } from '../catalog/pricing.ts';
import { mbpsOf } from '../coverage/bandwidth.ts';
import type { Configuration } from '../inventory/service-terms.ts';
import { configurationProblems } from '../products/configuration.ts';
import { BANDWIDTH, LOCATION } from '../products/order-needs.ts';
import type { OrderDraft } from '../products/product-order.ts';
import { productOf } from '../products/registry.ts';

/** Returns the names of the data that an order of the catalog service requires. */
export function needsOf({ service, bandwidths }: OrderableOffer): string[] {
  const { hasLocation, requiredSettings = {} } = productOf(service.product);
  return [...(hasLocation ? [LOCATION] : []), ...(bandwidths.length > 0 ? [BANDWIDTH] : []), ...Object.keys(requiredSettings)];
}

/** Returns the names of the required data that an order does not contain. A setting that is null is not missing but invalid. */
export function missingIn({ configuration, bandwidth, location }: OrderDraft, needs: readonly string[]): string[] {
  const has: Configuration = { ...configuration, [BANDWIDTH]: bandwidth ?? undefined, [LOCATION]: location ?? undefined };
  return needs.filter((name) => has[name] === undefined);
}

/** Lists the problems of settings. Each problem has the field `configuration.<name>`. */
export const settingProblems = ({ service }: OrderableOffer, configuration: Configuration): FieldProblem[] =>
  configurationProblems(productOf(service.product), configuration).map((problem) => ({
    ...problem,
    field: `configuration.${problem.field}`,
  }));

/**
 * Lists the problems of an incomplete order. The settings and the bandwidth in `missing` are not reported as problems.
 * @throws FeatureNeedsOthers
 */
export function knownProblems(
  offer: OrderableOffer,
  terms: Omit<PricedTerms, 'quantity'> & { configuration: Configuration },
  missing: readonly string[],
): FieldProblem[] {
  const problems = [...settingProblems(offer, terms.configuration), ...offerProblems(offer, { ...terms, quantity: 1 })];
  const fields = missing.flatMap((name) => [name, `configuration.${name}`]);
  const known = problems.filter(({ field }) => !fields.includes(field));
  if (known.length === 0) checkNeeds(offer, terms.features);
  return known;
}

/** Returns the terms of an order. Terms that the order does not state have the defaults of the catalog. */
export const wantedOf = (offer: OrderableOffer, { bandwidth, sla, features, configuration }: OrderDraft) => ({
  type: offer.service.product,
  serviceType: offer.service.serviceType ?? offer.service.id,
  sla: sla ?? defaultSla(offer),
  bandwidthMbps: bandwidth ? mbpsOf(bandwidth) : null,
  features: inCatalogOrder(offer, features ?? []),
  configuration: configuration ?? {},
});
