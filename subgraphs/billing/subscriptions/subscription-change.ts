import { definedOnly, orNotFound } from '../../../kernel/records/records.ts';
import type { BillingSubscription } from './subscription.entity.ts';
import { AutomaticSubscription, SubscriptionEnded } from './subscription.errors.ts';
import type { SubscriptionUpdateInput } from './subscription.inputs.ts';
import { SubscriptionKind, SubscriptionStatus } from './subscription.states.ts';
import type { SubscriptionItem } from './subscription-item.entity.ts';

/**
 * Changes the terms of a subscription and its live items.
 * @throws ResourceNotFound for a service that the subscription does not bill
 * @throws SubscriptionEnded for a cancelled subscription, unless the change undoes the cancellation
 * @throws AutomaticSubscription if an automatic subscription would no longer bill a service
 */
export function changeTerms(
  subscription: BillingSubscription,
  items: readonly SubscriptionItem[],
  { autoRenew, services = [], status, ...terms }: SubscriptionUpdateInput,
  now: Date,
): void {
  const { id, kind } = subscription;
  if (subscription.status === SubscriptionStatus.CANCELLED) {
    if (status !== SubscriptionStatus.ACTIVE || items.length === 0)
      throw new SubscriptionEnded(id, SubscriptionStatus.ACTIVE, items.length === 0);
    subscription.resume(now);
  }
  for (const { serviceId } of services)
    orNotFound(
      items.find((item) => item.serviceId === serviceId),
      'service',
      serviceId,
    );
  const isEnding = autoRenew === false || services.some((one) => one.autoRenew === false);
  if (isEnding && kind === SubscriptionKind.AUTOMATIC) throw new AutomaticSubscription(id);
  Object.assign(subscription, definedOnly(terms));
  for (const item of items) {
    const { serviceId: _, ...own } = services.find(({ serviceId }) => serviceId === item.serviceId) ?? { serviceId: '' };
    Object.assign(item, definedOnly({ autoRenew }), definedOnly(own));
  }
}
