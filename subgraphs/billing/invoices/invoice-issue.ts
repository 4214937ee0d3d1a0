import type { EntityManager } from '../../../kernel/database/database.ts';
import { refuse } from '../../../kernel/errors/errors.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import type { Period } from '../calculation/billing-periods.ts';
import { billToOf, type Customer } from '../customers/customer.ts';
import { sellerOf } from '../invoice-settings/seller-snapshot.ts';
import { lockCredits } from '../ledger/account-credit.ts';
import { ratesOf, taxTermsOf } from '../taxes/tax-terms.ts';
import { numbersOf } from './document-numbers.ts';
import { Invoice } from './invoice.entity.ts';
import { closeIfCovered } from './invoice-closing.ts';
import { postCredit } from './invoice-credit.ts';
import { InvoiceLine } from './invoice-line.entity.ts';
import { amountProblems, lineAmount, type Priced } from './invoice-pricing.ts';
import { taxInvoice } from './invoice-taxes.ts';
import type { IssuedInvoice } from './issued-invoice.ts';
import type { LineKind } from './line-kind.ts';

const PAYMENT_TERM_MS = 30 * 24 * 3600 * 1000;

/** Returns the due date of an invoice if the request states no due date: 30 days after `issuedAt`. */
export const defaultDueDate = (issuedAt: Date): Date => new Date(issuedAt.getTime() + PAYMENT_TERM_MS);

export interface InvoiceDraft {
  organizationId: string;
  customer: Customer;
  currency: string;
  dueDate: Date;
  notes: string | null;
  /** Id of the event that caused the invoice. Null if an API request caused it. */
  source: string | null;
  /** Subscription that the invoice bills. Default: no subscription. */
  subscriptionId?: string;
  lines: readonly LineDraft[];
}

export interface LineDraft extends Priced {
  serviceId: string;
  description: string;
  /** Category of the service in the catalog. */
  category: string;
  /** Kind of charge. Default: `SERVICE`. */
  kind?: LineKind;
  /** Subscription item that the line bills. Default: no item. */
  itemId?: string;
  /** Period that the line bills. Default: no period. */
  period?: Period;
}

/**
 * Creates an invoice from a draft: assigns its number, and computes the amounts of the lines, the taxes and the total. The database posts
 * the invoice to the ledger. Credit of the account pays as much of the invoice as possible. The caller must record the event about the new
 * invoice, and then call `payIfNothingIsDue`.
 */
export async function issueInvoice(tx: EntityManager, draft: InvoiceDraft, now: Date): Promise<IssuedInvoice> {
  const [issued] = await issueInvoices(tx, [draft], now);
  return issued as IssuedInvoice;
}

/**
 * Creates several invoices of one organization, as `issueInvoice` does, in the order of the drafts. The number of statements does not
 * depend on the number of invoices, apart from invoices that credit pays.
 */
export async function issueInvoices(
  tx: EntityManager,
  drafts: readonly InvoiceDraft[],
  now: Date,
  numbers = numbersOf(tx, drafts[0]?.organizationId ?? ''),
): Promise<IssuedInvoice[]> {
  const issued = await draftInvoices(tx, drafts, now);
  if (issued.length === 0) return [];
  for (const { invoice } of issued) refuse(amountProblems(invoice.amount));
  // the counter is locked as late as possible, because all invoices of the organization wait for it
  const assigned = await numbers.invoices(issued.length);
  const credits = await lockCredits(
    tx,
    issued.map(({ invoice }) => invoice),
  );
  const used = new Map<string, Decimal>();
  for (const [index, { invoice, lines, taxes }] of issued.entries()) {
    invoice.number = assigned[index] as string;
    // several invoices may share the credit of an account
    const balance = `${invoice.accountId} ${invoice.currency}`;
    const usedBefore = used.get(balance) ?? new Decimal(0);
    invoice.creditApplied = Decimal.min(credits.of(invoice).minus(usedBefore), invoice.amount);
    used.set(balance, usedBefore.plus(invoice.creditApplied));
    tx.persist([invoice, ...lines, ...taxes]);
  }
  await tx.flush();
  for (const { invoice } of issued) if (!invoice.creditApplied.isZero()) await postCredit(tx, invoice, invoice.creditApplied, now);
  return issued;
}

/** Computes the lines, the taxes and the total of an invoice. The invoice has no number and is not stored. */
export async function draftInvoice(tx: EntityManager, draft: InvoiceDraft, now: Date): Promise<IssuedInvoice> {
  const [drafted] = await draftInvoices(tx, [draft], now);
  return drafted as IssuedInvoice;
}

async function draftInvoices(tx: EntityManager, drafts: readonly InvoiceDraft[], now: Date): Promise<IssuedInvoice[]> {
  const customers = drafts.map(({ customer }) => customer);
  const [first] = drafts;
  if (!first) return [];
  const termsOf = await taxTermsOf(tx, first.organizationId, customers, now);
  const ratesIn = await ratesOf(
    tx,
    customers.map((customer) => termsOf(customer).terms),
  );
  const seller = await sellerOf(tx, first.organizationId, first.customer.sellerName);
  return drafts.map(({ lines: drafted, customer, ...draft }) => {
    const { terms, taxId } = termsOf(customer);
    const { accountId, timezone } = customer;
    const invoice = Object.assign(new Invoice(), draft, { id: newId('invoice'), accountId, createdAt: now, updatedAt: now });
    Object.assign(invoice, { billTo: billToOf(customer, taxId), taxTerms: terms, timezone, seller });
    const lines = linesOf(drafted, invoice);
    return { invoice, lines, taxes: taxInvoice(invoice, lines, terms, ratesIn) };
  });
}

/** Creates the lines of an invoice, with their rounded amounts. */
export const linesOf = (drafts: readonly LineDraft[], { id, organizationId, currency }: Invoice): InvoiceLine[] =>
  drafts.map(({ period, ...draft }, position) =>
    Object.assign(new InvoiceLine(), draft, {
      ...{ invoiceId: id, position, organizationId, amount: lineAmount(draft, currency) },
      ...{ periodStart: period?.start ?? null, periodEnd: period?.end ?? null },
    }),
  );

/** Marks an invoice as paid if its amount is 0, or if credit of the account covers it. */
export const payIfNothingIsDue = (tx: EntityManager, { invoice }: IssuedInvoice, now: Date): Promise<void> =>
  closeIfCovered(tx, invoice, null, now);
