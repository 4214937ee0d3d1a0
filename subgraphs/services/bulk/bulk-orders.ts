import { type FieldProblem, InvalidParameters, PlatformError, refuse } from '../../../kernel/errors/errors.ts';
import { AccountNotActive } from '../accounts/account.errors.ts';
import type { OrderAccount, OrderedFor } from '../accounts/order-account.ts';
import type { OrderService, OrderTerms } from '../orders/order.service.ts';
import { productOf } from '../products/registry.ts';
import type { BulkServiceInput } from './bulk.inputs.ts';

/**
 * Result of checking a bulk item: its order terms and account, or the error that prevents the order. An item that is refused has an account
 * too, if the caller sees it, because the error may contain data of this account.
 */
export type CheckedItem = ({ terms: OrderTerms } & OrderedFor) | { refused: PlatformError; accountId: string | null };

/**
 * Checks the items of a bulk with the rules for single orders. Each account is checked only once. Must be called outside of a transaction.
 * @throws InvalidParameters that lists the invalid settings and missing locations of all items. If `isAllOrNothing` is true, the error also
 * lists all other reasons that prevent an order
 */
export async function checkItems(
  deps: { orders: OrderService; account: OrderAccount },
  items: readonly BulkServiceInput[],
  isAllOrNothing: boolean,
): Promise<CheckedItem[]> {
  const accounts = new Map<string | null, Promise<OrderedFor>>();
  const accountOf = ({ accountId = null }: BulkServiceInput): Promise<OrderedFor> => {
    const known = accounts.get(accountId) ?? deps.account.resolve(accountId, null);
    accounts.set(accountId, known);
    return known;
  };
  const checked: CheckedItem[] = [];
  const malformed: FieldProblem[] = [];
  const refusals: FieldProblem[] = [];
  for (const [index, item] of items.entries()) {
    const result = await checkItem(deps.orders, item, accountOf);
    checked.push(result);
    if (!('refused' in result)) continue;
    const problems = problemsOf(result.refused).map(({ field, ...problem }) => ({ ...problem, field: `services.${index}.${field}` }));
    (isMalformed(result.refused) ? malformed : refusals).push(...problems);
  }
  refuse(isAllOrNothing ? [...malformed, ...refusals] : malformed);
  return checked;
}

async function checkItem(
  orders: OrderService,
  item: BulkServiceInput,
  accountOf: (item: BulkServiceInput) => Promise<OrderedFor>,
): Promise<CheckedItem> {
  const { template, location = null, customizations, sla, features } = item;
  const { bandwidth, ...configuration } = (customizations ?? {}) as { bandwidth?: string };
  const account = await accountOf(item).catch(refusalOf);
  const accountId = account instanceof PlatformError ? accountIn(account) : account.accountId;
  try {
    const terms = await orders.check({ catalog: { id: template }, location, sla, features, configuration, bandwidth, accountId });
    if (productOf(terms.type).hasLocation && !location) throw new InvalidParameters([{ field: 'location', reason: 'is required' }]);
    if (account instanceof PlatformError) throw account;
    return { terms, ...account, billingCycle: item.billingCycle ?? account.billingCycle };
  } catch (error) {
    return { refused: refusalOf(error), accountId };
  }
}

/** Returns an error that refuses an item. Other errors are thrown. */
function refusalOf(error: unknown): PlatformError {
  if (error instanceof PlatformError && error.status < 500) return error;
  throw error;
}

/** Returns the account that an error is about. Null if the caller does not see the account. */
const accountIn = (error: PlatformError): string | null => (error instanceof AccountNotActive ? error.accountId : null);

/** Returns true if all problems of an item are a missing location or invalid settings. In this case, the whole bulk is rejected. */
const isMalformed = (error: PlatformError): boolean =>
  error instanceof InvalidParameters && error.problems.every(({ field }) => field === 'location' || field.startsWith(SETTINGS));

const SETTINGS = 'configuration.';

/** Maps the name of a field in the errors of an order to the name of the same field in a bulk item. */
const FIELDS: Readonly<Record<string, string>> = { catalogId: 'template', bandwidth: 'customizations.bandwidth' };

/** Maps the code of an error that names no field to the field of the bulk item that the error concerns. */
const FIELD_OF_CODE: Readonly<Record<string, string>> = {
  LOCATION_NOT_SERVICEABLE: 'location',
  SERVICE_UNAVAILABLE_AT_LOCATION: 'location',
  INSUFFICIENT_BANDWIDTH: 'customizations.bandwidth',
  SERVICE_CONFLICT: 'features',
  RESOURCE_NOT_FOUND: 'accountId',
  ACCOUNT_SUSPENDED: 'accountId',
  INVALID_STATE: 'accountId',
};

function problemsOf(error: PlatformError): FieldProblem[] {
  if (!(error instanceof InvalidParameters)) return [{ field: FIELD_OF_CODE[error.code] ?? 'template', reason: error.message }];
  return error.problems.map(({ field, ...problem }) => ({
    ...problem,
    field: field.startsWith(SETTINGS) ? `customizations.${field.slice(SETTINGS.length)}` : (FIELDS[field] ?? field),
  }));
}
