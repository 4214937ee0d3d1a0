import type { EntityManager } from '../../../kernel/database/database.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { monthsOf } from '../../../kernel/values/billing-cycle.ts';
import type { Decimal } from '../../../kernel/values/money.ts';
import { CreditCause } from '../credits/credit-note.states.ts';
import { atMostLeft, issueCreditNote } from '../credits/credit-notes.ts';
import type { Customer } from '../customers/customer.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { invoiceGenerated } from '../invoices/invoice.events.ts';
import { InvoiceStatus } from '../invoices/invoice.states.ts';
import { defaultDueDate, issueInvoice, type LineDraft, payIfNothingIsDue } from '../invoices/invoice-issue.ts';
import { totalAmount } from '../invoices/invoice-pricing.ts';
import type { IssuedInvoice } from '../invoices/issued-invoice.ts';
import { LineKind } from '../invoices/line-kind.ts';
import { markBilled } from '../usage/metered-lines.store.ts';
import { meteredLines } from '../usage/metered-lines.ts';
import { amountOf, chargeLine } from './charge-line.ts';
import { nextPeriod } from './next-period.ts';
import type { BillingSubscription } from './subscription.entity.ts';
import { ItemState } from './subscription.states.ts';
import { SubscriptionCharge } from './subscription-charge.entity.ts';
import type { SubscriptionItem } from './subscription-item.entity.ts';

/** The account whose subscriptions a transaction changes. The transaction has its lock (`account-lock.ts`). */
export interface BilledAccount {
  organizationId: string;
  customer: Customer;
  /** Day of the month on which all periods of the account start. Null: each service has its own day. */
  billingDay: number | null;
}

/** What an invoice has beside charges, and what it bills. */
export interface Bill {
  subscription: BillingSubscription;
  charges: readonly { charge: SubscriptionCharge; item: SubscriptionItem }[];
  /** Lines that are no charges, such as metered usage. */
  more?: readonly LineDraft[];
  /** Id of the event that caused the invoice. Default: the first charge. */
  source?: string;
}

/** Charges the items of an account, credits what must not be charged any more, and issues invoices. It works in one transaction. */
export class AccountBilling {
  /** The invoices that were issued, in order. */
  readonly issued: IssuedInvoice[] = [];

  constructor(
    readonly tx: EntityManager,
    readonly account: BilledAccount,
    readonly now: Date,
  ) {}

  get zone(): string {
    return this.account.customer.timezone;
  }

  /** Charges the next period of an item. The charge is pending until an invoice has it. */
  charge(item: SubscriptionItem): SubscriptionCharge {
    const { tx, zone, now, account } = this;
    const { period, from, anchor, months } = nextPeriod(item, zone, account.billingDay);
    Object.assign(item, { anchor, months, periodStart: from, billedUntil: period.end });
    const { id: itemId, organizationId, accountId, subscriptionId, price, pricedAt, billingCycle } = item;
    const charge = Object.assign(new SubscriptionCharge(), { id: newId('subscriptionCharge'), organizationId, accountId, subscriptionId });
    Object.assign(charge, { itemId, kind: LineKind.RECURRING, price, pricedAt, months: monthsOf(billingCycle), timezone: zone });
    Object.assign(charge, { periodStart: period.start, periodEnd: period.end, fromAt: from, toAt: period.end, createdAt: now });
    tx.persist(charge);
    return charge;
  }

  /** Charges all periods of an item that begin before `at`, if the recurring run has not done it yet. */
  chargeUntil(item: SubscriptionItem, at: Date): void {
    while (item.state === ItemState.ACTIVE && item.billedUntil < at) this.charge(item);
  }

  /**
   * Changes the price of an item from `at` on, until the next known change. What is invoiced is credited, what is pending is
   * shortened, and the new price is charged with the next invoice. Changes can be reported in any order.
   */
  async reprice(item: SubscriptionItem, at: Date, price: Decimal): Promise<void> {
    // a change at the moment at which a period begins concerns this period
    this.chargeUntil(item, new Date(at.getTime() + 1));
    const affected = (await this.#chargesAfter(item, at)).filter(({ pricedAt }) => pricedAt < at);
    await this.#credit(
      item,
      affected.filter((charge) => !charge.price.equals(price)),
      at,
    );
    for (const charge of affected) this.#split(charge, at, price);
    if (item.pricedAt < at) Object.assign(item, { price, pricedAt: at });
  }

  /** Ends an item at `at`: what was charged beyond is credited or dropped. */
  async close(item: SubscriptionItem, at: Date): Promise<void> {
    this.chargeUntil(item, at);
    const charges = await this.#chargesAfter(item, at);
    await this.#credit(item, charges, at);
    for (const charge of charges) {
      if (charge.fromAt < at) charge.toAt = at;
      else this.tx.remove(charge);
    }
    Object.assign(item, { state: ItemState.ENDED, endedAt: at, billedUntil: at });
  }

  /** Ends an item that never began. */
  drop(item: SubscriptionItem): void {
    Object.assign(item, { state: ItemState.ENDED, endedAt: this.now });
  }

  /** Returns the lines for the metered usage of an item that was not billed yet, until `end`. It counts as billed then. */
  async usageOf(item: SubscriptionItem, currency: string, end: Date): Promise<LineDraft[]> {
    const { organizationId, serviceId, category, id: itemId, meteredUntil: start } = item;
    if (start >= end) return [];
    item.meteredUntil = end;
    const period = { start, end };
    const bill = await meteredLines(this.tx, { organizationId, serviceId, period, zone: this.zone, currency });
    await markBilled(this.tx, [bill]);
    return bill.lines.map(({ description, amount }) => ({
      ...{ serviceId, description, category, kind: LineKind.USAGE, itemId, period },
      ...{ quantity: 1, unitPrice: amount },
    }));
  }

  /** Issues an invoice for charges. If there is nothing to pay, the charges are settled without an invoice; returns null then. */
  async bill({ subscription, charges, more = [], source }: Bill): Promise<IssuedInvoice | null> {
    const { tx, now, account } = this;
    const { currency } = subscription;
    const lines = [...charges.map(({ charge, item }) => chargeLine(charge, item, currency)), ...more];
    for (const { charge } of charges) charge.billedAt = now;
    if (!totalAmount(lines, currency).greaterThan(0)) return null;
    const draft = { organizationId: account.organizationId, customer: account.customer, currency, subscriptionId: subscription.id };
    const cause = source ?? charges[0]?.charge.id ?? newId('subscriptionCharge');
    const issued = await issueInvoice(tx, { ...draft, dueDate: defaultDueDate(now), notes: null, source: cause, lines }, now);
    charges.forEach(({ charge }, position) => {
      Object.assign(charge, { invoiceId: issued.invoice.id, position });
    });
    await record(tx, invoiceGenerated(issued));
    await payIfNothingIsDue(tx, issued, now);
    this.issued.push(issued);
    return issued;
  }

  async #chargesAfter(item: SubscriptionItem, at: Date): Promise<SubscriptionCharge[]> {
    await this.tx.flush();
    return this.tx.find(SubscriptionCharge, { itemId: item.id, toAt: { $gt: at } }, { orderBy: { fromAt: 'asc' } });
  }

  /** Credits the share of invoiced charges from `at` on. All invoices are locked first, in the order of their ids. */
  async #credit(item: SubscriptionItem, charges: readonly SubscriptionCharge[], at: Date): Promise<void> {
    const { tx, now } = this;
    const invoiced = charges.filter(({ invoiceId }) => invoiceId !== null);
    const ids = [...new Set(invoiced.map(({ invoiceId }) => invoiceId as string))];
    if (ids.length === 0) return;
    await lockInvoiceNumbers(tx, item.organizationId);
    const invoices = await tx.find(Invoice, { id: { $in: ids } }, { ...LOCKED, orderBy: { id: 'asc' }, refresh: true });
    for (const invoice of invoices) {
      if (invoice.status === InvoiceStatus.CANCELLED) continue;
      const lines = invoiced
        .filter(({ invoiceId }) => invoiceId === invoice.id)
        .map((charge) => ({ position: charge.position as number, net: amountOf(charge, invoice.currency, at) }))
        .filter(({ net }) => net.greaterThan(0));
      const left = await atMostLeft(tx, invoice, lines);
      if (left.length > 0) await issueCreditNote(tx, { invoice, cause: CreditCause.PRORATION, lines: left }, now);
    }
  }

  /** Charges the part of a charge from `at` on at another price. Its own part ends at `at`. */
  #split(charge: SubscriptionCharge, at: Date, price: Decimal): void {
    const isSame = charge.price.equals(price);
    const isPending = charge.billedAt === null;
    // a part at the same price stays on its invoice; it is separate, because a change before it may be reported later
    const changed = isSame ? { pricedAt: at } : { pricedAt: at, price, ...(isPending ? {} : UNBILLED) };
    if (charge.fromAt >= at) {
      Object.assign(charge, changed);
      return;
    }
    const kind = isSame ? charge.kind : LineKind.PRORATION;
    const part = Object.assign(copyOf(charge), changed, { fromAt: at, kind });
    charge.toAt = at;
    this.tx.persist(part);
  }
}

const COPIED = [
  ...(['organizationId', 'accountId', 'subscriptionId', 'itemId', 'price', 'months', 'pricedAt', 'periodStart', 'periodEnd'] as const),
  ...(['toAt', 'timezone', 'billedAt', 'invoiceId', 'position', 'createdAt'] as const),
];

const copyOf = (charge: SubscriptionCharge): SubscriptionCharge =>
  Object.assign(new SubscriptionCharge(), Object.fromEntries(COPIED.map((name) => [name, charge[name]])), {
    id: newId('subscriptionCharge'),
  });

/** A charge whose invoice was credited, so that it is charged again. */
const UNBILLED = { kind: LineKind.PRORATION, billedAt: null, invoiceId: null, position: null } as const;

/**
 * Locks the counter of invoice numbers. A transaction that credits invoices and issues others locks it first, in the order of
 * all transactions that issue invoices: the number, and then the balance of the account.
 */
async function lockInvoiceNumbers(tx: EntityManager, organizationId: string): Promise<void> {
  await tx.execute('select 1 from "billing"."invoice_counter" where "organization_id" = ? for update', [organizationId]);
}
