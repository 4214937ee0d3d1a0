import { z } from 'zod';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import { type Reaction, timestamp } from '../../../kernel/events/events.ts';
import { platformTime } from '../../../kernel/organization-clock.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { requestOf } from '../../../kernel/request.ts';
import { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { startOfDay } from '../../../kernel/values/local-time.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import type { BillingAccount } from '../accounts/billing-account.entity.ts';
import { billingAccountOf } from '../accounts/billing-account-lock.ts';
import { localDay } from '../calculation/billing-periods.ts';
import { findCustomers } from '../customers/customer.ts';
import type { UsageStore } from '../usage/usage.store.ts';
import { OVERAGE_SOURCE } from '../usage/usage-event.rules.ts';
import { UsageMetric } from '../usage-prices/usage-metric.states.ts';
import { AccountBilling } from './account-billing.ts';
import { lockAccount } from './account-lock.ts';
import { AccountSubscriptions } from './account-subscriptions.ts';
import { OVERAGE_TYPE, overagePrice } from './overage-price.ts';
import { ItemState } from './subscription.states.ts';
import { SubscriptionItem } from './subscription-item.entity.ts';

/** The fields of the event `overage.recorded` that billing uses. The event may have more fields. */
const recorded = z.object({
  data: z.object({
    account_id: z.string(),
    quantity: z.int().positive(),
    unit_price: z.string(),
    currency: z.string(),
    used_at: timestamp,
    source: z.string(),
  }),
});

const NAME = 'billing.overage';
/** Name of the overage in subscriptions and on invoices. */
const ITEM = 'API requests beyond the plan';
const CATEGORY = 'other';

/**
 * Returns the reaction to the event `overage.recorded`. API requests of an organization beyond its plan become usage of its customer
 * account at the operator's organization. This usage has the id of the account instead of a service id. An item with price 0 in the
 * automatic subscription bills it. Repeated events count once.
 */
export const chargedOverage = ({ orm, graph, clock, log }: Ports, store: UsageStore): Reaction => ({
  name: NAME,
  on: 'overage.recorded',
  async handle({ organizationId, payload }) {
    const { account_id: accountId, unit_price: price, source: id, ...overage } = recorded.parse(JSON.parse(payload)).data;
    const { quantity } = overage;
    const customer = (await findCustomers(graph, requestOf(NAME, organizationId, log), [accountId])).get(accountId);
    if (!customer) return log.warn({ account: accountId, source: id }, 'overage is not billed, because its account no longer exists');
    const now = clock.now();
    // the times of other domains say nothing to an organization with its own time in billing
    const occurredAt = platformTime() ? now : new Date(overage.used_at);
    const { timezone: zone } = customer;
    const locked = <T>(act: (tx: EntityManager, account: BillingAccount) => Promise<T>): Promise<T> =>
      organizationEm(orm, organizationId).transactional(async (tx: EntityManager) => {
        await lockAccount(tx, organizationId, accountId);
        return act(tx, await billingAccountOf(tx, organizationId, accountId, now));
      });
    const plan = { currency: overage.currency, unitPrice: new Decimal(price) };
    const { currency, unitPrice } = await locked((tx, account) => overagePrice(tx, account, plan, occurredAt));
    const service = { serviceId: accountId, accountId, category: null, type: OVERAGE_TYPE, serviceType: OVERAGE_TYPE, currency, zone };
    const used = { metric: UsageMetric.API_CALLS, quantity: new Decimal(quantity), unitPrice, occurredAt };
    // before the item, so that a run between both finds the usage
    await store.write(organizationId, [{ source: OVERAGE_SOURCE, id, service, ...used }], now);
    await locked(async (tx, { billingDay }) => {
      const billing = new AccountBilling(tx, { organizationId, customer, billingDay }, now);
      await addItem(new AccountSubscriptions(billing), currency, occurredAt);
    });
  },
});

/** Adds the item that bills the usage of the account, unless it exists. Its periods are the billing months of the account. */
async function addItem(subscriptions: AccountSubscriptions, currency: string, usedAt: Date): Promise<void> {
  const { billing } = subscriptions;
  const { tx, zone } = billing;
  const { accountId: serviceId } = billing.account.customer;
  if ((await tx.count(SubscriptionItem, { serviceId, state: ItemState.ACTIVE })) > 0) return;
  const start = startOfDay(`${localDay(usedAt, zone).slice(0, 7)}-01`, zone);
  const priced = { serviceCycle: BillingCycle.MONTHLY, price: new Decimal(0), pricedAt: start };
  const { subscription, item } = await subscriptions.join({ serviceId, name: ITEM, category: CATEGORY, ...priced }, currency, start);
  await billing.bill({ subscription, charges: [{ charge: billing.charge(item), item }] });
  await subscriptions.reschedule(subscription);
}
