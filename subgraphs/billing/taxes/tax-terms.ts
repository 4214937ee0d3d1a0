import type { EntityManager } from '../../../kernel/database/database.ts';
import { dateOf } from '../../../kernel/values/days.ts';
import { localTime } from '../../../kernel/values/local-time.ts';
import { ratesFor } from '../calculation/taxes.ts';
import type { Customer } from '../customers/customer.ts';
import { TaxRate } from './tax-rate.entity.ts';

/**
 * Values that determine the taxes of an invoice, stored when it was issued. Lines that are changed later are taxed in the same way, even if
 * the customer has moved.
 */
export interface TaxTerms {
  /** ISO 3166-1 code of the customer's country. Null if the address of the customer is unknown; no tax rate applies in this case. */
  country: string | null;
  region: string | null;
  /** Date in the time zone of the customer, such as `2026-01-31`. */
  day: string;
  /** Reason why the customer pays no tax. Null if the customer pays tax. */
  exemption: string | null;
}

/**
 * Returns a function that returns the tax terms of a customer and the tax number for the invoice. It reads them in the transaction of the
 * invoices.
 */
export async function taxTermsOf(
  tx: EntityManager,
  organizationId: string,
  customers: readonly Customer[],
  now: Date,
): Promise<(customer: Customer) => { terms: TaxTerms; taxId: string | null }> {
  const ids = [...new Set(customers.map(({ accountId }) => accountId))];
  const found = await tx.execute<TaxedAccount[]>(TAXED_ACCOUNTS, [JSON.stringify(ids), organizationId, organizationId]);
  const accounts = new Map(found.map((row) => [row.account_id, row]));
  return ({ accountId, address, timezone }) => {
    const { reason = null, tax_id: taxId = null } = accounts.get(accountId) ?? {};
    const terms = {
      country: address?.country ?? null,
      region: regionOf(address?.state),
      day: dateOf(new Date(localTime(now.getTime(), timezone))),
      exemption: reason,
    };
    return { terms, taxId };
  };
}

/** The exemption of an account, and its tax number: that of the exemption, otherwise that of its billing preferences. */
interface TaxedAccount {
  account_id: string;
  reason: string | null;
  tax_id: string | null;
}

const TAXED_ACCOUNTS = `
  select k."id" as "account_id", e."reason", coalesce(e."tax_id", b."tax_id") as "tax_id"
  from json_array_elements_text(?::json) as k("id")
    left join "billing"."tax_exemption" e on e."organization_id" = ? and e."account_id" = k."id"
    left join "billing"."billing_account" b on b."organization_id" = ? and b."account_id" = k."id"`;

/** Returns a function that returns the tax rates for a category of services and tax terms. A customer that is exempt has no rates. */
export async function ratesOf(
  tx: EntityManager,
  allTerms: readonly TaxTerms[],
): Promise<(terms: TaxTerms, category: string | null) => TaxRate[]> {
  const taxed = allTerms.filter(({ country, exemption }) => country !== null && exemption === null);
  const countries = [...new Set(taxed.map(({ country }) => country as string))];
  const days = taxed.map(({ day }) => day).sort();
  const [firstDay, lastDay] = [days[0], days.at(-1)];
  if (firstDay === undefined || lastDay === undefined) return () => [];
  const inForce = { validFrom: { $lte: lastDay }, $or: [{ validTo: null }, { validTo: { $gt: firstDay } }] };
  const rates = await tx.find(TaxRate, { country: { $in: countries }, ...inForce }, { orderBy: { createdAt: 'asc', id: 'asc' } });
  return ({ country, region, day, exemption }, category) =>
    country === null || exemption !== null ? [] : ratesFor(rates, { country, region, category, day });
}

/** Normalizes a region for storage and comparison: `ny`, `NY` and ` NY` become the same text. */
export const regionOf = (state: string | null | undefined): string | null => state?.trim().toUpperCase() || null;
