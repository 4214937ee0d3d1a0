import { record } from '../../../kernel/events/outbox.ts';
import { newId } from '../../../kernel/records/ids.ts';
import type { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { HOUR_MS } from '../../../kernel/values/days.ts';
import type { Decimal } from '../../../kernel/values/money.ts';
import { localDay } from '../calculation/billing-periods.ts';
import { LineKind } from '../invoices/line-kind.ts';
import type { AccountBilling } from './account-billing.ts';
import { BillingSubscription } from './subscription.entity.ts';
import { subscriptionCancelled, subscriptionCreated, subscriptionUpdated } from './subscription.events.ts';
import { ItemState, SubscriptionKind, SubscriptionStatus } from './subscription.states.ts';
import { SubscriptionCharge } from './subscription-charge.entity.ts';
import { SubscriptionItem } from './subscription-item.entity.ts';

/** How long the run waits after a period, so that its metered usage has arrived. */
export const USAGE_WAIT_MS = HOUR_MS;
const LIVE = { $ne: ItemState.ENDED } as const;

/** A service as an item bills it. */
export interface BilledService {
  serviceId: string;
  name: string;
  category: string;
  serviceCycle: BillingCycle;
  price: Decimal;
  pricedAt: Date;
}

/** The subscriptions of one account within a transaction: opens and ends them, and moves services between them. */
export class AccountSubscriptions {
  constructor(readonly billing: AccountBilling) {}

  /** Returns the active automatic subscription of the account in a currency. Creates it if there is none. */
  async automatic(currency: string, startDate: Date): Promise<{ subscription: BillingSubscription; isNew: boolean }> {
    const { tx, account, now } = this.billing;
    const { organizationId, customer } = account;
    const { accountId } = customer;
    const { AUTOMATIC } = SubscriptionKind;
    await tx.flush();
    const found = await tx.findOne(BillingSubscription, { accountId, currency, kind: AUTOMATIC, status: SubscriptionStatus.ACTIVE });
    if (found) return { subscription: found, isNew: false };
    const subscription = Object.assign(new BillingSubscription(), { id: newId('subscription'), organizationId, accountId, currency });
    Object.assign(subscription, { kind: AUTOMATIC, startDate, createdAt: now, updatedAt: now });
    tx.persist(subscription);
    return { subscription, isNew: true };
  }

  /** Adds a service to the automatic subscription. It is charged from `start` on. */
  async join(
    service: BilledService,
    currency: string,
    start: Date,
  ): Promise<{ subscription: BillingSubscription; item: SubscriptionItem }> {
    const { subscription, isNew } = await this.automatic(currency, start);
    const item = this.newItem(subscription, service, { billingCycle: service.serviceCycle, autoRenew: true, startsAt: start });
    item.state = ItemState.ACTIVE;
    await (isNew ? this.created(subscription) : this.updated(subscription));
    return { subscription, item };
  }

  /** Creates a planned item. */
  newItem(
    { id: subscriptionId, organizationId, accountId }: BillingSubscription,
    service: BilledService,
    terms: { billingCycle: BillingCycle; autoRenew: boolean; startsAt: Date },
  ): SubscriptionItem {
    const { tx, now, zone } = this.billing;
    const item = Object.assign(new SubscriptionItem(), { id: newId('subscriptionItem'), organizationId, accountId, subscriptionId });
    const { startsAt } = terms;
    Object.assign(item, service, terms, { state: ItemState.PLANNED, anchor: localDay(startsAt, zone), createdAt: now });
    Object.assign(item, { billedUntil: startsAt, meteredUntil: startsAt });
    tx.persist(item);
    return item;
  }

  /** Ends an item of an agreed subscription at `at`. The automatic subscription bills the service from then on. */
  async giveBack(item: SubscriptionItem, currency: string, at: Date): Promise<void> {
    await this.billing.close(item, at);
    // before the new item, because only one item of a service may be active
    await this.billing.tx.flush();
    const { subscription } = await this.join(serviceOf(item), currency, at);
    await this.movePending(item, subscription);
    await this.reschedule(subscription);
  }

  /** Lets a subscription bill the pending charges of an item that ended in another one. */
  async movePending({ id: itemId }: SubscriptionItem, { id: subscriptionId }: BillingSubscription): Promise<void> {
    for (const charge of await this.pendingOf(itemId)) charge.subscriptionId = subscriptionId;
  }

  async pendingOf(itemId: string): Promise<SubscriptionCharge[]> {
    const { tx } = this.billing;
    await tx.flush();
    return tx.find(SubscriptionCharge, { itemId, billedAt: null }, { orderBy: { fromAt: 'asc' } });
  }

  /** Sets when the run must look at a subscription next. A subscription without services ends. */
  async reschedule(subscription: BillingSubscription): Promise<void> {
    const { tx, now } = this.billing;
    await tx.flush();
    const items = await tx.find(SubscriptionItem, { subscriptionId: subscription.id, state: LIVE });
    const pending = await tx.find(SubscriptionCharge, { subscriptionId: subscription.id, billedAt: null });
    subscription.billDueAt = dueOf(items, pending);
    if (items.length > 0 || subscription.status === SubscriptionStatus.CANCELLED) return;
    subscription.cancel(now, now);
    await record(tx, subscriptionCancelled({ subscription, items: await this.#liveItems(subscription) }, 'All services have ended.'));
  }

  async created(subscription: BillingSubscription): Promise<void> {
    const { tx } = this.billing;
    await record(tx, subscriptionCreated({ subscription, items: await this.#liveItems(subscription) }));
  }

  /** Records that the services or the terms of a subscription changed. */
  async updated(subscription: BillingSubscription): Promise<void> {
    const { tx, now } = this.billing;
    subscription.revise(now);
    await record(tx, subscriptionUpdated({ subscription, items: await this.#liveItems(subscription) }));
  }

  async #liveItems({ id: subscriptionId }: BillingSubscription): Promise<SubscriptionItem[]> {
    const { tx } = this.billing;
    await tx.flush();
    return tx.find(SubscriptionItem, { subscriptionId, state: LIVE }, { orderBy: { createdAt: 'asc', id: 'asc' } });
  }
}

export const serviceOf = ({ serviceId, name, category, serviceCycle, price, pricedAt }: SubscriptionItem): BilledService => ({
  ...{ serviceId, name, category, serviceCycle, price, pricedAt },
});

/** Returns when the next of these items or pending charges must be billed; null if there is none. */
export function dueOf(items: readonly SubscriptionItem[], pending: readonly SubscriptionCharge[]): Date | null {
  const times = [
    ...items.map(({ state, billedUntil, periodStart, startsAt }) => {
      if (state === ItemState.PLANNED) return startsAt.getTime();
      return billedUntil.getTime() + (periodStart ? USAGE_WAIT_MS : 0);
    }),
    // a period that a change charged before the run has come to it; changes wait for the next period
    ...pending.filter(({ kind }) => kind === LineKind.RECURRING).map(({ fromAt }) => fromAt.getTime()),
  ];
  return times.length > 0 ? new Date(Math.min(...times)) : null;
}
