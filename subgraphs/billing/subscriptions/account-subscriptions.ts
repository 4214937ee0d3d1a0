import { record } from '../../../kernel/events/outbox.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { readRecords } from '../../../kernel/records/read-records.ts';
import type { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import type { Decimal } from '../../../kernel/values/money.ts';
import { localDay } from '../calculation/billing-periods.ts';
import { CreditCause } from '../credits/credit-note.states.ts';
import { LineKind } from '../invoices/line-kind.ts';
import type { AccountBilling } from './account-billing.ts';
import { BillingSubscription } from './subscription.entity.ts';
import {
  EVENT_ITEMS_MAX,
  type Subscribed,
  subscriptionCancelled,
  subscriptionCreated,
  subscriptionUpdated,
} from './subscription.events.ts';
import { ItemState, SubscriptionKind, SubscriptionStatus } from './subscription.states.ts';
import { SubscriptionCharge } from './subscription-charge.entity.ts';
import { SubscriptionItem } from './subscription-item.entity.ts';
import { outlookOf, USAGE_WAIT_MS } from './subscription-outlook.ts';

const LIVE = { $ne: ItemState.ENDED } as const;
/** Condition for items that the recurring run must bill now or later. */
export const BILLABLE = { $or: [{ state: LIVE }, { lateUsageDueAt: { $ne: null } }] };

/** A service with the fields that a subscription item bills. */
export interface BilledService {
  serviceId: string;
  name: string;
  category: string;
  serviceCycle: BillingCycle;
  price: Decimal;
  pricedAt: Date;
}

/** Creates and ends the subscriptions of one account, and moves services between these subscriptions, within one transaction. */
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
    const { subscription, items } = await this.joinAll([{ service, start }], currency);
    return { subscription, item: items[0] as SubscriptionItem };
  }

  /**
   * Adds services to the automatic subscription. Each of them is charged from its `start` on. With `charge`, its first period is charged at
   * once, so that the event about the subscription contains this period. There is one event about all of these services.
   */
  async joinAll(
    joining: readonly { service: BilledService; start: Date }[],
    currency: string,
    { charge = false }: { charge?: boolean } = {},
  ): Promise<{ subscription: BillingSubscription; items: SubscriptionItem[]; charges: SubscriptionCharge[] }> {
    const [first] = joining;
    if (!first) throw new Error('There is no service to add.');
    const { subscription, isNew } = await this.automatic(currency, first.start);
    const items = joining.map(({ service, start: startsAt }) => {
      const item = this.newItem(subscription, service, { billingCycle: service.serviceCycle, autoRenew: true, startsAt });
      item.state = ItemState.ACTIVE;
      return item;
    });
    const charges = charge ? items.map((item) => this.billing.charge(item)) : [];
    await (isNew ? this.created(subscription) : this.updated(subscription));
    return { subscription, items, charges };
  }

  /** Creates a planned subscription item. */
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
    await this.billing.close(item, at, CreditCause.PRORATION);
    // before the new item, because only one item of a service may be active
    await this.billing.tx.flush();
    const { subscription, item: next } = await this.join(serviceOf(item), currency, at);
    // usage that was not billed yet goes along with the service
    next.meteredUntil = item.meteredUntil;
    await this.movePending(item, subscription);
    await this.reschedule(subscription);
  }

  /** Moves the pending charges of an ended item to another subscription, which bills the charges. */
  async movePending({ id: itemId }: SubscriptionItem, { id: subscriptionId }: BillingSubscription): Promise<void> {
    for (const charge of await this.pendingOf(itemId)) charge.subscriptionId = subscriptionId;
  }

  async pendingOf(itemId: string): Promise<SubscriptionCharge[]> {
    const { tx } = this.billing;
    await tx.flush();
    return tx.find(SubscriptionCharge, { itemId, billedAt: null }, { orderBy: { fromAt: 'asc' } });
  }

  /** Sets the time at which the recurring run must process a subscription again. Ends a subscription that has no services. */
  async reschedule(subscription: BillingSubscription): Promise<void> {
    const { tx, now } = this.billing;
    await tx.flush();
    const { live, billDueAt } = await outlookOf(tx, subscription);
    subscription.billDueAt = billDueAt;
    if (live > 0 || subscription.status === SubscriptionStatus.CANCELLED) return;
    subscription.cancel(now, now);
    await record(tx, subscriptionCancelled(await this.#subscribed(subscription), 'All services have ended.'));
  }

  async created(subscription: BillingSubscription): Promise<void> {
    const { tx } = this.billing;
    await record(tx, subscriptionCreated(await this.#subscribed(subscription)));
  }

  /** Records that the services or the terms of a subscription changed. */
  async updated(subscription: BillingSubscription): Promise<void> {
    const { tx, now } = this.billing;
    subscription.revise(now);
    await record(tx, subscriptionUpdated(await this.#subscribed(subscription)));
  }

  /** Returns the data that an event about a subscription contains. */
  async #subscribed(subscription: BillingSubscription): Promise<Subscribed> {
    const { tx } = this.billing;
    await tx.flush();
    const { organizationId, id } = subscription;
    const newest = `where r."organization_id" = ? and r."subscription_id" = ? and r."state" <> ?
      order by r."created_at" desc, r."id" desc limit ${EVENT_ITEMS_MAX}`;
    const items = (await readRecords(tx, SubscriptionItem, newest, [organizationId, id, ItemState.ENDED])).reverse();
    if (items.length < EVENT_ITEMS_MAX) return { subscription, items };
    const { live, nextDate } = await outlookOf(tx, subscription);
    return { subscription, items, all: { count: live, nextDate } };
  }
}

export const serviceOf = ({ serviceId, name, category, serviceCycle, price, pricedAt }: SubscriptionItem): BilledService => ({
  ...{ serviceId, name, category, serviceCycle, price, pricedAt },
});

/** Returns the earliest time at which one of these items or pending charges must be billed. Null if none must be billed. */
export function dueOf(items: readonly SubscriptionItem[], pending: readonly SubscriptionCharge[]): Date | null {
  const times = [
    ...items.flatMap(({ state, dueAt, periodStart, startsAt }) => {
      if (state === ItemState.PLANNED) return startsAt.getTime();
      return dueAt ? dueAt.getTime() + (periodStart ? USAGE_WAIT_MS : 0) : [];
    }),
    // a period that a change charged before the run has come to it; changes wait for the next period
    ...pending.filter(({ kind }) => kind === LineKind.RECURRING).map(({ fromAt }) => fromAt.getTime()),
  ];
  return times.length > 0 ? new Date(Math.min(...times)) : null;
}
