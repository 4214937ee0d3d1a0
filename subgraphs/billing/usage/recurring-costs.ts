import type { Accounts } from '../../../kernel/access/principal.ts';
import type { Decimal } from '../../../kernel/values/money.ts';

/** Which services the recurring costs are about. */
export interface RecurringSelection {
  organizationId: string;
  /** Only these accounts. Null means all. */
  accounts: Accounts;
  /** Only services of this category, type or subtype. */
  serviceType?: string | null | undefined;
}

/** Returns the monthly recurring prices of the services that are billed now, by currency. */
export type RecurringCosts = (selection: RecurringSelection) => Promise<ReadonlyMap<string, Decimal>>;

/** No recurring prices. */
export const NO_RECURRING_COSTS: RecurringCosts = async () => new Map();
