import { localTime } from '../../../kernel/values/local-time.ts';
import { type Decimal, minorDigits } from '../../../kernel/values/money.ts';
import type { Seller } from '../invoice-settings/seller.ts';
import type { InvoiceStatus } from '../invoices/invoice.states.ts';

/** The customer of an invoice, with the values at the time when the invoice was issued. */
export interface InvoiceParty {
  name: string;
  /** Lines of the postal address, from the street to the country. */
  address: readonly string[];
  /** VAT number or another tax number of the customer. Null if the customer has none. */
  taxId: string | null;
}

/** One line of an invoice. Its amounts are net of tax. */
export interface InvoiceDocumentLine {
  description: string;
  quantity: number;
  /** Price of one unit. It may have more decimal digits than the currency, because metered prices do. */
  unitPrice: Decimal;
  amount: Decimal;
  /** Period that the line bills, as shown to the customer. Null if the line has no period. */
  periodText: string | null;
}

/** The tax of one rate, over all lines to which the rate applies. */
export interface InvoiceDocumentTax {
  name: string;
  /** Percentage of the tax: 20 for a tax of 20%. */
  rate: Decimal;
  /** Net amount of all lines to which the rate applies. */
  taxable: Decimal;
  amount: Decimal;
  /** Reason why the tax is zero or reduced, such as reverse charge. Null if no reason must be shown. */
  reason: string | null;
}

/**
 * Everything that the PDF and CSV of an invoice show. It is a snapshot: creating a document reads nothing else, and
 * computes no amounts. All amounts are in `currency`.
 */
export interface InvoiceDocument {
  /** Invoice number for people, such as INV-1042. */
  number: string;
  issuedAt: Date;
  dueDate: Date;
  status: `${InvoiceStatus}`;
  /** ISO 4217 code of the currency. */
  currency: string;
  seller: Seller;
  billTo: InvoiceParty;
  lines: readonly InvoiceDocumentLine[];
  /** Sum of the lines, before taxes. */
  subtotal: Decimal;
  taxes: readonly InvoiceDocumentTax[];
  /** Sum of `subtotal` and all taxes. */
  amount: Decimal;
  /** Sum of the successful payments of the invoice. */
  paid: Decimal;
  /** Credit of the account that was used for the invoice. */
  creditApplied: Decimal;
  /** Sum of the credit notes that reduced the unpaid amount of the invoice. */
  credited: Decimal;
  /** Unpaid amount. */
  amountDue: Decimal;
  /** Notes for the customer, up to 5,000 characters. Null if the invoice has none. */
  notes: string | null;
}

/**
 * Writes an amount with the decimal digits of its currency, such as 1234.50. It never rounds: an amount with more digits, such as a metered
 * price, keeps all its digits.
 */
export const plainAmount = (amount: Decimal, currency: string): string =>
  amount.toFixed(Math.max(minorDigits(currency), amount.decimalPlaces()));

/** Writes an amount like `plainAmount`, with commas between the thousands: 1,234.50. */
export function formatAmount(amount: Decimal, currency: string): string {
  const [whole = '', ...digits] = plainAmount(amount, currency).split('.');
  return [withThousands(whole), ...digits].join('.');
}

/** Writes an integer with commas between the thousands: 1,000,000. */
export const formatQuantity = (quantity: number): string => withThousands(String(quantity));

/** Writes the date of a timestamp in UTC, such as 2026-01-31. */
export const formatDate = (timestamp: Date): string => timestamp.toISOString().slice(0, 10);

/** Writes the date of a timestamp in a time zone, such as 2026-01-31. */
export const dateIn = (timestamp: Date, zone: string): string => formatDate(new Date(localTime(timestamp.getTime(), zone)));

const withThousands = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ',');
