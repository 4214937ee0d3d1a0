import { definedOnly } from '../../../kernel/records/records.ts';
import { mbpsOf } from '../coverage/bandwidth.ts';
import type { Service } from '../inventory/service.entity.ts';
import { type ServicePatch, withSwitched } from '../inventory/service-terms.ts';
import type { ProductReads } from '../products/product.ts';
import { agreementOf, type ChangeableService, checkChange } from './change-application.ts';
import { type Agreement, checkPatch, type PlannedChange, planChange } from './change-plan.ts';
import type { FeatureSelection } from './feature-selection.ts';
import { isDue } from './open-changes.ts';
import type { ServiceChange } from './service-change.entity.ts';
import { AlreadyScaling, TooManyChanges } from './service-change.errors.ts';
import { MAX_OPEN, ServiceChangeKind } from './service-change.states.ts';
import type { ServiceChangeInput } from './service-update.inputs.ts';

/**
 * Returns the terms and the price that a service will have after its due changes. `open` contains its changes that have
 * not ended, oldest first.
 */
export const expected = (subject: ChangeableService, open: readonly ServiceChange[]): Agreement =>
  open
    .filter(isDue)
    .reduce<Agreement>(
      (before, { wanted, priceLines }) =>
        planChange(subject.product, subject.offer, before, wanted ?? {}, [...before.priceLines, ...(priceLines ?? [])]),
      agreementOf(subject.service),
    );

/**
 * Computes the result of a change, and checks it. A change that changes nothing is not checked against the database.
 * @throws InvalidParameters, FeatureNeedsOthers, and the same errors as an order of the product
 */
export async function checkedChange(
  reads: ProductReads,
  subject: ChangeableService,
  before: Agreement,
  patch: ServicePatch,
): Promise<PlannedChange> {
  const { product, offer } = subject;
  checkPatch(product, offer, before.terms, patch);
  const plan = planChange(product, offer, before, patch);
  if (Object.keys(plan.changes).length > 0) await checkChange(reads, subject, plan.terms, patch);
  return plan;
}

/**
 * Checks that another change of the service is allowed.
 * @throws AlreadyScaling, TooManyChanges
 */
export function checkRoom({ id }: Service, open: readonly ServiceChange[], kind: ServiceChangeKind, isLater: boolean): void {
  const scheduled = open.find((change) => change.kind === ServiceChangeKind.SCALING && !isDue(change));
  if (kind === ServiceChangeKind.SCALING && isLater && scheduled) throw new AlreadyScaling(scheduled);
  if (open.length >= MAX_OPEN) throw new TooManyChanges(id, MAX_OPEN);
}

/**
 * Returns a function that computes the patch for an input with terms and features. The patch depends on the features
 * that are switched on before the change.
 */
export function changePatch({ bandwidth, features, ...others }: ServiceChangeInput): (before: Agreement) => ServicePatch {
  const patch = { ...definedOnly(others), ...(bandwidth && { bandwidthMbps: mbpsOf(bandwidth) }) } as ServicePatch;
  return ({ terms }) => ({ ...patch, ...(features && featurePatch(terms.features, features)) });
}

/**
 * Returns the patch of a selection of features. A selection that is a list replaces the present features. A selection that is an object
 * switches single features on or off, and keeps the others.
 */
export function featurePatch(present: readonly string[], selection: FeatureSelection): ServicePatch {
  if (Array.isArray(selection)) return { features: [...(selection as readonly string[])] };
  const switched = selection as Readonly<Record<string, boolean>>;
  return { features: withSwitched(present, switched), switched };
}
