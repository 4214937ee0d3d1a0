import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Ports } from '../../../kernel/domain.ts';
import { record } from '../../../kernel/events/outbox.ts';
import { type Sweep, Sweeper } from '../../../kernel/records/due.ts';
import { organizationEm } from '../../../kernel/records/organization-filter.ts';
import { requestOf } from '../../../kernel/request.ts';
import { MINUTE_MS } from '../../../kernel/values/days.ts';
import { billingAccountOf } from '../accounts/billing-account-lock.ts';
import { findCustomers } from '../customers/customer.ts';
import { AccountBilling } from './account-billing.ts';
import { tryLockAccounts } from './account-lock.ts';
import { AccountSubscriptions } from './account-subscriptions.ts';
import { billDueDay, type Loaded } from './due-billing.ts';
import { BillingSubscription } from './subscription.entity.ts';
import { subscriptionCancelled } from './subscription.events.ts';
import { ItemState, SubscriptionStatus } from './subscription.states.ts';
import { SubscriptionCharge } from './subscription-charge.entity.ts';
import { SubscriptionItem } from './subscription-item.entity.ts';

const NAME = 'billing.recurring';
/** Number of subscriptions that one transaction bills. A larger one would keep the invoice numbers locked for too long. */
const BATCH = 50;
const LIMIT = 500;
const POSTPONE_MS = MINUTE_MS;

interface DueRow {
  id: string;
  organization_id: string;
  account_id: string;
}

type RunPorts = Pick<Ports, 'orm' | 'rows' | 'clock' | 'log' | 'graph' | 'database' | 'isClosed' | 'isSuspended'>;

/** Bills the subscriptions whose next period begins. All processes run in parallel; each subscription is billed by one of them. */
export class RecurringRun {
  readonly sweeper: Sweeper;

  constructor(private readonly ports: RunPorts) {
    const query = 'select 1 from "billing"."subscription" where "bill_due_at" <= $1 order by "bill_due_at" limit 1';
    this.sweeper = new Sweeper({ ...ports, name: NAME, poller: ports.database.poller, query, limit: LIMIT }, this.#sweep);
  }

  readonly #sweep: Sweep = async (now, limit) => {
    const due = await this.ports.rows.query<DueRow>(
      `select "id", "organization_id", "account_id" from "billing"."subscription" where "bill_due_at" <= $1 order by "bill_due_at" limit $2`,
      [now, limit],
    );
    let handled = 0;
    for (const [organizationId, rows] of Map.groupBy(due, (row) => row.organization_id)) {
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

  /** Bills subscriptions of one organization. If one of them fails, each is billed alone, and what fails is postponed. */
  async #batch(organizationId: string, rows: readonly DueRow[]): Promise<number> {
    try {
      return await this.#bill(organizationId, rows);
    } catch (error) {
      if (rows.length === 1) {
        this.ports.log.error({ err: error, subscription: rows[0]?.id }, 'a subscription could not be billed and will be retried');
        return this.#postpone(rows);
      }
      let handled = 0;
      for (const row of rows) handled += await this.#batch(organizationId, [row]);
      return handled;
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

  async #bill(organizationId: string, rows: readonly DueRow[]): Promise<number> {
    const { orm, graph, log, clock } = this.ports;
    const accountIds = rows.map((row) => row.account_id);
    // outside of the transaction, because another domain may need the same connection
    const customers = await findCustomers(graph, requestOf(NAME, organizationId, log), accountIds);
    return organizationEm(orm, organizationId).transactional(async (tx) => {
      const now = clock.now();
      const locked = await tryLockAccounts(tx, organizationId, accountIds);
      const due = await dueOfAccounts(tx, rows, locked, now);
      for (const loaded of due) {
        const { accountId } = loaded.subscription;
        const customer = customers.get(accountId);
        if (customer) {
          const { billingDay } = await billingAccountOf(tx, organizationId, accountId, now);
          const billing = new AccountBilling(tx, { organizationId, customer, billingDay }, now);
          await billDueDay(new AccountSubscriptions(billing), loaded);
        } else {
          log.warn(
            { account: accountId, subscription: loaded.subscription.id },
            'a subscription ended, because its account no longer exists',
          );
          await endWithoutAccount(tx, loaded, now);
        }
      }
      return due.length;
    });
  }
}

/** Loads what is still due, of each locked account only the earliest subscription: billing it can change the others. */
async function dueOfAccounts(tx: EntityManager, rows: readonly DueRow[], locked: Set<string>, now: Date): Promise<Loaded[]> {
  const ids = rows.filter((row) => locked.has(row.account_id)).map(({ id }) => id);
  const where = { id: { $in: ids }, billDueAt: { $lte: now } };
  const found = await tx.find(BillingSubscription, where, { orderBy: { accountId: 'asc', billDueAt: 'asc', id: 'asc' } });
  const due = found.filter(({ accountId }, index) => accountId !== found[index - 1]?.accountId);
  const subscriptionId = { $in: due.map(({ id }) => id) };
  const byAge = { orderBy: { createdAt: 'asc', id: 'asc' } } as const;
  const items = await tx.find(SubscriptionItem, { subscriptionId, state: { $ne: ItemState.ENDED } }, byAge);
  const pending = await tx.find(SubscriptionCharge, { subscriptionId, billedAt: null }, byAge);
  return due.map((subscription) => ({
    subscription,
    items: items.filter((item) => item.subscriptionId === subscription.id),
    pending: pending.filter((charge) => charge.subscriptionId === subscription.id),
  }));
}

async function endWithoutAccount(tx: EntityManager, { subscription, items }: Loaded, now: Date): Promise<void> {
  for (const item of items) Object.assign(item, { state: ItemState.ENDED, endedAt: now });
  subscription.billDueAt = null;
  if (subscription.status === SubscriptionStatus.CANCELLED) return;
  subscription.cancel(now, now);
  await record(tx, subscriptionCancelled({ subscription, items: [] }, 'The account no longer exists.'));
}
