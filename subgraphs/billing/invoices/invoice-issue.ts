import type { EntityManager } from '../../../kernel/database/database.ts';
import { refuse } from '../../../kernel/errors/errors.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { nextNumber } from '../../../kernel/records/numbers.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import type { Period } from '../calculation/billing-periods.ts';
import { billToOf, type Customer } from '../customers/customer.ts';
import { sellerOf } from '../invoice-settings/seller-snapshot.ts';
import { lockCredit } from '../ledger/account-credit.ts';
import { taxTermsOf } from '../taxes/tax-terms.ts';
import { Invoice } from './invoice.entity.ts';
import { closeIfCovered } from './invoice-closing.ts';
import { postCredit } from './invoice-credit.ts';
import { InvoiceLine } from './invoice-line.entity.ts';
import { amountProblems, lineAmount, type Priced } from './invoice-pricing.ts';
import { taxInvoice } from './invoice-taxes.ts';
import type { IssuedInvoice } from './issued-invoice.ts';
import type { LineKind } from './line-kind.ts';

const PAYMENT_TERM_MS = 30 * 24 * 3600 * 1000;

/** Returns the due date of an invoice if none is given: 30 days after `issuedAt`. */
export const defaultDueDate = (issuedAt: Date): Date => new Date(issuedAt.getTime() + PAYMENT_TERM_MS);

export interface InvoiceDraft {
  organizationId: string;
  customer: Customer;
  currency: string;
  dueDate: Date;
  notes: string | null;
  /** Id of the event that caused the invoice. Null if a request caused it. */
  source: string | null;
  /** Subscription that the invoice bills. Default: none. */
  subscriptionId?: string;
  lines: readonly LineDraft[];
}

export interface LineDraft extends Priced {
  serviceId: string;
  description: string;
  /** Category of the service in the catalog. */
  category: string;
  /** Default: what a request states. */
  kind?: LineKind;
  /** Item of a subscription. Default: none. */
  itemId?: string;
  /** Period that the line bills. Default: none. */
  period?: Period;
}

/**
 * Creates an invoice from a draft: assigns its number, and computes the amounts of the lines, the taxes and the total. The
 * database posts it to the ledger. Credit of the account pays as much of it as it can. The caller must record the event about
 * the new invoice, and then call `payIfNothingIsDue`.
 */
export async function issueInvoice(
  tx: EntityManager,
  { lines: drafts, customer, ...draft }: InvoiceDraft,
  now: Date,
): Promise<IssuedInvoice> {
  const { terms, taxId } = await taxTermsOf(tx, customer, now);
  const { accountId } = customer;
  const invoice = Object.assign(new Invoice(), draft, { id: newId('invoice'), accountId, createdAt: now, updatedAt: now });
  Object.assign(invoice, { billTo: billToOf(customer, taxId), taxTerms: terms, timezone: customer.timezone });
  invoice.seller = await sellerOf(tx, draft.organizationId, customer.sellerName);
  const lines = linesOf(drafts, invoice);
  const taxes = await taxInvoice(tx, invoice, lines, terms);
  refuse(amountProblems(invoice.amount));
  // the counter is locked as late as possible, because all invoices of the organization wait for it
  invoice.number = `INV-${await nextNumber(tx, 'invoice_counter', draft.organizationId)}`;
  invoice.creditApplied = Decimal.min(await lockCredit(tx, invoice), invoice.amount);
  tx.persist([invoice, ...lines, ...taxes]);
  await postCredit(tx, invoice, invoice.creditApplied, now);
  return { invoice, lines, taxes };
}

/** Creates the lines of an invoice, with their rounded amounts. */
export const linesOf = (drafts: readonly LineDraft[], { id, organizationId, currency }: Invoice): InvoiceLine[] =>
  drafts.map(({ period, ...draft }, position) =>
    Object.assign(new InvoiceLine(), draft, {
      ...{ invoiceId: id, position, organizationId, amount: lineAmount(draft, currency) },
      ...{ periodStart: period?.start ?? null, periodEnd: period?.end ?? null },
    }),
  );

/** An invoice about nothing, or that credit of the account covers, is paid without a payment. */
export const payIfNothingIsDue = (tx: EntityManager, { invoice }: IssuedInvoice, now: Date): Promise<void> =>
  closeIfCovered(tx, invoice, null, now);
