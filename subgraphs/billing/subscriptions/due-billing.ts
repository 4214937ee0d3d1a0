import { orNotFound } from '../../../kernel/records/records.ts';
import { CreditCause } from '../credits/credit-note.states.ts';
import type { LineDraft } from '../invoices/invoice-issue.ts';
import { LineKind } from '../invoices/line-kind.ts';
import type { Metered } from '../usage/metered-lines.ts';
import type { UsageBilling } from '../usage/usage-billing.ts';
import { type AccountBilling, type Bill, issueBills } from './account-billing.ts';
import { type AccountSubscriptions, dueOf, serviceOf } from './account-subscriptions.ts';
import { type DueDay, dueDayOf } from './due-day.ts';
import { BillingSubscription } from './subscription.entity.ts';
import { ItemState, SubscriptionStatus } from './subscription.states.ts';
import type { SubscriptionCharge } from './subscription-charge.entity.ts';
import { SubscriptionItem } from './subscription-item.entity.ts';

/** Largest number of lines of one invoice. Further lines are on further invoices. */
const LINES_MAX = 500;

/** A subscription with its billable items and pending charges, as read in the transaction. */
export interface Loaded {
  subscription: BillingSubscription;
  items: readonly SubscriptionItem[];
  pending: readonly SubscriptionCharge[];
}

/**
 * Bills the earliest local day on which a subscription has something to bill. Planned items take over their services, the next periods are
 * charged, and usage that arrived after the end of its service is billed. One invoice contains all of it. Days that the recurring run
 * missed are billed one by one.
 */
export const billDueDay = (subscriptions: AccountSubscriptions, loaded: Loaded): Promise<void> => billDueDays([{ subscriptions, loaded }]);

/**
 * Bills the earliest due day of several accounts of one organization in one transaction, as `billDueDay` does for one account. If the
 * `AccountBilling` of an account has a shared `usage`, it bills the metered usage of all accounts together.
 */
export async function billDueDays(
  due: readonly { subscriptions: AccountSubscriptions; loaded: Loaded }[],
  usage?: UsageBilling,
): Promise<void> {
  const days: DueBilling[] = [];
  for (const { subscriptions, loaded } of due) {
    const { subscription, items, pending } = loaded;
    const at = dueOf(items, pending);
    if (at && at <= subscriptions.billing.now) days.push(new DueBilling(subscriptions, loaded));
    else subscription.billDueAt = at;
  }
  if (usage) await usage.prepare(days.flatMap((day) => day.metered));
  const bills: { billing: AccountBilling; bill: Bill }[] = [];
  for (const day of days) for (const bill of await day.bills()) bills.push({ billing: day.billing, bill });
  await usage?.mark();
  await issueBills(bills);
  for (const day of days) await day.reschedule();
}

class DueBilling {
  readonly #charged: SubscriptionCharge[] = [];
  /** True if items began or ended, so that the subscription must be loaded again. */
  #hasMoved = false;
  readonly #more: LineDraft[] = [];
  readonly #items: Map<string, SubscriptionItem>;
  readonly #day: DueDay;

  constructor(
    private readonly subscriptions: AccountSubscriptions,
    private readonly loaded: Loaded,
  ) {
    this.#items = new Map(loaded.items.map((item) => [item.id, item]));
    this.#day = dueDayOf(loaded.items, loaded.pending, subscriptions.billing.zone);
  }

  get billing(): AccountBilling {
    return this.subscriptions.billing;
  }

  /** The items and times whose metered usage will probably be billed: items whose next period begins, and ended items. */
  get metered(): Metered[] {
    const { active = [], ended = [] } = this.#day.items;
    const { zone } = this.billing;
    return [...active, ...ended].flatMap(({ serviceId, meteredUntil: start, dueAt: end }) =>
      end && start < end ? [{ serviceId, period: { start, end }, zone }] : [],
    );
  }

  /** Charges the due items, and returns the bills to invoice. */
  async bills(): Promise<Bill[]> {
    const { subscription, pending } = this.loaded;
    const { billing } = this;
    const day = this.#day;
    // taking over charges the first period, so these items are not renewed as well
    const { planned = [], active = [], ended = [] } = day.items;
    for (const item of ended) this.#more.push(...(await billing.lateUsageOf(item, subscription.currency)));
    for (const item of planned) await this.#takeOver(item);
    for (const item of active) await this.#renew(item);
    const charges = [...pending, ...this.#charged].filter(day.hasCharge);
    // usage has the periods of the item: a change of the price within a period does not end one
    for (const charge of charges.filter(({ kind }) => kind === LineKind.RECURRING)) {
      const item = await this.#itemOf(charge);
      this.#more.push(...(await billing.usageOf(item, subscription.currency, charge.fromAt)));
    }
    const lines = await Promise.all(charges.map(async (charge) => ({ charge, item: await this.#itemOf(charge) })));
    const bills: Bill[] = [];
    for (let first = 0; first === 0 || first < lines.length; first += LINES_MAX)
      bills.push({ subscription, charges: lines.slice(first, first + LINES_MAX), more: first === 0 ? this.#more : [] });
    return bills;
  }

  /** Sets the time at which the subscription must be billed next. Call it after its invoices were issued. */
  async reschedule(): Promise<void> {
    const { subscription, items, pending } = this.loaded;
    if (this.#hasMoved) return this.subscriptions.reschedule(subscription);
    const unbilled = [...pending, ...this.#charged].filter(({ billedAt }) => billedAt === null);
    subscription.billDueAt = dueOf(items, unbilled);
  }

  /** Charges the next period of an item, or ends the item if its service or subscription has ended. */
  async #renew(item: SubscriptionItem): Promise<void> {
    const { billing } = this;
    const { subscription } = this.loaded;
    const isLast = item.periodStart !== null && !item.autoRenew;
    if (!isLast && subscription.status === SubscriptionStatus.ACTIVE) {
      this.#charged.push(billing.charge(item));
      return;
    }
    this.#hasMoved = true;
    const end = item.billedUntil;
    this.#more.push(...(await billing.usageOf(item, subscription.currency, end)));
    await this.subscriptions.giveBack(item, subscription.currency, end);
  }

  /** Starts a planned item, and ends the item that billed the service before. */
  async #takeOver(item: SubscriptionItem): Promise<void> {
    const { billing } = this;
    const { tx } = billing;
    const { subscription } = this.loaded;
    this.#hasMoved = true;
    const before = await tx.findOne(SubscriptionItem, { serviceId: item.serviceId, state: ItemState.ACTIVE });
    if (!before) {
      billing.drop(item);
      return;
    }
    // the item before may have begun later on the same day, and what was billed until then must not be billed again
    const at = new Date(Math.max(item.startsAt.getTime(), before.startsAt.getTime()));
    this.#more.push(...(await billing.usageOf(before, subscription.currency, at)));
    await billing.close(before, at, CreditCause.PRORATION);
    await tx.flush();
    const { meteredUntil } = before;
    Object.assign(item, serviceOf(before), { state: ItemState.ACTIVE, startsAt: at, billedUntil: at, meteredUntil });
    this.#charged.push(billing.charge(item), ...(await this.subscriptions.pendingOf(before.id)));
    this.#items.set(before.id, before);
    await this.subscriptions.movePending(before, subscription);
    const other = orNotFound(await tx.findOne(BillingSubscription, { id: before.subscriptionId }), 'billing_subscription', '');
    await this.subscriptions.updated(other);
    await this.subscriptions.reschedule(other);
  }

  async #itemOf({ itemId: id }: SubscriptionCharge): Promise<SubscriptionItem> {
    const item = this.#items.get(id) ?? (await this.subscriptions.billing.tx.findOneOrFail(SubscriptionItem, { id }));
    this.#items.set(id, item);
    return item;
  }
}
