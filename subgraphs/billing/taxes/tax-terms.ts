import type { EntityManager } from '../../../kernel/database/database.ts';
import { dateOf } from '../../../kernel/values/days.ts';
import { BillingAccount } from '../accounts/billing-account.entity.ts';
import { localTime } from '../calculation/local-time.ts';
import { ratesFor } from '../calculation/taxes.ts';
import type { Customer } from '../customers/customer.ts';
import { TaxExemption } from './tax-exemption.entity.ts';
import { TaxRate } from './tax-rate.entity.ts';

/**
 * What decides about the taxes of an invoice, as of its issue. The invoice stores it, so that a later change of its lines is
 * taxed by the same terms, although the customer may have moved.
 */
export interface TaxTerms {
  /** ISO 3166-1 code. Null if the address of the customer is unknown; then no rate applies. */
  country: string | null;
  region: string | null;
  /** Local date of the customer, such as `2026-01-31`. */
  day: string;
  /** Why the customer pays no tax. Null if rates apply. */
  exemption: string | null;
}

/** Returns the tax terms of a customer, and the tax number that the invoice states, in the transaction of the invoice. */
export async function taxTermsOf(
  tx: EntityManager,
  { accountId, address, timezone }: Customer,
  now: Date,
): Promise<{ terms: TaxTerms; taxId: string | null }> {
  const exemption = await tx.findOne(TaxExemption, { accountId });
  const account = exemption?.taxId ? null : await tx.findOne(BillingAccount, { accountId });
  const terms = {
    country: address?.country ?? null,
    region: regionOf(address?.state),
    day: dateOf(new Date(localTime(now.getTime(), timezone))),
    exemption: exemption?.reason ?? null,
  };
  return { terms, taxId: exemption?.taxId ?? account?.taxId ?? null };
}

/** Returns a function that returns the tax rates of a category of services. A customer that is exempt has no rates. */
export async function ratesOf(
  tx: EntityManager,
  { country, region, day, exemption }: TaxTerms,
): Promise<(category: string | null) => TaxRate[]> {
  if (country === null || exemption !== null) return () => [];
  const inForce = { validFrom: { $lte: day }, $or: [{ validTo: null }, { validTo: { $gt: day } }] };
  const rates = await tx.find(TaxRate, { country, ...inForce }, { orderBy: { createdAt: 'asc', id: 'asc' } });
  return (category) => ratesFor(rates, { country, region, category, day });
}

/** Returns the spelling in which regions are stored and compared: addresses state `ny`, `NY` or ` NY`. */
export const regionOf = (state: string | null | undefined): string | null => state?.trim().toUpperCase() || null;
