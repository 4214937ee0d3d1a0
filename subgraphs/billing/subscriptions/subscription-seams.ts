import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Decimal } from '../../../kernel/values/money.ts';
import type { Period } from '../calculation/billing-periods.ts';
import type { Invoice } from '../invoices/invoice.entity.ts';
import { creditInvoice } from './invoice-credit.ts';

/** A part of an invoice that is given back: net amounts of its lines. */
export interface CreditOrder {
  /** Locked by the caller. */
  invoice: Invoice;
  cause: 'proration';
  lines: { position: number; net: Decimal }[];
}

/** A finished period whose metered usage is to be billed. */
export interface MeteredPeriod {
  organizationId: string;
  serviceId: string;
  period: Period;
  /** IANA name of the time zone of the account. */
  zone: string;
  currency: string;
}

/** A line for the metered usage of one metric. */
export interface MeteredLine {
  description: string;
  amount: Decimal;
}

/** Functions of other parts of billing that subscriptions use. */
export interface SubscriptionSeams {
  /** Returns the preferences of an account that concern its periods. */
  billingAccountOf(tx: EntityManager, organizationId: string, accountId: string): Promise<{ billingDay: number | null }>;
  issueCreditNote(tx: EntityManager, order: CreditOrder, now: Date): Promise<unknown>;
  /** Returns the lines for metered usage, and marks the usage as billed in the same transaction. */
  billUsage(tx: EntityManager, usage: MeteredPeriod): Promise<MeteredLine[]>;
}

export const DEFAULT_SEAMS: SubscriptionSeams = {
  billingAccountOf: async () => ({ billingDay: null }),
  issueCreditNote: creditInvoice,
  billUsage: async () => [],
};
