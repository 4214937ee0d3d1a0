import type { NextInvoice } from './billing-account.types.ts';

/** Returns the next generated invoice of an account. Null, because the platform does not generate recurring invoices yet. */
export const nextInvoiceOf = async (_accountId: string): Promise<NextInvoice | null> => null;
