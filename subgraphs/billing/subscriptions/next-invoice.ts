import { IsolationLevel } from '@mikro-orm/core';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { BillingAccount } from '../accounts/billing-account.entity.ts';
import { localDay } from '../calculation/billing-periods.ts';
import type { Customer } from '../customers/customer.ts';
import { defaultDueDate, draftInvoice, type LineDraft } from '../invoices/invoice-issue.ts';
import { totalAmount } from '../invoices/invoice-pricing.ts';
import type { IssuedInvoice } from '../invoices/issued-invoice.ts';
import { LineKind } from '../invoices/line-kind.ts';
import { AccountBalance } from '../ledger/account-balance.entity.ts';
import { unbilledServices } from '../usage/metered-lines.store.ts';
import { UsageForecast } from '../usage/usage-forecast.ts';
import { BILLABLE, dueOf, serviceOf } from './account-subscriptions.ts';
import { chargeLine } from './charge-line.ts';
import { dueDayOf } from './due-day.ts';
import { takeLateUsage } from './late-usage.ts';
import { nextCharge, type PeriodTerms } from './next-charge.ts';
import { BillingSubscription } from './subscription.entity.ts';
import { ItemState, SubscriptionKind, SubscriptionStatus } from './subscription.states.ts';
import { SubscriptionCharge } from './subscription-charge.entity.ts';
import { SubscriptionItem } from './subscription-item.entity.ts';
import { usageLines } from './usage-lines.ts';

/** The next invoice that the recurring run is expected to issue for an account. */
export interface NextInvoiceEstimate {
  date: Date;
  /** Sum of all lines and of the taxes, in `currency`. */
  estimate: Decimal;
  currency: string;
}

/** Maximum number of due days without an amount that the estimate skips. A free service has only days without an amount. */
const DAYS_MAX = 40;
/** Options to load copies of records. Changes of the copies by the estimate are not stored. */
const COPIES = { disableIdentityMap: true } as const;

/**
 * Estimates the next invoice of an account from the data of today. It reads a snapshot of the database, so it neither waits for other
 * transactions nor blocks them. Returns null if no service is billed regularly.
 */
export const estimateNextInvoice = (em: EntityManager, customer: Customer): Promise<NextInvoiceEstimate | null> =>
  withForecast(em, customer, async (forecast) => {
    const next = await forecast.next(null);
    return next && { date: next.date, estimate: next.issued.invoice.amount, currency: next.issued.invoice.currency };
  });

/**
 * Returns the invoices of an account until `end`, computed from a snapshot of the database. If `isFirstOnly` is true, returns only the invoices of
 * the first due time that has invoices. The credit that the account has now pays the invoices. Credit notes that a change of the subscription would
 * cause are not computed.
 */
export const forecastInvoices = (
  em: EntityManager,
  customer: Customer,
  { end, isFirstOnly }: { end: Date; isFirstOnly: boolean },
): Promise<IssuedInvoice[]> =>
  withForecast(em, customer, async (forecast) => {
    const invoices: IssuedInvoice[] = [];
    let until = end;
    for (let next = await forecast.next(until); next; next = await forecast.next(until)) {
      invoices.push(next.issued);
      if (isFirstOnly) until = next.date;
    }
    return invoices;
  });

const withForecast = <T>(em: EntityManager, customer: Customer, act: (forecast: Forecast) => Promise<T>): Promise<T> =>
  em.transactional(
    async (tx) => {
      const { accountId, timezone: zone } = customer;
      const account = await tx.findOne(BillingAccount, { accountId }, COPIES);
      const subscriptions = await tx.find(BillingSubscription, { accountId, billDueAt: { $ne: null } }, COPIES);
      const ids = subscriptions.map(({ id }) => id);
      const pending = await tx.find(SubscriptionCharge, { subscriptionId: { $in: ids }, billedAt: null }, COPIES);
      // an item that has ended can have a charge that is still to be billed
      const charged = { id: { $in: pending.map(({ itemId }) => itemId) } };
      const items = await tx.find(SubscriptionItem, { $or: [{ subscriptionId: { $in: ids }, ...BILLABLE }, charged] }, COPIES);
      const terms = { zone, billingDay: account?.billingDay ?? null };
      const balances = await tx.find(AccountBalance, { accountId }, COPIES);
      const credits = new Map(balances.map(({ currency, credit }) => [currency, credit]));
      return act(new Forecast(tx, { customer, terms, subscriptions, items, pending, credits }));
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ, readOnly: true, clear: true },
  );

interface Known {
  customer: Customer;
  terms: PeriodTerms;
  subscriptions: BillingSubscription[];
  items: SubscriptionItem[];
  pending: SubscriptionCharge[];
  /** Credit of the account by currency. */
  credits: Map<string, Decimal>;
}

/** A copy of an account's subscriptions in memory, with which `DueBilling` computes the invoices of the recurring run. */
class Forecast {
  readonly #charged = new Set<SubscriptionCharge>();
  readonly #metered: UsageForecast;
  #used: Set<string> | undefined;

  constructor(
    private readonly tx: EntityManager,
    private readonly known: Known,
  ) {
    this.#metered = new UsageForecast(tx);
  }

  /** Returns the next invoice, at the latest at `end`. Null if there is none. Each call continues after the invoice of the call before. */
  async next(end: Date | null): Promise<{ date: Date; issued: IssuedInvoice } | null> {
    const { items } = this.known;
    this.#used ??= await unbilledServices(
      this.tx,
      items.map(({ organizationId, serviceId }) => ({ organizationId, serviceId })),
    );
    for (let days = 0; days < DAYS_MAX; days += 1) {
      const due = this.#earliest();
      if (!due || (end && due.date > end)) return null;
      const lines = await this.#bill(due.subscription);
      if (totalAmount(lines, due.subscription.currency).greaterThan(0)) return { date: due.date, issued: await this.#priced(due, lines) };
    }
    return null;
  }

  #earliest(): { subscription: BillingSubscription; date: Date } | undefined {
    const dates = this.known.subscriptions.flatMap((subscription) => {
      const date = dueOf(this.#itemsOf(subscription), this.#pendingOf(subscription));
      return date ? [{ subscription, date }] : [];
    });
    return dates.toSorted((one, other) => one.date.getTime() - other.date.getTime())[0];
  }

  /** Bills the earliest due day of a subscription, and returns the lines of its invoice. */
  async #bill(subscription: BillingSubscription): Promise<LineDraft[]> {
    const { zone } = this.known.terms;
    const day = dueDayOf(this.#itemsOf(subscription), this.#pendingOf(subscription), zone);
    const { planned = [], active = [], ended = [] } = day.items;
    const charged: LineDraft[] = [];
    const lines: LineDraft[] = [];
    // charges of a service that returns to the automatic subscription are billed here for the last time
    const pending = this.#pendingOf(subscription);
    for (const item of ended) lines.push(...(await this.#usage(item, subscription, takeLateUsage(item, zone))));
    for (const item of planned) lines.push(...(await this.#takeOver(item, subscription)));
    for (const item of active) lines.push(...(await this.#renew(item, subscription)));
    const charges = new Set([...pending, ...this.#pendingOf(subscription)]);
    for (const charge of [...charges].filter((one) => !this.#charged.has(one) && day.hasCharge(one))) {
      const item = this.known.items.find(({ id }) => id === charge.itemId) as SubscriptionItem;
      this.#charged.add(charge);
      if (charge.kind === LineKind.RECURRING) lines.push(...(await this.#usage(item, subscription, charge.fromAt)));
      if (!item.isOfAccount) charged.push(chargeLine(charge, item, subscription.currency));
    }
    return [...charged, ...lines];
  }

  async #renew(item: SubscriptionItem, subscription: BillingSubscription): Promise<LineDraft[]> {
    const isLast = item.periodStart !== null && !item.autoRenew;
    if (!isLast && subscription.status === SubscriptionStatus.ACTIVE) {
      this.#charge(item);
      return [];
    }
    const end = item.billedUntil;
    const lines = await this.#usage(item, subscription, end);
    this.#begin(item, this.#automatic(subscription), { billingCycle: item.serviceCycle, autoRenew: true, startsAt: end });
    return lines;
  }

  async #takeOver(item: SubscriptionItem, subscription: BillingSubscription): Promise<LineDraft[]> {
    const before = this.known.items.find(({ serviceId, state }) => serviceId === item.serviceId && state === ItemState.ACTIVE);
    if (!before) {
      item.state = ItemState.ENDED;
      return [];
    }
    const at = new Date(Math.max(item.startsAt.getTime(), before.startsAt.getTime()));
    const lines = await this.#usage(before, subscription, at);
    while (before.billedUntil < at) this.#charge(before);
    before.state = ItemState.ENDED;
    for (const charge of this.known.pending.filter(({ itemId }) => itemId === before.id)) {
      charge.subscriptionId = subscription.id;
      if (charge.fromAt >= at) this.#charged.add(charge);
      else if (charge.toAt > at) charge.toAt = at;
    }
    Object.assign(item, serviceOf(before), { meteredUntil: before.meteredUntil });
    this.#begin(item, subscription, { billingCycle: item.billingCycle, autoRenew: item.autoRenew, startsAt: at });
    this.#charge(item);
    return lines;
  }

  /** Makes a subscription bill an item from `startsAt` on. */
  #begin(
    item: SubscriptionItem,
    { id }: BillingSubscription,
    terms: Pick<SubscriptionItem, 'billingCycle' | 'autoRenew' | 'startsAt'>,
  ): void {
    const { startsAt } = terms;
    const anchor = localDay(startsAt, this.known.terms.zone);
    Object.assign(item, terms, {
      state: ItemState.ACTIVE,
      subscriptionId: id,
      anchor,
      months: 0,
      periodStart: null,
      billedUntil: startsAt,
    });
    for (const charge of this.known.pending) if (charge.itemId === item.id) charge.subscriptionId = id;
  }

  #charge(item: SubscriptionItem): void {
    this.known.pending.push(nextCharge(item, this.known.terms, item.billedUntil));
  }

  async #usage(item: SubscriptionItem, { currency }: BillingSubscription, end: Date): Promise<LineDraft[]> {
    if (!this.#used?.has(item.serviceId)) return [];
    const { zone } = this.known.terms;
    return usageLines((of) => this.#metered.bill(of), item, { currency, zone, end });
  }

  #automatic({ currency, organizationId, accountId }: BillingSubscription): BillingSubscription {
    const { subscriptions } = this.known;
    const { AUTOMATIC: kind } = SubscriptionKind;
    const { ACTIVE: status } = SubscriptionStatus;
    const found = subscriptions.find((one) => one.kind === kind && one.status === status && one.currency === currency);
    if (found) return found;
    const created = Object.assign(new BillingSubscription(), { id: `${kind} ${currency}`, kind, currency, organizationId, accountId });
    subscriptions.push(created);
    return created;
  }

  #itemsOf({ id }: BillingSubscription): SubscriptionItem[] {
    return this.known.items.filter(({ subscriptionId }) => subscriptionId === id);
  }

  #pendingOf({ id }: BillingSubscription): SubscriptionCharge[] {
    return this.known.pending.filter((charge) => charge.subscriptionId === id && !this.#charged.has(charge));
  }

  async #priced({ subscription, date }: { subscription: BillingSubscription; date: Date }, lines: LineDraft[]): Promise<IssuedInvoice> {
    const { organizationId, currency } = subscription;
    const draft = {
      organizationId,
      customer: this.known.customer,
      currency,
      dueDate: defaultDueDate(date),
      notes: null,
      source: null,
      lines,
    };
    const issued = await draftInvoice(this.tx, draft, date);
    const { invoice } = issued;
    const { credits } = this.known;
    const credit = credits.get(currency) ?? new Decimal(0);
    invoice.creditApplied = Decimal.min(credit, invoice.amount);
    credits.set(currency, credit.minus(invoice.creditApplied));
    return issued;
  }
}
