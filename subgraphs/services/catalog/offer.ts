import type { ServiceType } from '../inventory/service.states.ts';
import { products } from '../products/registry.ts';
import type { CatalogBandwidthRow, CatalogFeatureRow, CatalogServiceRow, CatalogSlaRow } from './catalog.entity.ts';
import { FeatureNeedsOthers } from './catalog.errors.ts';

/**
 * A service of the catalog, with its bandwidths from small to large, its service levels and its features. The first
 * service level is the default.
 */
export interface Offer {
  service: Pick<
    CatalogServiceRow,
    'id' | 'name' | 'category' | 'description' | 'product' | 'serviceType' | 'startingPrice' | 'installationFee' | 'unit' | 'currency'
  >;
  bandwidths: readonly Pick<CatalogBandwidthRow, 'mbps' | 'monthlyPrice'>[];
  slas: readonly Pick<CatalogSlaRow, 'name' | 'upliftPercent' | 'uptimePercent'>[];
  features: readonly Pick<CatalogFeatureRow, 'name' | 'description' | 'monthlyPrice' | 'perUnit' | 'needs'>[];
}

/** A catalog service that can be ordered, because one of the products builds it. */
export type OrderableOffer = Offer & { service: { product: ServiceType } };

/** Returns true if the catalog service can be ordered, because one of the products builds it. */
export const isOrderable = (offer: Offer): offer is OrderableOffer => products.some(({ type }) => type === offer.service.product);

/**
 * Checks that all features are switched on that other features require. `before` are the features that a service had before a change.
 * @throws FeatureNeedsOthers if a required feature is not switched on
 */
export function checkNeeds(offer: Offer, names: readonly string[], before: readonly string[] = []): void {
  for (const { name } of offer.features) {
    const missing = names.includes(name) ? requiredFeatures(offer, name, before).filter((need) => !names.includes(need)) : [];
    if (missing.length > 0) throw new FeatureNeedsOthers(name, missing);
  }
}

/**
 * Returns the features that a feature requires. If a service already has the feature without one of them, because the catalog did not
 * require it then, it is not required now.
 */
export function requiredFeatures({ features }: Offer, name: string, before: readonly string[]): readonly string[] {
  const needs = features.find((feature) => feature.name === name)?.needs ?? [];
  return before.includes(name) ? needs.filter((need) => before.includes(need)) : needs;
}

/** Returns the features without duplicates, in the order of the catalog. Unknown names are last. */
export function inCatalogOrder({ features }: Offer, names: readonly string[]): string[] {
  const known = features.map(({ name }) => name);
  return [...known.filter((name) => names.includes(name)), ...new Set(names.filter((name) => !known.includes(name)))];
}
