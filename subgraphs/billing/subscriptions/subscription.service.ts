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
import { billingAccountOf } from '../accounts/billing-account-lock.ts';
import { localDay } from '../calculation/billing-periods.ts';
import { startOfDay } from '../calculation/local-time.ts';
import { type Customer, findCustomers } from '../customers/customer.ts';
import { findBillable } from '../invoices/billable-services.ts';
import type { PaymentMethod } from '../payments/payment-method.entity.ts';
import { AccountBilling } from './account-billing.ts';
import { lockAccount } from './account-lock.ts';
import { AccountSubscriptions, serviceOf } from './account-subscriptions.ts';
import { billDueDay } from './due-billing.ts';
import { BillingSubscription } from './subscription.entity.ts';
import { AutomaticSubscription, MethodNotReusable, ServiceNotBillable, SubscriptionEnded } from './subscription.errors.ts';
import { subscriptionCancelled } from './subscription.events.ts';
import type { BillingSubscriptionFilter, RecurringBillingInput, SubscriptionUpdateInput } from './subscription.inputs.ts';
import { CancelAt, ItemState, SubscriptionKind, SubscriptionStatus } from './subscription.states.ts';
import { changeTerms } from './subscription-change.ts';
import { SubscriptionCharge } from './subscription-charge.entity.ts';
import { SubscriptionItem } from './subscription-item.entity.ts';
import { type InvoicePreview, previewOf, withoutStoring } from './subscription-preview.ts';

export interface SubscriptionServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  graph: Graph;
  subscriptions: RecordLoader<BillingSubscription>;
  methods: RecordLoader<PaymentMethod>;
}

/** Longest time that a preview looks ahead. */
const PREVIEW_MAX_MS = 400 * DAY_MS;
const LIVE = { $ne: ItemState.ENDED } as const;

/** Creates, changes and cancels subscriptions (specification 4.5). */
export class SubscriptionService {
  constructor(private readonly deps: SubscriptionServiceDeps) {}

  /**
   * Creates a subscription that takes services over from their present ones at its start.
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
   * @throws ResourceNotFound (also for a service of no item), StaleResource, AutomaticSubscription, SubscriptionEnded, MethodNotReusable
   */
  async update(id: string, input: SubscriptionUpdateInput, expectedRevision?: number | null): Promise<BillingSubscription> {
    const { em } = this.deps;
    const customer = await this.#customerOf(id, input);
    return em.transactional((tx) => this.#update(tx, customer, id, input, expectedRevision), { clear: true });
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
        await record(tx, subscriptionCancelled({ subscription, items: left }, reason));
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
   * Returns the invoices that the recurring run would issue for an account until `at`; by default, the next ones. Nothing is stored.
   * @throws ResourceNotFound, InvalidParameters
   */
  async preview(accountId: string, at: Date | null): Promise<InvoicePreview[]> {
    const { clock } = this.deps;
    if (at && at.getTime() - clock.now().getTime() > PREVIEW_MAX_MS)
      refuse([{ field: 'at', value: at, reason: 'must not be more than 400 days ahead' }]);
    const customer = await this.#customer(accountId);
    return withoutStoring(this.deps.em, (tx) => this.#simulate(tx, customer, at));
  }

  /**
   * Returns the next invoices of an account after a change of a subscription, without making the change.
   * @throws the errors of `update`
   */
  async previewChange(id: string, input: SubscriptionUpdateInput): Promise<InvoicePreview[]> {
    const customer = await this.#customerOf(id, input);
    return withoutStoring(this.deps.em, async (tx) => {
      await this.#update(tx, customer, id, input);
      return this.#simulate(tx, customer, null);
    });
  }

  /** Returns when the next invoice of an account is expected, and its amount in the currency of the invoice. Null if none is. */
  async nextInvoice(accountId: string): Promise<{ date: Date; amount: InvoicePreview['amount']; currency: string } | null> {
    const [next] = await this.preview(accountId, null);
    return next ? { date: next.date, amount: next.amount, currency: next.currency } : null;
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

  /** Runs the recurring run for one account, as if it were `at`. */
  async #simulate(tx: EntityManager, customer: Customer, at: Date | null): Promise<InvoicePreview[]> {
    const now = at ?? (await nextDue(tx, customer.accountId));
    const previews: InvoicePreview[] = [];
    for (let next = await nextDue(tx, customer.accountId); now && next && next <= now; next = await nextDue(tx, customer.accountId)) {
      // each day at its own time, so that previews have the dates of the invoices
      const account = await this.#account(tx, customer, next);
      const where = { accountId: customer.accountId, billDueAt: { $lte: next } };
      const subscription = await tx.findOneOrFail(BillingSubscription, where, { orderBy: { billDueAt: 'asc', id: 'asc' } });
      const items = await tx.find(SubscriptionItem, { subscriptionId: subscription.id, state: LIVE });
      const pending = await tx.find(SubscriptionCharge, { subscriptionId: subscription.id, billedAt: null });
      await billDueDay(account, { subscription, items, pending });
      previews.push(...account.billing.issued.map(previewOf));
    }
    return previews;
  }

  async #account(tx: EntityManager, customer: Customer, now: Date): Promise<AccountSubscriptions> {
    const { organizationId } = this.deps.request.principal;
    await lockAccount(tx, organizationId, customer.accountId);
    const { billingDay } = await billingAccountOf(tx, organizationId, customer.accountId, now);
    return new AccountSubscriptions(new AccountBilling(tx, { organizationId, customer, billingDay }, now));
  }

  /** Returns the items that bill services now, in the order of the ids. */
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

  /** Checks a change before its transaction, and returns the account. */
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
    const { reusable } = orNotFound(method?.accountId === accountId ? method : null, 'payment_method', id);
    if (!reusable) throw new MethodNotReusable(id);
  }
}

/** Returns when the next subscription of an account must be billed; null if none must. */
async function nextDue(tx: EntityManager, accountId: string): Promise<Date | null> {
  await tx.flush();
  const where = { accountId, billDueAt: { $ne: null } };
  return (await tx.findOne(BillingSubscription, where, { orderBy: { billDueAt: 'asc' } }))?.billDueAt ?? null;
}

/** Returns the start of the local day of a date. */
function startOf(date: Date, { timezone }: Customer, now: Date): Date {
  const day = localDay(date, timezone);
  if (day < localDay(now, timezone)) refuse([{ field: 'startDate', value: date, reason: 'must not be before today' }]);
  return startOfDay(day, timezone);
}
