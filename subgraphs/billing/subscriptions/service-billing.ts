import type { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { startOfDay } from '../../../kernel/values/local-time.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { localDay } from '../calculation/billing-periods.ts';
import { CreditCause } from '../credits/credit-note.states.ts';
import type { LineDraft } from '../invoices/invoice-issue.ts';
import { LineKind } from '../invoices/line-kind.ts';
import { type Bill, issueBills } from './account-billing.ts';
import type { AccountSubscriptions } from './account-subscriptions.ts';
import { BillingSubscription } from './subscription.entity.ts';
import { ItemState, SubscriptionKind } from './subscription.states.ts';
import type { SubscriptionCharge } from './subscription-charge.entity.ts';
import { SubscriptionItem } from './subscription-item.entity.ts';

/** Data of an event about a service, as JSON can store it. */
export interface ServiceReport {
  eventId: string;
  /** True if the service was decommissioned. */
  isEnd: boolean;
  serviceId: string;
  accountId: string;
  name: string;
  category: string;
  cycle: BillingCycle;
  /** Price of the service for one month. */
  price: number;
  currency: string;
  /** Price of the service that is charged once. */
  fee: number;
  provisionedAt: string;
  /** Time at which the service changed. */
  at: string;
}

/** Bills the first periods of services that were provisioned, each with its own invoice. The transaction must hold the locks of `accounts`. */
export async function billProvisioned(accounts: readonly ServiceBilling[], reports: readonly ServiceReport[]): Promise<void> {
  const joined: Joined[] = [];
  for (const account of accounts) joined.push(...(await account.provisioned(reports)));
  await issueBills(joined.flatMap(({ account, bills }) => bills.map((bill) => ({ billing: account.subscriptions.billing, bill }))));
  for (const { account, subscription } of joined) await account.subscriptions.reschedule(subscription);
}

/** Services that were added to a subscription, and the bills of their first periods. */
interface Joined {
  account: ServiceBilling;
  subscription: BillingSubscription;
  bills: Bill[];
}

/** Bills changes of the services of one account. The transaction must hold the lock of the account. */
export class ServiceBilling {
  constructor(readonly subscriptions: AccountSubscriptions) {}

  /**
   * Adds the new services of this account to its automatic subscriptions: one for each currency. The caller issues the bills of their first
   * periods.
   */
  async provisioned(reports: readonly ServiceReport[]): Promise<Joined[]> {
    const { customer } = this.subscriptions.billing.account;
    const own = reports.filter(({ accountId }) => accountId === customer.accountId);
    const { billed, early } = await this.#billedOrEarly(own.map(({ serviceId }) => serviceId));
    const added = new Map(own.filter(({ serviceId }) => !billed.has(serviceId)).map((report) => [report.serviceId, report]));
    const joined: Joined[] = [];
    for (const [currency, ofCurrency] of Map.groupBy(added.values(), (report) => report.currency))
      joined.push(await this.#join(ofCurrency, currency, early));
    return joined;
  }

  async #join(added: readonly ServiceReport[], currency: string, early: readonly ServiceReport[]): Promise<Joined> {
    const { zone } = this.subscriptions.billing;
    const joining = added.map(({ serviceId, name, category, cycle: serviceCycle, price, provisionedAt }) => {
      const pricedAt = new Date(provisionedAt);
      // the day on which a service begins counts whole
      const start = startOfDay(localDay(pricedAt, zone), zone);
      return { service: { serviceId, name, category, serviceCycle, price: new Decimal(price), pricedAt }, start };
    });
    const { subscription, items, charges } = await this.subscriptions.joinAll(joining, currency, { charge: true });
    const bills: Bill[] = [];
    for (const [index, report] of added.entries()) {
      const item = items[index] as SubscriptionItem;
      const bill = { subscription, source: report.eventId, more: feeOf(report) };
      const later = early.filter(({ serviceId }) => serviceId === report.serviceId);
      for (const change of later.filter(({ isEnd }) => !isEnd)) await this.#reprice(item, change);
      const end = later.find(({ isEnd }) => isEnd);
      if (end) await this.#end(item, subscription, new Date(end.at), bill);
      else if (later.length > 0) await this.#billPending(item, subscription, bill);
      else bills.push({ ...bill, charges: [{ charge: charges[index] as SubscriptionCharge, item }] });
    }
    return { account: this, subscription, bills };
  }

  /**
   * Changes the price of a service, or ends its billing. A report that arrives before the report of the provisioning is stored until the
   * service is provisioned.
   */
  async changed(report: ServiceReport): Promise<void> {
    const at = new Date(report.at);
    const items = await this.#itemsOf([report.serviceId]);
    if (items.length === 0) return this.#storeEarly(report);
    const billed = items.filter(({ state, endedAt }) => state !== ItemState.PLANNED && (endedAt === null || endedAt > at));
    const active = billed.find(({ state }) => state === ItemState.ACTIVE);
    const planned = items.find(({ state }) => state === ItemState.PLANNED);
    if (report.isEnd) {
      if (planned) await this.#drop(planned);
      if (active) {
        const subscription = await this.#subscriptionOf(active);
        // items that another one has followed since the service ended
        for (const item of billed.filter((one) => one !== active)) {
          await this.subscriptions.billing.close(item, at, CreditCause.CANCEL);
          await this.subscriptions.movePending(item, subscription);
        }
        await this.#end(active, subscription, at);
        await this.subscriptions.updated(subscription);
        await this.subscriptions.reschedule(subscription);
      }
      return;
    }
    for (const item of billed) await this.#reprice(item, report);
    const ended = billed.filter((item) => item !== active);
    const target = active ? await this.#subscriptionOf(active) : null;
    for (const item of ended) {
      if (target) await this.subscriptions.movePending(item, target);
      else await this.#billPending(item, await this.#subscriptionOf(item));
    }
    if (!target) return;
    await this.subscriptions.updated(target);
    await this.subscriptions.reschedule(target);
  }

  async #reprice(item: SubscriptionItem, { name, cycle, price, at: reported }: ServiceReport): Promise<void> {
    const at = new Date(reported);
    if (item.pricedAt <= at) {
      Object.assign(item, { name, serviceCycle: cycle });
      const { kind } = await this.#subscriptionOf(item);
      // counts from the next period
      if (kind === SubscriptionKind.AUTOMATIC) item.billingCycle = cycle;
    }
    await this.subscriptions.billing.reprice(item, at, new Decimal(price));
  }

  /** Bills the pending charges and the metered usage of a service for the last time. The unused part of invoiced charges is credited. */
  async #end(
    item: SubscriptionItem,
    subscription: BillingSubscription,
    at: Date,
    { source, more = [] }: { source?: string; more?: LineDraft[] } = {},
  ): Promise<void> {
    const { billing } = this.subscriptions;
    await billing.closeLast(item, at);
    const usage = await billing.usageOf(item, subscription.currency, at);
    await this.#billPending(item, subscription, { ...(source && { source }), more: [...more, ...usage] });
  }

  async #billPending(
    item: SubscriptionItem,
    subscription: BillingSubscription,
    { source, more = [] }: { source?: string; more?: LineDraft[] } = {},
  ): Promise<void> {
    const pending = await this.subscriptions.pendingOf(item.id);
    if (pending.length === 0 && more.length === 0) return;
    const charges = pending.map((charge) => ({ charge, item }));
    await this.subscriptions.billing.bill({ subscription, charges, more, ...(source && { source }) });
  }

  async #drop(item: SubscriptionItem): Promise<void> {
    this.subscriptions.billing.drop(item);
    await this.subscriptions.reschedule(await this.#subscriptionOf(item));
  }

  #itemsOf(serviceIds: readonly string[]): Promise<SubscriptionItem[]> {
    const serviceId = { $in: [...serviceIds] };
    return this.subscriptions.billing.tx.find(SubscriptionItem, { serviceId }, { orderBy: { createdAt: 'asc', id: 'asc' } });
  }

  #subscriptionOf({ subscriptionId: id }: SubscriptionItem): Promise<BillingSubscription> {
    return this.subscriptions.billing.tx.findOneOrFail(BillingSubscription, { id });
  }

  async #storeEarly(report: ServiceReport): Promise<void> {
    const { tx, account } = this.subscriptions.billing;
    await tx.execute(
      `insert into "billing"."early_service_event" ("organization_id", "service_id", "event_id", "service", "occurred_at")
       values (?, ?, ?, ?::text::jsonb, ?) on conflict do nothing`,
      [account.organizationId, report.serviceId, report.eventId, JSON.stringify(report), report.at],
    );
  }

  /** Returns and deletes the reports that arrived before the reports of the provisioning, in the order of the changes. */
  async takeEarly(serviceIds: readonly string[]): Promise<ServiceReport[]> {
    const { tx, account } = this.subscriptions.billing;
    const rows = await tx.execute<{ service: ServiceReport }[]>(TAKE_EARLY, [account.organizationId, JSON.stringify(serviceIds)]);
    return inOrder(rows.map(({ service }) => service));
  }

  /** Returns which of the services are billed already, and takes the early reports (`takeEarly`), with one statement. */
  async #billedOrEarly(serviceIds: readonly string[]): Promise<{ billed: Set<string>; early: ServiceReport[] }> {
    const { tx, account } = this.subscriptions.billing;
    const rows = await tx.execute<{ billed: string | null; service: ServiceReport | null }[]>(
      `with "early" as (${TAKE_EARLY})
       select null as "billed", "service" from "early"
       union all select "service_id", null from "billing"."subscription_item"
         where "organization_id" = ? and "service_id" = any(array(select json_array_elements_text(?::json)))`,
      [account.organizationId, JSON.stringify(serviceIds), account.organizationId, JSON.stringify(serviceIds)],
    );
    return {
      billed: new Set(rows.flatMap(({ billed }) => billed ?? [])),
      early: inOrder(rows.flatMap(({ service }) => service ?? [])),
    };
  }
}

const TAKE_EARLY = `delete from "billing"."early_service_event" where "organization_id" = ?
  and "service_id" = any(array(select json_array_elements_text(?::json))) returning "service"`;

const inOrder = (reports: ServiceReport[]): ServiceReport[] => reports.sort((one, other) => one.at.localeCompare(other.at));

/** Returns the invoice line for the price that is charged once. Empty if the service has no such price. */
function feeOf({ serviceId, name, category, fee }: ServiceReport): LineDraft[] {
  if (fee === 0) return [];
  return [{ serviceId, description: `${name}, installation`, category, kind: LineKind.FEE, quantity: 1, unitPrice: new Decimal(fee) }];
}
