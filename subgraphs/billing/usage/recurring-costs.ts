import type { Accounts } from '../../../kernel/access/principal.ts';
import type { Decimal } from '../../../kernel/values/money.ts';

/** Filter for the services whose recurring costs are read. */
export interface RecurringSelection {
  organizationId: string;
  /** Accounts whose services are included. Null means all accounts. */
  accounts: Accounts;
  /** Includes only services with this category, type or subtype. */
  serviceType?: string | null | undefined;
}

/** Returns the monthly recurring prices of the services that are billed now, by currency. */
export type RecurringCosts = (selection: RecurringSelection) => Promise<ReadonlyMap<string, Decimal>>;

/** A `RecurringCosts` function that returns no prices. */
export const NO_RECURRING_COSTS: RecurringCosts = async () => new Map();
