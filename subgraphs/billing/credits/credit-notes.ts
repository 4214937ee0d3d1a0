import type { EntityManager } from '../../../kernel/database/database.ts';
import { type FieldProblem, refuse } from '../../../kernel/errors/errors.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { Decimal, isPayable, minorDigits, sum } from '../../../kernel/values/money.ts';
import { shareOf } from '../calculation/share.ts';
import { creditedTax } from '../calculation/taxes.ts';
import { recordCreditedCost } from '../costs/credited-cost.ts';
import { type DocumentNumbers, numbersOf } from '../invoices/document-numbers.ts';
import type { Invoice } from '../invoices/invoice.entity.ts';
import { InvoiceNotChangeable } from '../invoices/invoice.errors.ts';
import { InvoiceStatus } from '../invoices/invoice.states.ts';
import { closeIfCovered } from '../invoices/invoice-closing.ts';
import { applyCredit } from '../invoices/invoice-credit.ts';
import type { InvoiceLine } from '../invoices/invoice-line.entity.ts';
import { type IssuedInvoice, issuedOf } from '../invoices/issued-invoice.ts';
import type { BalanceKey } from '../ledger/account-credit.ts';
import { post } from '../ledger/ledger.ts';
import { CreditNote, CreditNoteLine, type CreditNoteTax } from './credit-note.entity.ts';
import { creditIssued } from './credit-note.events.ts';
import { CreditCause } from './credit-note.states.ts';

/** Amount to give back for one line of an invoice. */
export interface CreditLine {
  /** Position of the line on the invoice. */
  position: number;
  /** Net amount to give back. It is greater than 0, and at most the part of the line that no credit note has given back yet. */
  net: Decimal;
}

export interface CreditOrder {
  /** Invoice to credit. The caller must have locked it. */
  invoice: Invoice;
  cause: Exclude<CreditCause, CreditCause.GOODWILL>;
  lines: readonly CreditLine[];
  reason?: string | null | undefined;
}

/**
 * Issues a credit note for lines of a locked invoice, including the tax of these lines, and records the events. The credit note first
 * reduces the unpaid amount of the invoice. The remaining amount becomes credit of the account, and pays other open invoices.
 * @throws InvalidParameters if the lines do not exist, or if the amounts exceed the parts of the lines that were not given back yet
 * @throws InvoiceNotChangeable if the invoice is cancelled (`cancelled`), or if the amount depends on a payment or refund whose outcome is
 * unknown (`in_flight`). In this case, retry after the outcome is known
 */
export async function issueCreditNote(
  tx: EntityManager,
  { invoice, cause, lines: wanted, reason }: CreditOrder,
  now: Date,
  numbers = numbersOf(tx, invoice.organizationId),
): Promise<CreditNote> {
  if (invoice.status === InvoiceStatus.CANCELLED)
    throw new InvoiceNotChangeable(invoice, invoice.status, 'it is cancelled, so that nothing can be given back');
  await tx.flush();
  const issued = await issuedOf(tx, invoice);
  refuse(problemsOf(wanted, issued));
  const credited = issued.lines.flatMap((line) =>
    wanted.filter(({ position }) => position === line.position).map(({ net }) => ({ line, net })),
  );
  const net = sum(credited.map((one) => one.net));
  const taxes = taxesOf(credited, issued);
  const tax = sum(taxes.map(({ amount }) => amount));
  const amount = net.plus(tax);
  const amountToInvoice = Decimal.min(amount, invoice.amountOpen);
  const amountToAccount = amount.minus(amountToInvoice);
  // what is reserved is neither due nor paid, until the outcome of the payment or refund is known
  if (amountToAccount.greaterThan(invoice.amountReturnable))
    throw new InvoiceNotChangeable(invoice, 'in_flight', 'the outcome of a payment or refund is not known yet');

  for (const { line, net: part } of credited) line.amountCredited = line.amountCredited.plus(part);
  invoice.amountCredited = invoice.amountCredited.plus(amountToInvoice);
  invoice.amountReturned = invoice.amountReturned.plus(amountToAccount);
  invoice.taxReversed = invoice.taxReversed.plus(tax);
  invoice.updatedAt = now;
  const creditNote = await numbered(
    tx,
    invoice,
    { cause, invoiceId: invoice.id, net, tax, amount, amountToInvoice, amountToAccount, taxes, reason },
    { now, numbers },
  );
  const lines = credited.map(({ line, net: part }) => lineOf(creditNote, line, part));
  tx.persist(lines);
  await postCreditNote(tx, creditNote);
  await recordCreditedCost(tx, {
    organizationId: invoice.organizationId,
    source: creditNote.id,
    invoiceId: invoice.id,
    lines: wanted,
    at: now,
  });
  await record(tx, creditIssued({ creditNote, lines }));
  await closeIfCovered(tx, invoice, null, now);
  if (amountToAccount.greaterThan(0)) await applyCredit(tx, invoice, now);
  return creditNote;
}

/** Gives an account credit without an invoice, and pays open invoices of the account with it. */
export async function grantGoodwill(
  tx: EntityManager,
  { amount, reason, ...key }: BalanceKey & { amount: Decimal; reason: string },
  now: Date,
): Promise<CreditNote> {
  const zero = new Decimal(0);
  const values = { net: amount, tax: zero, amount, amountToInvoice: zero, amountToAccount: amount, taxes: [], reason };
  const creditNote = await numbered(
    tx,
    key,
    { ...values, cause: CreditCause.GOODWILL, invoiceId: null },
    { now, numbers: numbersOf(tx, key.organizationId) },
  );
  const { id: source } = creditNote;
  await post(tx, { ...key, source, kind: 'goodwill', invoiceId: null, debit: 'goodwill', credit: 'credit', amount, at: now });
  await record(tx, creditIssued({ creditNote, lines: [] }));
  await applyCredit(tx, key, now);
  return creditNote;
}

/** Returns the part of each line that was not given back yet. Leaves out lines that were completely given back. */
export const leftOf = (lines: readonly InvoiceLine[]): CreditLine[] =>
  lines
    .map(({ position, amount, amountCredited }) => ({ position, net: amount.minus(amountCredited) }))
    .filter(({ net }) => net.greaterThan(0));

/**
 * Limits the amounts to give back for lines of a locked invoice to the amounts that earlier credit notes and refunds have not given back.
 * The invoice must not be cancelled. The tax needs no limit here, because a credit note gives back at most the remaining tax.
 */
export async function atMostLeft(tx: EntityManager, invoice: Invoice, wanted: readonly CreditLine[]): Promise<CreditLine[]> {
  await tx.flush();
  const { lines } = await issuedOf(tx, invoice);
  let left = netLeft(invoice);
  return wanted.flatMap(({ position, net: asked }) => {
    const line = lines.find((one) => one.position === position);
    const part = line ? Decimal.min(asked, line.amount.minus(line.amountCredited), left) : new Decimal(0);
    left = left.minus(part);
    return part.greaterThan(0) ? [{ position, net: part }] : [];
  });
}

/** The net amount that credit notes and refunds have not given back yet. Refunds do not refer to lines. */
const netLeft = (invoice: Invoice): Decimal => invoice.subtotal.minus(invoice.amountReversed.minus(invoice.taxReversed));

function problemsOf(wanted: readonly CreditLine[], { invoice, lines }: IssuedInvoice): FieldProblem[] {
  if (wanted.length === 0) return [{ field: 'lines', reason: 'nothing of the invoice is left to give back' }];
  const problems = wanted.flatMap(({ position, net }, index): FieldProblem[] => {
    const line = lines.find((one) => one.position === position);
    const isTwice = wanted.findIndex((one) => one.position === position) < index;
    const positionReason = line ? isTwice && 'is used twice' : 'is not a line of the invoice';
    const netReason = line && netProblem(net, line.amount.minus(line.amountCredited), invoice.currency);
    return [
      ...(positionReason ? [{ field: `lines.${index}.position`, value: position, reason: positionReason }] : []),
      ...(netReason ? [{ field: `lines.${index}.net`, value: net.toNumber(), reason: netReason }] : []),
    ];
  });
  if (problems.length > 0) return problems;
  const left = netLeft(invoice);
  if (!sum(wanted.map(({ net }) => net)).greaterThan(left)) return [];
  return [{ field: 'lines', reason: `must amount to at most ${left.toFixed()}, because the rest was given back already` }];
}

function netProblem(net: Decimal, left: Decimal, currency: string): string | undefined {
  if (!net.greaterThan(0)) return 'must be greater than 0';
  if (net.greaterThan(left)) return `must be at most ${left.toFixed()}`;
  return isPayable(net, currency) ? undefined : `must have at most ${minorDigits(currency)} decimals in ${currency}`;
}

/**
 * Returns the tax of each rate that the credit gives back, and adds it to the returned tax of the invoice. The tax is the difference of
 * rounded sums, so that all credit notes together give back exactly the tax of the invoice. The returned tax is lower if refunds have
 * already given back a part of the tax.
 */
function taxesOf(credited: readonly { line: InvoiceLine; net: Decimal }[], { invoice, taxes }: IssuedInvoice): CreditNoteTax[] {
  let left = invoice.taxAmount.minus(invoice.taxReversed);
  return taxes.flatMap((tax) => {
    const taxable = sum(credited.filter(({ line }) => tax.appliesTo(line)).map(({ net }) => net));
    if (taxable.isZero()) return [];
    const amount = Decimal.min(creditedTax(tax, tax.taxableCredited, taxable, invoice.currency), left);
    left = left.minus(amount);
    tax.taxableCredited = tax.taxableCredited.plus(taxable);
    tax.amountCredited = tax.amountCredited.plus(amount);
    const { name, percent, reason } = tax;
    return [{ name, percent, taxable, amount, reason }];
  });
}

type CreditValues = Pick<CreditNote, 'cause' | 'invoiceId' | 'net' | 'tax' | 'amount' | 'amountToInvoice' | 'amountToAccount'> & {
  taxes: CreditNoteTax[];
  reason: string | null | undefined;
};

/** Creates a credit note with the next credit note number of the organization. */
async function numbered(
  tx: EntityManager,
  { organizationId, accountId, currency }: BalanceKey,
  values: CreditValues,
  { now, numbers }: { now: Date; numbers: DocumentNumbers },
): Promise<CreditNote> {
  // a transaction can issue an invoice too: both counters are locked before the balance of the account
  await numbers.lock();
  const number = await numbers.creditNote();
  const creditNote = Object.assign(new CreditNote(), {
    id: newId('creditNote'),
    organizationId,
    number,
    accountId,
    currency,
    createdAt: now,
  });
  Object.assign(creditNote, values, { reason: values.reason ?? null });
  tx.persist(creditNote);
  return creditNote;
}

const lineOf = ({ id, organizationId }: CreditNote, { position, serviceId, description }: InvoiceLine, net: Decimal): CreditNoteLine =>
  Object.assign(new CreditNoteLine(), { creditNoteId: id, organizationId, position, serviceId, description, net });

/** Posts a credit note: it reduces revenue and tax, and either reduces the due amount of the account or increases its credit. */
async function postCreditNote(tx: EntityManager, creditNote: CreditNote): Promise<void> {
  const {
    id: source,
    organizationId,
    accountId,
    currency,
    invoiceId,
    tax,
    amount,
    amountToInvoice,
    amountToAccount,
    createdAt: at,
  } = creditNote;
  const base = { organizationId, accountId, currency, source, invoiceId, at };
  const taxOfInvoice = shareOf(tax, amountToInvoice, amount, new Decimal(0), currency);
  const lowered = { ...base, credit: 'receivable' } as const;
  await post(tx, { ...lowered, kind: 'credit_note', debit: 'revenue', amount: amountToInvoice.minus(taxOfInvoice) });
  await post(tx, { ...lowered, kind: 'credit_note_tax', debit: 'tax', amount: taxOfInvoice });
  const taxOfAccount = tax.minus(taxOfInvoice);
  const granted = { ...base, credit: 'credit' } as const;
  await post(tx, { ...granted, kind: 'credit_granted', debit: 'revenue', amount: amountToAccount.minus(taxOfAccount) });
  await post(tx, { ...granted, kind: 'credit_granted_tax', debit: 'tax', amount: taxOfAccount });
}
