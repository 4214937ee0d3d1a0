import { orNotFound } from '../../../kernel/records/records.ts';
import { localDay } from '../calculation/billing-periods.ts';
import type { LineDraft } from '../invoices/invoice-issue.ts';
import { LineKind } from '../invoices/line-kind.ts';
import { type AccountSubscriptions, dueOf, serviceOf } from './account-subscriptions.ts';
import { BillingSubscription } from './subscription.entity.ts';
import { ItemState, SubscriptionStatus } from './subscription.states.ts';
import type { SubscriptionCharge } from './subscription-charge.entity.ts';
import { SubscriptionItem } from './subscription-item.entity.ts';

/** Largest number of lines of one invoice. Further lines are on further invoices. */
const LINES_MAX = 500;

/** A subscription with its live items and pending charges, as the transaction has loaded them. */
export interface Loaded {
  subscription: BillingSubscription;
  items: readonly SubscriptionItem[];
  pending: readonly SubscriptionCharge[];
}

/**
 * Bills the earliest day on which something of a subscription is due: planned items take their services over, the next
 * periods are charged, and one invoice has all of it. Days that a run missed are billed one by one. Returns false if
 * nothing is due.
 */
export async function billDueDay(subscriptions: AccountSubscriptions, loaded: Loaded): Promise<boolean> {
  const { billing } = subscriptions;
  const { subscription, items, pending } = loaded;
  const due = dueOf(items, pending);
  if (!due || due > billing.now) {
    subscription.billDueAt = due;
    return false;
  }
  const day = new DueDay(subscriptions, loaded);
  await day.run();
  if (day.hasMoved) await subscriptions.reschedule(subscription);
  else
    subscription.billDueAt = dueOf(
      items,
      [...pending, ...day.charged].filter(({ billedAt }) => billedAt === null),
    );
  return true;
}

class DueDay {
  readonly charged: SubscriptionCharge[] = [];
  /** True if items began or ended, so that the subscription must be read again. */
  hasMoved = false;
  readonly #more: LineDraft[] = [];
  readonly #items: Map<string, SubscriptionItem>;
  readonly #day: string;

  constructor(
    private readonly subscriptions: AccountSubscriptions,
    private readonly loaded: Loaded,
  ) {
    const { items, pending } = loaded;
    this.#items = new Map(items.map((item) => [item.id, item]));
    const starts = [
      ...items.map(({ billedUntil }) => billedUntil.getTime()),
      ...pending.filter(({ kind }) => kind === LineKind.RECURRING).map(({ fromAt }) => fromAt.getTime()),
    ];
    this.#day = localDay(new Date(Math.min(...starts)), this.#zone);
  }

  get #zone(): string {
    return this.subscriptions.billing.zone;
  }

  async run(): Promise<void> {
    const { subscription, items, pending } = this.loaded;
    const { billing } = this.subscriptions;
    const due = items.filter(({ billedUntil }) => this.#isDue(billedUntil));
    for (const item of due.filter(({ state }) => state === ItemState.PLANNED)) await this.#takeOver(item);
    for (const item of due.filter(({ state }) => state === ItemState.ACTIVE)) await this.#renew(item);
    const charges = [...pending, ...this.charged].filter(({ kind, fromAt }) => kind === LineKind.PRORATION || this.#isDue(fromAt));
    for (const charge of charges) {
      const item = await this.#itemOf(charge);
      this.#more.push(...(await billing.usageOf(item, subscription.currency, charge.fromAt)));
    }
    const lines = await Promise.all(charges.map(async (charge) => ({ charge, item: await this.#itemOf(charge) })));
    for (let first = 0; first === 0 || first < lines.length; first += LINES_MAX)
      await billing.bill({ subscription, charges: lines.slice(first, first + LINES_MAX), more: first === 0 ? this.#more : [] });
  }

  /** Charges the next period of an item, or ends the item. */
  async #renew(item: SubscriptionItem): Promise<void> {
    const { billing } = this.subscriptions;
    const { subscription } = this.loaded;
    const isLast = item.periodStart !== null && !item.autoRenew;
    if (!isLast && subscription.status === SubscriptionStatus.ACTIVE) {
      this.charged.push(billing.charge(item));
      return;
    }
    this.hasMoved = true;
    const end = item.billedUntil;
    this.#more.push(...(await billing.usageOf(item, subscription.currency, end)));
    await this.subscriptions.giveBack(item, subscription.currency, end);
  }

  /** Begins a planned item: the item that bills the service until now ends. */
  async #takeOver(item: SubscriptionItem): Promise<void> {
    const { billing } = this.subscriptions;
    const { tx } = billing;
    const { subscription } = this.loaded;
    this.hasMoved = true;
    const before = await tx.findOne(SubscriptionItem, { serviceId: item.serviceId, state: ItemState.ACTIVE });
    if (!before) {
      billing.drop(item);
      return;
    }
    const at = item.startsAt;
    this.#more.push(...(await billing.usageOf(before, subscription.currency, at)));
    await billing.close(before, at);
    await tx.flush();
    Object.assign(item, serviceOf(before), { state: ItemState.ACTIVE });
    this.charged.push(billing.charge(item), ...(await this.subscriptions.pendingOf(before.id)));
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

  #isDue(time: Date): boolean {
    return localDay(time, this.#zone) <= this.#day;
  }
}
