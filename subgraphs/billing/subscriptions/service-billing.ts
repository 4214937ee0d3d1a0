import type { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import { startOfDay } from '../../../kernel/values/local-time.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import { localDay } from '../calculation/billing-periods.ts';
import { CreditCause } from '../credits/credit-note.states.ts';
import type { LineDraft } from '../invoices/invoice-issue.ts';
import { LineKind } from '../invoices/line-kind.ts';
import type { AccountSubscriptions } from './account-subscriptions.ts';
import { BillingSubscription } from './subscription.entity.ts';
import { ItemState, SubscriptionKind } from './subscription.states.ts';
import { SubscriptionItem } from './subscription-item.entity.ts';

/** Data of an event about a service, as JSON can store it. */
export interface ServiceReport {
  eventId: string;
  /** True if the service was decommissioned. */
  isEnd: boolean;
  serviceId: string;
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

/** Bills changes of the services of one account. The transaction must hold the lock of the account. */
export class ServiceBilling {
  constructor(private readonly subscriptions: AccountSubscriptions) {}

  /** Adds a new service to the automatic subscription of its account, and invoices its first period. */
  async provisioned(report: ServiceReport): Promise<void> {
    if ((await this.#itemsOf(report.serviceId)).length > 0) return;
    const { billing } = this.subscriptions;
    const { serviceId, name, category, cycle: serviceCycle, currency } = report;
    const provisionedAt = new Date(report.provisionedAt);
    const price = new Decimal(report.price);
    const service = { serviceId, name, category, serviceCycle, price, pricedAt: provisionedAt };
    // the day on which a service begins counts whole
    const start = startOfDay(localDay(provisionedAt, billing.zone), billing.zone);
    const { subscription, item } = await this.subscriptions.join(service, currency, start, { charge: true });
    const reports = await this.takeEarly(serviceId);
    for (const early of reports.filter(({ isEnd }) => !isEnd)) await this.#reprice(item, early);
    const end = reports.find(({ isEnd }) => isEnd);
    if (end) await this.#end(item, subscription, new Date(end.at), { source: report.eventId, more: feeOf(report) });
    else await this.#billPending(item, subscription, { source: report.eventId, more: feeOf(report) });
    await this.subscriptions.reschedule(subscription);
  }

  /**
   * Changes the price of a service, or ends its billing. A report that arrives before the report of the provisioning is stored until the
   * service is provisioned.
   */
  async changed(report: ServiceReport): Promise<void> {
    const at = new Date(report.at);
    const items = await this.#itemsOf(report.serviceId);
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

  #itemsOf(serviceId: string): Promise<SubscriptionItem[]> {
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

  /** Returns and deletes the reports that arrived before the report of the provisioning, in the order of the changes. */
  async takeEarly(serviceId: string): Promise<ServiceReport[]> {
    const { tx, account } = this.subscriptions.billing;
    const rows = await tx.execute<{ service: ServiceReport }[]>(
      'delete from "billing"."early_service_event" where "organization_id" = ? and "service_id" = ? returning "service"',
      [account.organizationId, serviceId],
    );
    return rows.map(({ service }) => service).sort((one, other) => one.at.localeCompare(other.at));
  }
}

/** Returns the invoice line for the price that is charged once. Empty if the service has no such price. */
function feeOf({ serviceId, name, category, fee }: ServiceReport): LineDraft[] {
  if (fee === 0) return [];
  return [{ serviceId, description: `${name}, installation`, category, kind: LineKind.FEE, quantity: 1, unitPrice: new Decimal(fee) }];
}
