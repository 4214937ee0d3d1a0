import type { EntityManager } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { CatalogReader } from '../catalog/catalog-reader.ts';
import type { Offer } from '../catalog/offer.ts';
import { CoverageService } from '../coverage/coverage.service.ts';
import { priceOf } from '../inventory/price-line.ts';
import type { Service } from '../inventory/service.entity.ts';
import { serviceModified } from '../inventory/service.events.ts';
import { type ServicePatch, type ServiceTerms, termsOf } from '../inventory/service-terms.ts';
import { type Product, type ProductReads, servicesIn } from '../products/product.ts';
import { productOf } from '../products/registry.ts';
import { specOf, wantedOf } from '../products/service-spec.ts';
import { type Agreement, checkPatch, type PlannedChange, planChange } from './change-plan.ts';
import type { ServiceChange } from './service-change.entity.ts';
import { ServiceChangeStatus } from './service-change.states.ts';

/** A locked service with its product, and the catalog service that was ordered. */
export interface ChangeableService {
  service: Service;
  product: Product;
  offer: Offer;
}

/** Reads the data that a change of a locked service needs, in the transaction of the change. */
export async function changeable(tx: EntityManager, service: Service): Promise<ChangeableService> {
  const offer = await new CatalogReader(tx).offerOf(service.catalogId);
  return { service, product: productOf(service.type), offer };
}

/**
 * Computes the result of a change for the service as it is now. Prices that were agreed when the change was ordered
 * still apply.
 */
export function planOf({ service, offer, product }: ChangeableService, { wanted, priceLines }: ServiceChange): PlannedChange {
  const agreed = [...service.priceLines, ...(priceLines ?? [])];
  return planChange(product, offer, agreementOf(service), wanted ?? {}, agreed);
}

/**
 * Like `planOf`, but also checks the change.
 * @throws InvalidParameters, FeatureNeedsOthers
 */
export function checkedPlanOf(subject: ChangeableService, change: ServiceChange): PlannedChange {
  checkPatch(subject.product, subject.offer, termsOf(subject.service), change.wanted ?? {});
  return planOf(subject, change);
}

export const agreementOf = (service: Service): Agreement => ({
  terms: termsOf(service),
  priceLines: service.priceLines,
  discountPercent: service.discountPercent,
});

/**
 * Runs the product's checks that need the database, such as coverage. Does nothing if the change sets neither the
 * bandwidth nor settings.
 * @throws the same errors as an order of the product
 */
export async function checkChange(
  reads: ProductReads,
  { service, product }: ChangeableService,
  terms: ServiceTerms,
  patch: ServicePatch,
): Promise<void> {
  if (patch.bandwidthMbps === undefined && patch.configuration === undefined) return;
  await product.check?.(wantedOf(service, terms), reads);
}

/** Returns the access to services and coverage that the checks of a product use in the transaction of a change. */
export const readsOf = (tx: EntityManager): ProductReads => ({ services: servicesIn(tx), coverage: new CoverageService(tx) });

/** Sets the planned terms and price of a locked service, completes the change, and records the event. */
export async function applyChange(
  tx: EntityManager,
  { service, product }: ChangeableService,
  change: ServiceChange,
  plan: PlannedChange,
  now: Date,
): Promise<void> {
  change.changes = plan.changes;
  change.priceDifference = priceOf(plan.priceLines, service.currency).minus(service.monthlyPrice);
  change.moveTo(ServiceChangeStatus.COMPLETED, now);
  if (Object.keys(plan.changes).length === 0) return;
  service.change(plan.terms, plan.priceLines, now);
  await product.stored?.(tx, service);
  await record(tx, serviceModified(service, plan.changes));
}

/** Returns true if a change requires the provider to change the service. */
export const concernsProvider = (service: Service, { terms }: PlannedChange): boolean =>
  JSON.stringify(specOf(service)) !== JSON.stringify(specOf(service, terms));
