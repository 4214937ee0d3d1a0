import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { exceptIn, type Sweep, Sweeper } from '../../../kernel/records/due.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { requestOf } from '../../../kernel/request.ts';
import { MINUTE_MS } from '../../../kernel/values/days.ts';
import { billingAccountsOf } from '../accounts/billing-account-lock.ts';
import { type Customer, findCustomers } from '../customers/customer.ts';
import { UsageBilling } from '../usage/usage-billing.ts';
import { AccountBilling } from './account-billing.ts';
import { tryLockAccounts } from './account-lock.ts';
import { AccountSubscriptions, BILLABLE } from './account-subscriptions.ts';
import { billDueDays, type Loaded } from './due-billing.ts';
import { BillingSubscription } from './subscription.entity.ts';
import { subscriptionCancelled } from './subscription.events.ts';
import { ItemState, SubscriptionStatus } from './subscription.states.ts';
import { SubscriptionCharge } from './subscription-charge.entity.ts';
import { SubscriptionItem } from './subscription-item.entity.ts';

const NAME = 'billing.recurring';
/** Number of subscriptions that one transaction bills. A larger number would keep the counter of invoice numbers locked for too long. */
const BATCH = 50;
const LIMIT = 500;
const POSTPONE_MS = MINUTE_MS;

interface DueRow {
  id: string;
  organization_id: string;
  account_id: string;
}

type RunPorts = Pick<Ports, 'orm' | 'rows' | 'clock' | 'log' | 'graph' | 'database' | 'isClosed' | 'isSuspended' | 'except'>;

/** Bills the subscriptions whose next period begins. All processes run in parallel; each subscription is billed by only one process. */
export class RecurringRun {
  readonly sweeper: Sweeper;

  constructor(private readonly ports: RunPorts) {
    const except = exceptIn(ports.except);
    const query = `select 1 from "billing"."subscription" due where "bill_due_at" <= $1${except} order by "bill_due_at" limit 1`;
    const due = { table: 'billing.subscription', column: 'bill_due_at' } as const;
    this.sweeper = new Sweeper({ ...ports, name: NAME, poller: ports.database.poller, query, limit: LIMIT, due }, this.#sweep);
  }

  readonly #sweep: Sweep = async (now, limit, only) => {
    const condition = only === undefined ? exceptIn(this.ports.except) : ' and "organization_id" = $3';
    const due = await this.ports.rows.query<DueRow>(
      `select "id", "organization_id", "account_id" from "billing"."subscription" due
       where "bill_due_at" <= $1${condition} order by "bill_due_at" limit $2`,
      only === undefined ? [now, limit] : [now, limit, only],
    );
    let handled = 0;
    for (const [organizationId, rows] of inRandomOrder([...Map.groupBy(due, (row) => row.organization_id)])) {
      if (await this.#waits(organizationId)) handled += await this.#postpone(rows);
      else
        for (let first = 0; first < rows.length; first += BATCH)
          handled += await this.#batch(organizationId, rows.slice(first, first + BATCH));
    }
    // a subscription can be due again at once, if a run was missed
    return handled > 0 ? limit : 0;
  };

  async #waits(organizationId: string): Promise<boolean> {
    const { isClosed, isSuspended } = this.ports;
    return ((await isClosed?.(organizationId)) || (await isSuspended?.(organizationId))) ?? false;
  }

  /**
   * Bills subscriptions of one organization. If this fails, each half is billed separately, so that only the subscription with the error is
   * postponed.
   */
  async #batch(organizationId: string, rows: readonly DueRow[]): Promise<number> {
    try {
      return await this.#bill(organizationId, rows);
    } catch (error) {
      if (rows.length === 1) {
        this.ports.log.error({ err: error, subscription: rows[0]?.id }, 'a subscription could not be billed and will be retried');
        return this.#postpone(rows);
      }
      const middle = rows.length >> 1;
      return (await this.#batch(organizationId, rows.slice(0, middle))) + (await this.#batch(organizationId, rows.slice(middle)));
    }
  }

  async #postpone(rows: readonly DueRow[]): Promise<number> {
    const later = new Date(this.ports.clock.now().getTime() + POSTPONE_MS);
    const ids = rows.map(({ id }) => id);
    await this.ports.rows.query('update "billing"."subscription" set "bill_due_at" = $1 where "id" = any($2) and "bill_due_at" < $1', [
      later,
      ids,
    ]);
    return rows.length;
  }

  /** Leaves out subscriptions that another process has billed in the meantime, so that no data is read for them. */
  async #stillDue(found: readonly DueRow[]): Promise<DueRow[]> {
    const due = await this.ports.rows.query<{ id: string }>(
      'select "id" from "billing"."subscription" where "id" = any($1) and "bill_due_at" <= $2',
      [found.map(({ id }) => id), this.ports.clock.now()],
    );
    const ids = new Set(due.map(({ id }) => id));
    return found.filter(({ id }) => ids.has(id));
  }

  async #bill(organizationId: string, found: readonly DueRow[]): Promise<number> {
    const { orm, graph, log, clock } = this.ports;
    const rows = await this.#stillDue(found);
    if (rows.length === 0) return 0;
    const accountIds = rows.map((row) => row.account_id);
    // outside of the transaction, because another domain may need the same connection
    const customers = await findCustomers(graph, requestOf(NAME, organizationId, log), accountIds);
    return organizationEm(orm, organizationId).transactional(async (tx) => {
      const now = clock.now();
      const locked = await tryLockAccounts(tx, organizationId, accountIds);
      const due = await dueOfAccounts(tx, rows, locked, now);
      const usage = new UsageBilling(tx, organizationId);
      const known = due.filter(({ subscription }) => customers.has(subscription.accountId));
      const accounts = await billingAccountsOf(
        tx,
        organizationId,
        known.map(({ subscription }) => subscription.accountId),
        now,
      );
      const billingDays = new Map(accounts.map(({ accountId, billingDay }) => [accountId, billingDay]));
      const billed = known.map((loaded) => {
        const { accountId } = loaded.subscription;
        const customer = customers.get(accountId) as Customer;
        const billing = new AccountBilling(
          tx,
          { organizationId, customer, billingDay: billingDays.get(accountId) ?? null },
          now,
          undefined,
          usage,
        );
        return { subscriptions: new AccountSubscriptions(billing), loaded };
      });
      await billDueDays(billed, usage);
      for (const loaded of due) {
        const { accountId: account, id: subscription } = loaded.subscription;
        if (customers.has(account)) continue;
        log.warn({ account, subscription }, 'a subscription ended, because its account no longer exists');
        await endWithoutAccount(tx, loaded, now);
      }
      return due.length;
    });
  }
}

/** Shuffles the organizations, so that processes that run at the same time rarely bill the same organization. */
const inRandomOrder = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);

/**
 * Loads the subscriptions that are still due. For each locked account, it loads only the subscription that is due first, because billing it
 * can change the others.
 */
async function dueOfAccounts(tx: EntityManager, rows: readonly DueRow[], locked: Set<string>, now: Date): Promise<Loaded[]> {
  const ids = rows.filter((row) => locked.has(row.account_id)).map(({ id }) => id);
  const where = { id: { $in: ids }, billDueAt: { $lte: now } };
  const found = await tx.find(BillingSubscription, where, { orderBy: { accountId: 'asc', billDueAt: 'asc', id: 'asc' } });
  const due = found.filter(({ accountId }, index) => accountId !== found[index - 1]?.accountId);
  const subscriptionId = { $in: due.map(({ id }) => id) };
  const byAge = { orderBy: { createdAt: 'asc', id: 'asc' } } as const;
  const items = await tx.find(SubscriptionItem, { subscriptionId, ...BILLABLE }, byAge);
  const pending = await tx.find(SubscriptionCharge, { subscriptionId, billedAt: null }, byAge);
  return due.map((subscription) => ({
    subscription,
    items: items.filter((item) => item.subscriptionId === subscription.id),
    pending: pending.filter((charge) => charge.subscriptionId === subscription.id),
  }));
}

async function endWithoutAccount(tx: EntityManager, { subscription, items }: Loaded, now: Date): Promise<void> {
  for (const item of items) {
    item.lateUsageDueAt = null;
    if (item.state !== ItemState.ENDED) Object.assign(item, { state: ItemState.ENDED, endedAt: now });
  }
  subscription.billDueAt = null;
  if (subscription.status === SubscriptionStatus.CANCELLED) return;
  subscription.cancel(now, now);
  await record(tx, subscriptionCancelled({ subscription, items: [] }, 'The account no longer exists.'));
}
