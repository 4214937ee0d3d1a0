import { isDeepStrictEqual } from 'node:util';
import { type FieldProblem, refuse } from '../../../kernel/errors/errors.ts';
import { type ChangeSet, changesBetween } from '../../../kernel/records/changes.ts';
import type { Decimal } from '../../../kernel/values/money.ts';
import { checkNeeds, inCatalogOrder, type Offer } from '../catalog/offer.ts';
import { offerProblems, priceLinesOf } from '../catalog/pricing.ts';
import { type PriceLine, priceOf } from '../inventory/price-line.ts';
import { patched, publicTerms, type ServicePatch, type ServiceTerms } from '../inventory/service-terms.ts';
import { configurationProblems } from '../products/configuration.ts';
import type { Product } from '../products/product.ts';

/** Terms of a service, and the price lines that were agreed for them. */
export interface Agreement {
  terms: ServiceTerms;
  priceLines: readonly PriceLine[];
  /** Discount for the term of the service, in percent. */
  discountPercent: Decimal;
}

/** Terms and price after a change, and the changed fields in the format of events. */
export interface PlannedChange extends Agreement {
  changes: ChangeSet;
}

/**
 * Computes the terms and the price of a service after a change. A part of the price that is in `agreed` with the same
 * service level keeps that unit price. `agreed` defaults to the present price lines. The caller must have checked the
 * patch with `checkPatch`.
 */
export function planChange(
  product: Product,
  offer: Offer,
  before: Agreement,
  patch: ServicePatch,
  agreed: readonly PriceLine[] = before.priceLines,
): PlannedChange {
  const { discountPercent } = before;
  const merged = patched(before.terms, patch);
  const terms = { ...merged, features: orderedFeatures(offer, before.terms.features, merged.features) };
  const quantity = product.quantityOf?.(terms.configuration) ?? 1;
  const priceLines = priceLinesOf(offer, { ...terms, quantity, discountPercent }, agreed);
  const { currency } = offer.service;
  const shown = ({ terms: values, priceLines: lines }: Omit<Agreement, 'discountPercent'>): Record<string, unknown> =>
    publicTerms(values, priceOf(lines, currency).toNumber());
  return { terms, priceLines, discountPercent, changes: differences(shown(before), shown({ terms, priceLines })) };
}

/** Returns the features in the order of the catalog, or `before` if it has the same features: another order is no change. */
function orderedFeatures(offer: Offer, before: readonly string[], after: readonly string[]): readonly string[] {
  const ordered = inCatalogOrder(offer, after);
  return isDeepStrictEqual(ordered.toSorted(), before.toSorted()) ? before : ordered;
}

/**
 * Checks a change of a service. A service level, bandwidth or feature that the service already has is valid even if the catalog no longer
 * sells it, and its features need no others that the catalog began to require later.
 * @throws InvalidParameters for values that the product or the catalog does not have
 * @throws FeatureNeedsOthers
 */
export function checkPatch(product: Product, offer: Offer, before: ServiceTerms, patch: ServicePatch): void {
  const after = patched(before, patch);
  refuse(newProblems(product, offer, before, after, patch));
  checkNeeds(offer, after.features, before.features);
}

/** Returns the changed fields. A setting that was removed changes to null. */
function differences(before: Record<string, unknown>, after: Record<string, unknown>): ChangeSet {
  const removed = Object.fromEntries(Object.keys(before).map((name) => [name, null]));
  return changesBetween(before, { ...removed, ...after });
}

/**
 * Lists the problems of a change. The bandwidth and features that the service already has are checked only if the
 * service level changes, because this changes the whole price. If the patch has settings, all settings are checked.
 */
function newProblems(product: Product, offer: Offer, before: ServiceTerms, after: ServiceTerms, patch: ServicePatch): FieldProblem[] {
  const isRepriced = before.sla !== after.sla;
  const isNew = ({ field, value }: FieldProblem): boolean => {
    if (field === 'sla') return isRepriced;
    if (field === 'bandwidth') return isRepriced || before.bandwidthMbps !== after.bandwidthMbps;
    return isRepriced || !before.features.includes(value as string);
  };
  const settings = patch.configuration ? configurationProblems(product, after.configuration) : [];
  return [
    ...offerProblems(offer, { ...after, quantity: 1 }).filter(isNew),
    ...settings.map((problem) => ({ ...problem, field: `configuration.${problem.field}` })),
  ];
}
