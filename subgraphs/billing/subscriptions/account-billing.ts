import type { EntityManager } from '../../../kernel/database/database.ts';
import { recordAll } from '../../../kernel/events/outbox.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import type { Decimal } from '../../../kernel/values/money.ts';
import { CreditCause } from '../credits/credit-note.states.ts';
import { atMostLeft, issueCreditNote } from '../credits/credit-notes.ts';
import type { Customer } from '../customers/customer.ts';
import { type DocumentNumbers, numbersOf } from '../invoices/document-numbers.ts';
import { Invoice } from '../invoices/invoice.entity.ts';
import { invoiceGenerated } from '../invoices/invoice.events.ts';
import { InvoiceStatus } from '../invoices/invoice.states.ts';
import { defaultDueDate, type InvoiceDraft, issueInvoices, type LineDraft, payIfNothingIsDue } from '../invoices/invoice-issue.ts';
import { totalAmount } from '../invoices/invoice-pricing.ts';
import type { IssuedInvoice } from '../invoices/issued-invoice.ts';
import { LineKind } from '../invoices/line-kind.ts';
import { UsageBilling } from '../usage/usage-billing.ts';
import { amountOf, chargeLine } from './charge-line.ts';
import { awaitLateUsage, takeLateUsage } from './late-usage.ts';
import { nextCharge } from './next-charge.ts';
import { nextPeriod } from './next-period.ts';
import type { BillingSubscription } from './subscription.entity.ts';
import { ItemState } from './subscription.states.ts';
import { SubscriptionCharge } from './subscription-charge.entity.ts';
import type { SubscriptionItem } from './subscription-item.entity.ts';
import { usageLines } from './usage-lines.ts';

/** The account whose subscriptions a transaction changes. The transaction holds the lock of the account (`account-lock.ts`). */
export interface BilledAccount {
  organizationId: string;
  customer: Customer;
  /** Day of the month on which all periods of the account start. Null: each service has its own day. */
  billingDay: number | null;
}

/** Content of an invoice to issue. */
export interface Bill {
  subscription: BillingSubscription;
  charges: readonly { charge: SubscriptionCharge; item: SubscriptionItem }[];
  /** Further invoice lines, such as metered usage. */
  more?: readonly LineDraft[];
  /** Id of the event that caused the invoice. Default: the id of the first charge. */
  source?: string;
}

/** Cause of a credit note for a part of a period. */
type PeriodCreditCause = CreditCause.PRORATION | CreditCause.CANCEL;

/** Charges the items of an account, credits incorrect charges, and issues invoices, within one transaction. */
export class AccountBilling {
  /** The invoices that were issued, in the order of issue. */
  readonly issued: IssuedInvoice[] = [];

  readonly #usage: UsageBilling;

  /**
   * `batch` bills the usage of several accounts together, and marks it as billed before the invoices are issued. Default: the usage of each
   * bill is read and marked separately.
   */
  constructor(
    readonly tx: EntityManager,
    readonly account: BilledAccount,
    readonly now: Date,
    readonly numbers: DocumentNumbers = numbersOf(tx, account.organizationId),
    private readonly batch?: UsageBilling,
  ) {
    this.#usage = batch ?? new UsageBilling(tx, account.organizationId);
  }

  get zone(): string {
    return this.account.customer.timezone;
  }

  /** Charges the next period of an item. The charge is pending until an invoice contains it. */
  charge(item: SubscriptionItem): SubscriptionCharge {
    const { zone, now, account } = this;
    const charge = nextCharge(item, { zone, billingDay: account.billingDay }, now);
    this.tx.persist(charge);
    return charge;
  }

  /** Charges all periods of an item that begin before `at` and that the recurring run has not charged yet. */
  chargeUntil(item: SubscriptionItem, at: Date): void {
    while (item.state === ItemState.ACTIVE && item.billedUntil < at) this.charge(item);
  }

  /**
   * Changes the price of an item from `at` on, until the next known price change. Invoiced charges are credited from `at` on, pending
   * charges are shortened, and the next invoice charges the new price. Price changes can be reported in any order.
   */
  async reprice(item: SubscriptionItem, at: Date, price: Decimal): Promise<void> {
    // a change at the moment at which a period begins concerns this period
    this.chargeUntil(item, new Date(at.getTime() + 1));
    const affected = (await this.#chargesAfter(item, at)).filter(({ pricedAt }) => pricedAt < at);
    await this.#credit(
      affected.filter((charge) => !charge.price.equals(price)),
      at,
      CreditCause.PRORATION,
    );
    for (const charge of affected) this.#split(charge, at, price);
    if (item.pricedAt < at) Object.assign(item, { price, pricedAt: at });
  }

  /**
   * Ends an item at `at`. Charges for a later time are credited, or deleted if they are pending. The cause of the credit is `CANCEL` if the
   * service has ended, and `PRORATION` if another item bills the service from then on.
   */
  async close(item: SubscriptionItem, at: Date, cause: PeriodCreditCause): Promise<void> {
    this.chargeUntil(item, at);
    const charges = await this.#chargesAfter(item, at);
    await this.#credit(charges, at, cause);
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

  /** Returns the invoice lines for the metered usage of an item until `end` that is not billed yet, and marks this usage as billed. */
  async usageOf(item: SubscriptionItem, currency: string, end: Date): Promise<LineDraft[]> {
    const lines = await usageLines((of) => this.#usage.bill(of), item, { currency, zone: this.zone, end });
    if (!this.batch) await this.#usage.mark();
    return lines;
  }

  /**
   * Ends an item whose service has ended. The recurring run bills usage that arrives later: when the next period of the item would have
   * begun, and on the day after which no usage is accepted.
   */
  async closeLast(item: SubscriptionItem, at: Date): Promise<void> {
    this.chargeUntil(item, at);
    const { billedUntil } = item;
    const next = billedUntil > at ? billedUntil : nextPeriod(item, this.zone, this.account.billingDay).period.end;
    await this.close(item, at, CreditCause.CANCEL);
    awaitLateUsage(item, next, this.zone);
  }

  /** Returns the invoice lines for usage that arrived after the service of an item had ended, and marks this usage as billed. */
  lateUsageOf(item: SubscriptionItem, currency: string): Promise<LineDraft[]> {
    return this.usageOf(item, currency, takeLateUsage(item, this.zone));
  }

  /** Issues an invoice for charges. If there is nothing to pay, the charges are marked as billed without an invoice. */
  async bill(bill: Bill): Promise<void> {
    await issueBills([{ billing: this, bill }]);
  }

  /** Returns the draft of the invoice for a bill, and marks its charges as billed. Null if there is nothing to pay. */
  draft({ subscription, charges, more = [], source }: Bill): InvoiceDraft | null {
    const { now, account } = this;
    const { currency } = subscription;
    const lines = [...shownOf(charges).map(({ charge, item }) => chargeLine(charge, item, currency)), ...more];
    for (const { charge } of charges) charge.billedAt = now;
    if (!totalAmount(lines, currency).greaterThan(0)) return null;
    const draft = { organizationId: account.organizationId, customer: account.customer, currency, subscriptionId: subscription.id };
    const cause = source ?? charges[0]?.charge.id ?? newId('subscriptionCharge');
    return { ...draft, dueDate: defaultDueDate(now), notes: null, source: cause, lines };
  }

  async #chargesAfter(item: SubscriptionItem, at: Date): Promise<SubscriptionCharge[]> {
    await this.tx.flush();
    return this.tx.find(SubscriptionCharge, { itemId: item.id, toAt: { $gt: at } }, { orderBy: { fromAt: 'asc' } });
  }

  /** Credits the part of invoiced charges from `at` on. All invoices are locked first, in the order of their ids. */
  async #credit(charges: readonly SubscriptionCharge[], at: Date, cause: PeriodCreditCause): Promise<void> {
    const { tx, now } = this;
    const invoiced = charges.filter(({ invoiceId }) => invoiceId !== null);
    const ids = [...new Set(invoiced.map(({ invoiceId }) => invoiceId as string))];
    if (ids.length === 0) return;
    await this.numbers.lock();
    const invoices = await tx.find(Invoice, { id: { $in: ids } }, { ...LOCKED, orderBy: { id: 'asc' }, refresh: true });
    for (const invoice of invoices) {
      if (invoice.status === InvoiceStatus.CANCELLED) continue;
      const lines = invoiced
        .filter(({ invoiceId }) => invoiceId === invoice.id)
        .map((charge) => ({ position: charge.position as number, net: amountOf(charge, invoice.currency, at) }))
        .filter(({ net }) => net.greaterThan(0));
      const left = await atMostLeft(tx, invoice, lines);
      if (left.length > 0) await issueCreditNote(tx, { invoice, cause, lines: left }, now, this.numbers);
    }
  }

  /** Splits a charge at `at`. The part after `at` gets another price. */
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

/** Returns the charges that become invoice lines. Charges of items that bill account usage are left out, because their price is 0. */
const shownOf = (charges: Bill['charges']): Bill['charges'] => charges.filter(({ item }) => !item.isOfAccount);

/** Issues the invoices of several bills, of one or more accounts of one organization, in one transaction. */
export async function issueBills(bills: readonly { billing: AccountBilling; bill: Bill }[]): Promise<void> {
  const drafted = bills.flatMap(({ billing, bill }) => {
    const draft = billing.draft(bill);
    return draft ? [{ billing, bill, draft }] : [];
  });
  const [first] = drafted;
  if (!first) return;
  const { tx, now, numbers } = first.billing;
  const issued = await issueInvoices(
    tx,
    drafted.map(({ draft }) => draft),
    now,
    numbers,
  );
  await recordAll(
    tx,
    issued.map((one) => invoiceGenerated(one)),
  );
  for (const [index, { billing, bill }] of drafted.entries()) {
    const one = issued[index] as IssuedInvoice;
    shownOf(bill.charges).forEach(({ charge }, position) => {
      Object.assign(charge, { invoiceId: one.invoice.id, position });
    });
    await payIfNothingIsDue(tx, one, now);
    billing.issued.push(one);
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

/** Field values that make a charge pending again, after its invoice was credited. */
const UNBILLED = { kind: LineKind.PRORATION, billedAt: null, invoiceId: null, position: null } as const;
