import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { type FieldProblem, refuse } from '../../../kernel/errors/errors.ts';
import { record } from '../../../kernel/events/outbox.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/records/ids.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import { requireRevision } from '../../../kernel/records/revision.ts';
import { matching } from '../../../kernel/records/where.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import { startOfDay } from '../../../kernel/values/local-time.ts';
import { billingAccountOf } from '../accounts/billing-account-lock.ts';
import { localDay } from '../calculation/billing-periods.ts';
import { rescheduleCharges } from '../collection/charge-schedule.ts';
import { type Customer, findCustomers } from '../customers/customer.ts';
import { findBillable } from '../invoices/billable-services.ts';
import { type DocumentNumbers, noNumbers } from '../invoices/document-numbers.ts';
import type { PaymentMethod } from '../payments/payment-method.entity.ts';
import { PaymentMethodStatus } from '../payments/payment-method.states.ts';
import { AccountBilling } from './account-billing.ts';
import { lockAccount } from './account-lock.ts';
import { AccountSubscriptions, BILLABLE, serviceOf } from './account-subscriptions.ts';
import { billDueDay } from './due-billing.ts';
import { estimateNextInvoice, forecastInvoices, type NextInvoiceEstimate } from './next-invoice.ts';
import { BillingSubscription } from './subscription.entity.ts';
import { AutomaticSubscription, MethodNotReusable, ServiceNotBillable, SubscriptionEnded } from './subscription.errors.ts';
import { EVENT_ITEMS_MAX, nextDateOf, subscriptionCancelled } from './subscription.events.ts';
import type { BillingSubscriptionFilter, RecurringBillingInput, SubscriptionUpdateInput } from './subscription.inputs.ts';
import { CancelAt, ItemState, SubscriptionKind, SubscriptionStatus } from './subscription.states.ts';
import { changeTerms } from './subscription-change.ts';
import { SubscriptionCharge } from './subscription-charge.entity.ts';
import { SubscriptionItem } from './subscription-item.entity.ts';
import { type InvoicePreview, isBusy, previewOf, withoutStoring } from './subscription-preview.ts';

export interface SubscriptionServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  graph: Graph;
  subscriptions: RecordLoader<BillingSubscription>;
  methods: RecordLoader<PaymentMethod>;
}

/** Maximum time between now and the end of a preview. */
const PREVIEW_MAX_MS = 400 * DAY_MS;
const LIVE = { $ne: ItemState.ENDED } as const;

/** Creates, changes and cancels subscriptions (specification 4.5). */
export class SubscriptionService {
  constructor(private readonly deps: SubscriptionServiceDeps) {}

  /**
   * Creates a subscription. From its start on, the new subscription bills the services; until then, their current subscriptions bill them.
   * @throws ResourceNotFound, InvalidParameters for a service of another account or with another currency
   * @throws ServiceNotBillable, MethodNotReusable
   */
  async create({ accountId, services, paymentMethodId, startDate }: RecurringBillingInput): Promise<BillingSubscription> {
    const { em, graph, request, clock } = this.deps;
    const serviceIds = services.map(({ serviceId }) => serviceId);
    const found = await findBillable(graph, request, { accountId, serviceIds });
    const isOfOther = (serviceId: string): boolean => found.services.get(serviceId)?.accountId !== accountId;
    refuse(
      services.flatMap(({ serviceId }, index): FieldProblem[] =>
        isOfOther(serviceId)
          ? [{ field: `services.${index}.serviceId`, value: serviceId, reason: `is not a service of ${accountId}` }]
          : [],
      ),
    );
    await this.#requireMethod(accountId, paymentMethodId);
    const start = startDate ? startOf(startDate, found.customer, clock.now()) : null;
    return em.transactional(
      async (tx) => {
        const account = await this.#account(tx, found.customer, clock.now());
        const { now } = account.billing;
        const billed = await this.#takenOver(tx, serviceIds);
        const startsAt = services.map((_, index) => start ?? (billed[index] as SubscriptionItem).billedUntil);
        const { organizationId } = request.principal;
        const { currency } = await tx.findOneOrFail(BillingSubscription, { id: (billed[0] as SubscriptionItem).subscriptionId });
        const subscription = Object.assign(new BillingSubscription(), { id: newId('subscription'), organizationId, accountId, currency });
        Object.assign(subscription, {
          kind: SubscriptionKind.AGREED,
          paymentMethodId: paymentMethodId ?? null,
          createdAt: now,
          updatedAt: now,
        });
        subscription.startDate = new Date(Math.min(...startsAt.map((date) => date.getTime())));
        tx.persist(subscription);
        services.forEach(({ billingCycle, autoRenew }, index) => {
          const terms = { billingCycle, autoRenew, startsAt: startsAt[index] as Date };
          account.newItem(subscription, serviceOf(billed[index] as SubscriptionItem), terms);
        });
        await account.created(subscription);
        await account.reschedule(subscription);
        return subscription;
      },
      { clear: true },
    );
  }

  /**
   * Changes the terms of a subscription, or undoes its cancellation.
   * @throws ResourceNotFound (also for a service that the subscription does not bill), StaleResource,
   * AutomaticSubscription, SubscriptionEnded, MethodNotReusable
   */
  async update(id: string, input: SubscriptionUpdateInput, expectedRevision?: number | null): Promise<BillingSubscription> {
    const { em } = this.deps;
    const customer = await this.#customerOf(id, input);
    return em.transactional(
      async (tx) => {
        const before = (await tx.findOne(BillingSubscription, { id }))?.paymentMethodId;
        const subscription = await this.#update(tx, customer, id, input, expectedRevision);
        const { organizationId, accountId, paymentMethodId } = subscription;
        if (paymentMethodId !== before) await rescheduleCharges(tx, { organizationId, accountId, subscriptionId: id });
        return subscription;
      },
      { clear: true },
    );
  }

  /**
   * Cancels a subscription. Its services return to the automatic subscription of the account.
   * @throws ResourceNotFound, StaleResource, AutomaticSubscription, SubscriptionEnded
   */
  async cancel(id: string, at: CancelAt, reason: string | null, expectedRevision?: number | null): Promise<BillingSubscription> {
    const { em, clock } = this.deps;
    const customer = await this.#customerOf(id, {});
    return em.transactional(
      async (tx) => {
        const account = await this.#account(tx, customer, clock.now());
        const { billing } = account;
        const subscription = orNotFound(await tx.findOne(BillingSubscription, { id }, LOCKED), 'billing_subscription', id);
        requireRevision(subscription, expectedRevision);
        if (subscription.kind === SubscriptionKind.AUTOMATIC) throw new AutomaticSubscription(id);
        const items = await tx.find(SubscriptionItem, { subscriptionId: id, state: LIVE });
        const isOver = subscription.status === SubscriptionStatus.CANCELLED && (items.length === 0 || at === CancelAt.PERIOD_END);
        if (isOver) throw new SubscriptionEnded(id, SubscriptionStatus.CANCELLED, items.length === 0);
        const active = items.filter(({ state }) => state === ItemState.ACTIVE);
        for (const item of items) if (!active.includes(item)) billing.drop(item);
        if (at === CancelAt.NOW) for (const item of active) await account.giveBack(item, subscription.currency, billing.now);
        const ends = at === CancelAt.NOW ? [] : active.map(({ billedUntil }) => billedUntil.getTime());
        subscription.cancel(new Date(Math.max(billing.now.getTime(), ...ends)), billing.now);
        await tx.flush();
        const left = await tx.find(SubscriptionItem, { subscriptionId: id }, { orderBy: { createdAt: 'asc', id: 'asc' } });
        const all = { count: left.length, nextDate: nextDateOf(left) };
        await record(tx, subscriptionCancelled({ subscription, items: left.slice(-EVENT_ITEMS_MAX), all }, reason));
        await account.reschedule(subscription);
        return subscription;
      },
      { clear: true },
    );
  }

  find(id: string): Promise<BillingSubscription | null> {
    return this.deps.subscriptions.load(id);
  }

  list({ accountId, status }: BillingSubscriptionFilter, page: PageInput): Promise<Page<BillingSubscription>> {
    const where = matching<BillingSubscription>({ accountId, status });
    return listPage(this.deps.em, BillingSubscription, { where, sort: [], page, defaultSort: NEWEST_FIRST });
  }

  /**
   * Returns the invoices that the recurring run would issue for an account until `at`. Without `at`, returns the invoices of the next due
   * day. Nothing is stored. If another transaction is changing the account, the invoices are computed from a snapshot instead of waiting.
   * @throws ResourceNotFound, InvalidParameters
   */
  async preview(accountId: string, at: Date | null): Promise<InvoicePreview[]> {
    const { clock } = this.deps;
    if (at && at.getTime() - clock.now().getTime() > PREVIEW_MAX_MS)
      refuse([{ field: 'at', value: at, reason: 'must not be more than 400 days ahead' }]);
    const customer = await this.#customer(accountId);
    try {
      return await withoutStoring(this.deps.em, (tx) => this.#simulate(tx, customer, at), true);
    } catch (error) {
      if (!isBusy(error)) throw error;
      const end = at ?? new Date(clock.now().getTime() + PREVIEW_MAX_MS);
      return (await forecastInvoices(this.deps.em, customer, { end, isFirstOnly: at === null })).map(previewOf);
    }
  }

  /**
   * Returns the next invoices that an account would get after a change of a subscription, without making the change.
   * @throws the errors of `update`
   */
  async previewChange(id: string, input: SubscriptionUpdateInput): Promise<InvoicePreview[]> {
    const customer = await this.#customerOf(id, input);
    return withoutStoring(this.deps.em, async (tx) => {
      await this.#update(tx, customer, id, input);
      return this.#simulate(tx, customer, null);
    });
  }

  /** Returns the expected time and amount of the next invoice of an account. Null if no invoice is expected. */
  async nextInvoice(accountId: string): Promise<NextInvoiceEstimate | null> {
    return estimateNextInvoice(this.deps.em, await this.#customer(accountId));
  }

  async #update(tx: EntityManager, customer: Customer, id: string, input: SubscriptionUpdateInput, expectedRevision?: number | null) {
    const account = await this.#account(tx, customer, this.deps.clock.now());
    const subscription = orNotFound(await tx.findOne(BillingSubscription, { id }, LOCKED), 'billing_subscription', id);
    requireRevision(subscription, expectedRevision);
    const items = await tx.find(SubscriptionItem, { subscriptionId: id, state: LIVE });
    changeTerms(subscription, items, input, account.billing.now);
    await account.updated(subscription);
    await account.reschedule(subscription);
    return subscription;
  }

  /** Runs the recurring run for one account as if the time were `at`. If `at` is null, runs it until it issues the next invoices. */
  async #simulate(tx: EntityManager, customer: Customer, at: Date | null): Promise<InvoicePreview[]> {
    // the run may bill the account now; it must not change what is due between two statements
    await lockAccount(tx, this.deps.request.principal.organizationId, customer.accountId);
    let end = at ?? new Date(this.deps.clock.now().getTime() + PREVIEW_MAX_MS);
    const previews: InvoicePreview[] = [];
    for (let next = await nextDue(tx, customer.accountId); next && next <= end; next = await nextDue(tx, customer.accountId)) {
      // each day at its own time, so that previews have the dates of the invoices
      const account = await this.#account(tx, customer, next, noNumbers);
      const where = { accountId: customer.accountId, billDueAt: { $lte: next } };
      const subscription = await tx.findOneOrFail(BillingSubscription, where, { orderBy: { billDueAt: 'asc', id: 'asc' } });
      const items = await tx.find(SubscriptionItem, { subscriptionId: subscription.id, ...BILLABLE });
      const pending = await tx.find(SubscriptionCharge, { subscriptionId: subscription.id, billedAt: null });
      await billDueDay(account, { subscription, items, pending });
      previews.push(...account.billing.issued.map(previewOf));
      // a due time without anything to pay has no invoice, such as a month without usage
      if (!at && previews.length > 0) end = next;
    }
    return previews;
  }

  async #account(tx: EntityManager, customer: Customer, now: Date, numbers?: DocumentNumbers): Promise<AccountSubscriptions> {
    const { organizationId } = this.deps.request.principal;
    await lockAccount(tx, organizationId, customer.accountId);
    const { billingDay } = await billingAccountOf(tx, organizationId, customer.accountId, now);
    return new AccountSubscriptions(new AccountBilling(tx, { organizationId, customer, billingDay }, now, numbers));
  }

  /** Returns the items that bill the services now, in the order of the item ids. */
  async #takenOver(tx: EntityManager, serviceIds: readonly string[]): Promise<SubscriptionItem[]> {
    const items = await tx.find(SubscriptionItem, { serviceId: { $in: [...serviceIds] }, state: LIVE });
    const billed = serviceIds.map((id) => {
      const ofService = items.filter(({ serviceId }) => serviceId === id);
      if (ofService.some(({ state }) => state === ItemState.PLANNED))
        throw new ServiceNotBillable(id, 'will be taken over by another subscription');
      const [active] = ofService;
      if (!active) throw new ServiceNotBillable(id, 'is not in service');
      return active;
    });
    const of = await tx.find(BillingSubscription, { id: { $in: billed.map(({ subscriptionId }) => subscriptionId) } });
    const currencyOf = ({ subscriptionId }: SubscriptionItem) => of.find(({ id }) => id === subscriptionId)?.currency;
    const currency = currencyOf(billed[0] as SubscriptionItem);
    refuse(
      billed.flatMap((item, index): FieldProblem[] =>
        currencyOf(item) === currency
          ? []
          : [
              {
                field: `services.${index}.serviceId`,
                value: item.serviceId,
                reason: `is billed in ${currencyOf(item)}, not in ${currency}`,
              },
            ],
      ),
    );
    return billed;
  }

  /** Checks a change before the transaction begins, and returns the account. */
  async #customerOf(id: string, { paymentMethodId }: SubscriptionUpdateInput): Promise<Customer> {
    const { accountId } = orNotFound(await this.deps.subscriptions.load(id), 'billing_subscription', id);
    await this.#requireMethod(accountId, paymentMethodId);
    return this.#customer(accountId);
  }

  async #customer(accountId: string): Promise<Customer> {
    const { graph, request } = this.deps;
    return orNotFound((await findCustomers(graph, request, [accountId])).get(accountId), 'account', accountId);
  }

  async #requireMethod(accountId: string, id: string | null | undefined): Promise<void> {
    if (!id) return;
    const method = await this.deps.methods.load(id);
    const isUsable = method?.accountId === accountId && method.status === PaymentMethodStatus.ACTIVE;
    const { reusable } = orNotFound(isUsable ? method : null, 'payment_method', id);
    if (!reusable) throw new MethodNotReusable(id);
  }
}

/** Returns the time at which the next subscription of an account must be billed. Null if no subscription must be billed. */
async function nextDue(tx: EntityManager, accountId: string): Promise<Date | null> {
  await tx.flush();
  const where = { accountId, billDueAt: { $ne: null } };
  return (await tx.findOne(BillingSubscription, where, { orderBy: { billDueAt: 'asc' } }))?.billDueAt ?? null;
}

/** Returns the start of a date in the time zone of the account. */
function startOf(date: Date, { timezone }: Customer, now: Date): Date {
  const day = localDay(date, timezone);
  if (day < localDay(now, timezone)) refuse([{ field: 'startDate', value: date, reason: 'must not be before today' }]);
  return startOfDay(day, timezone);
}
