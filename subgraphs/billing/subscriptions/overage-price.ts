import { PLANS } from '../../../kernel/access/plans.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import type { BillingAccount } from '../accounts/billing-account.entity.ts';
import { UsageMetric, UsagePriceModel } from '../usage-prices/usage-metric.states.ts';
import { UsagePrice } from '../usage-prices/usage-price.entity.ts';
import { scopeText } from '../usage-prices/usage-scope.ts';
import { BillingSubscription } from './subscription.entity.ts';
import { ItemState } from './subscription.states.ts';
import { SubscriptionItem } from './subscription-item.entity.ts';

/** Type of the usage of API requests beyond the plan, for usage prices and reports. */
export const OVERAGE_TYPE = 'api';
const ALL_PLANS = scopeText({ serviceType: OVERAGE_TYPE });

export interface OveragePrice {
  currency: string;
  unitPrice: Decimal;
}

/**
 * Returns the price of a request beyond the plan at `at`. `plan` is the price of the plan. The first call for an account sets the currency of its
 * overage: the currency of the billing preferences, if the organization has a usage price for all plans in this currency, and otherwise the
 * currency of the plan. The currency never changes, because the sums of a day and the item of the account have only one currency. If the
 * usage price has ended, the last one applies. The caller must have locked the billing account.
 */
export async function overagePrice(tx: EntityManager, account: BillingAccount, plan: OveragePrice, at: Date): Promise<OveragePrice> {
  const currency = account.overageCurrency ?? (await setCurrency(tx, account, await currencyOf(tx, account, plan, at)));
  if (currency === plan.currency) return plan;
  const prices = await pricesIn(tx, currency, plan.unitPrice);
  const begun = prices.filter(({ validFrom }) => validFrom <= at);
  const price = prices.find((one) => isValid(one, at)) ?? begun.find(wasValid) ?? begun[0] ?? prices.at(-1);
  if (!price?.unitPrice) throw new Error(`There is no price for API requests beyond the plan in ${currency}.`);
  return { currency, unitPrice: price.unitPrice };
}

/** Stores the currency without a new revision of the preferences, because callers do not see it there. */
async function setCurrency(tx: EntityManager, { organizationId, accountId }: BillingAccount, currency: string): Promise<string> {
  await tx.execute('update "billing"."billing_account" set "overage_currency" = ? where "organization_id" = ? and "account_id" = ?', [
    ...[currency, organizationId, accountId],
  ]);
  return currency;
}

async function currencyOf(tx: EntityManager, { accountId, currency }: BillingAccount, plan: OveragePrice, at: Date): Promise<string> {
  // an item of an earlier release has the currency of its subscription
  const item = await tx.findOne(SubscriptionItem, { serviceId: accountId, state: ItemState.ACTIVE });
  if (item) return (await tx.findOneOrFail(BillingSubscription, { id: item.subscriptionId })).currency;
  if (currency === plan.currency) return currency;
  const prices = await pricesIn(tx, currency, plan.unitPrice);
  return prices.some((price) => price.scope === ALL_PLANS && isValid(price, at)) ? currency : plan.currency;
}

/**
 * Returns the usage prices for overage in a currency: first those of the plan, then those of all plans, each the newest first. Only prices
 * per request without an included quantity apply, because the cost of a request must be known when it is recorded.
 */
async function pricesIn(tx: EntityManager, currency: string, planPrice: Decimal): Promise<UsagePrice[]> {
  const plan = Object.entries(PLANS).find(([, { overagePrice: price }]) => price?.equals(planPrice))?.[0];
  const scopes = [...(plan ? [scopeText({ serviceType: `${OVERAGE_TYPE}_${plan}` })] : []), ALL_PLANS];
  const found = await tx.find(
    UsagePrice,
    { metric: UsageMetric.API_CALLS, model: UsagePriceModel.PER_UNIT, included: new Decimal(0), currency, scope: { $in: scopes } },
    { orderBy: { validFrom: 'desc', createdAt: 'desc', id: 'desc' } },
  );
  return found.toSorted((one, other) => scopes.indexOf(one.scope) - scopes.indexOf(other.scope));
}

const wasValid = ({ validFrom, validUntil }: UsagePrice): boolean => !validUntil || validUntil > validFrom;
const isValid = ({ validFrom, validUntil }: UsagePrice, at: Date): boolean => validFrom <= at && (!validUntil || validUntil > at);
