import DataLoader from 'dataloader';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Rows } from '../../../kernel/database/database.ts';
import { type FieldProblem, refuse } from '../../../kernel/errors/errors.ts';
import type { Graph } from '../../../kernel/graph.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/records/ids.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { advisoryLock, definedOnly, LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import { requireRevision } from '../../../kernel/records/revision.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { Decimal, isPayable, minorDigits } from '../../../kernel/values/money.ts';
import { DEFAULT_CURRENCY } from '../invoices/invoice-pricing.ts';
import { Budget } from './budget.entity.ts';
import { TooManyBudgets } from './budget.errors.ts';
import { type BudgetInput, type BudgetUpdateInput, DEFAULT_THRESHOLDS } from './budget.inputs.ts';
import { BudgetPeriod } from './budget.states.ts';
import { type Execute, type Spending, spendingsOf } from './budget.store.ts';
import type { BudgetAlert } from './budget.types.ts';
import { spanOf } from './budget-period.ts';
import { findSubject } from './budget-subject.ts';

const MAX_BUDGETS = 100;
const AMOUNT_LIMIT = 1e12;

export interface BudgetServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  graph: Graph;
  rows: Rows;
  loader: RecordLoader<Budget>;
}

/** Manages the budgets of the caller's organization (specification 4.5). A sweeper sends their alerts. */
export class BudgetService {
  readonly #spending = new DataLoader<Budget, Spending>((budgets) => spendingsOf(this.#execute, budgets, this.deps.clock.now()));
  readonly #alerts = new DataLoader<Budget, BudgetAlert[]>((budgets) => this.#alertsOf(budgets));

  constructor(private readonly deps: BudgetServiceDeps) {}

  /**
   * Creates a budget. The platform compares the costs with its amount immediately.
   * @throws ResourceNotFound for the account or the service, InvalidParameters, TooManyBudgets
   */
  async create({ accountId, serviceId, ...input }: BudgetInput): Promise<Budget> {
    const { em, clock, graph, request } = this.deps;
    const { organizationId } = request.principal;
    const currency = input.currency ?? DEFAULT_CURRENCY;
    refuse(amountProblems(input.amount, currency));
    // the account of a service is the account of its budget
    const asked = accountId ?? (serviceId ? null : request.principal.defaultAccount('accountId'));
    const subject = await findSubject(graph, request, { accountId: asked, serviceId: serviceId ?? null });
    const now = clock.now();
    return em.transactional(async (tx) => {
      await advisoryLock(tx, `billing.budgets:${organizationId}`);
      // callers who are limited to accounts share the limit of the organization
      if ((await tx.count(Budget, { organizationId }, EVERYWHERE)) >= MAX_BUDGETS) throw new TooManyBudgets(MAX_BUDGETS);
      const budget = Object.assign(new Budget(), subject, {
        ...{ id: newId('budget'), organizationId, name: input.name, amount: input.amount, currency },
        ...{ period: input.period ?? BudgetPeriod.MONTHLY, category: input.category ?? null },
        thresholds: ascending(input.thresholds ?? DEFAULT_THRESHOLDS),
        notify: input.notify ?? [],
        ...{ checkDueAt: now, createdAt: now, updatedAt: now },
      });
      tx.persist(budget);
      return budget;
    });
  }

  /** Returns a budget; null if the caller does not have it. */
  find(id: string): Promise<Budget | null> {
    return this.deps.loader.load(id);
  }

  /** Lists budgets, newest first. Callers who are limited to accounts see the budgets of these accounts. */
  list(page: PageInput): Promise<Page<Budget>> {
    return listPage(this.deps.em, Budget, { where: {}, page, defaultSort: NEWEST_FIRST });
  }

  /**
   * Changes a budget. If the amount, period or category changes, the alerts of the current period are deleted and can
   * be sent again.
   * @throws ResourceNotFound, StaleResource, InvalidParameters
   */
  update(id: string, { thresholds, ...input }: BudgetUpdateInput, expectedRevision?: number | null): Promise<Budget> {
    return this.#changing(id, expectedRevision, async (tx, budget) => {
      refuse(amountProblems(input.amount ?? budget.amount, budget.currency));
      const before = measured(budget);
      Object.assign(budget, definedOnly({ ...input, thresholds: thresholds && ascending(thresholds) }));
      const now = this.deps.clock.now();
      if (measured(budget) !== before) await forgetAlerts(tx, budget);
      return Object.assign(budget, { updatedAt: now, checkDueAt: now });
    });
  }

  /** Deletes a budget and its alerts. @throws ResourceNotFound */
  delete(id: string): Promise<Budget> {
    return this.#changing(id, null, async (tx, budget) => {
      await forgetAlerts(tx, budget);
      tx.remove(budget);
      return budget;
    });
  }

  /** Returns the costs of a budget in its current period. */
  spendingOf(budget: Budget): Promise<Spending> {
    return this.#spending.load(budget);
  }

  /** Lists the thresholds that were reached in the current period, in ascending order. */
  alertsOf(budget: Budget): Promise<BudgetAlert[]> {
    return this.#alerts.load(budget);
  }

  readonly #execute: Execute = (text, values) => {
    let index = 0;
    return this.deps.rows.query(
      text.replaceAll('?', () => `$${++index}`),
      values,
    );
  };

  #changing(id: string, expected: number | null | undefined, act: (tx: EntityManager, budget: Budget) => Promise<Budget>): Promise<Budget> {
    return this.deps.em.transactional(
      async (tx) => {
        const budget = orNotFound(await tx.findOne(Budget, { id }, LOCKED), 'budget', id);
        requireRevision(budget, expected);
        return act(tx, budget);
      },
      { clear: true },
    );
  }

  async #alertsOf(budgets: readonly Budget[]): Promise<BudgetAlert[][]> {
    const now = this.deps.clock.now();
    const found = await this.deps.rows.query<{
      budget_id: string;
      period_start: Date | string;
      threshold: number;
      spent: string;
      created_at: Date | string;
    }>(
      `select "budget_id", "period_start", "threshold", "spent"::text, "created_at" from "billing"."budget_alert"
       where "organization_id" = $1 and ("budget_id", "period_start") in (select * from unnest($2::text[], $3::timestamptz[])) order by "threshold"`,
      [
        this.deps.request.principal.organizationId,
        budgets.map(({ id }) => id),
        budgets.map(({ period, timezone }) => spanOf(period, now, timezone).start.toISOString()),
      ],
    );
    return budgets.map(({ id }) =>
      found
        .filter((row) => row.budget_id === id)
        .map(({ threshold, spent, created_at: at }) => ({ threshold, spent: new Decimal(spent), reachedAt: new Date(at) })),
    );
  }
}

const ascending = (numbers: readonly number[]): number[] => [...numbers].sort((one, other) => one - other);

/** Returns the values of a budget that determine its alerts: amount, period and category. */
const measured = ({ amount, period, category }: Budget): string => JSON.stringify([amount.toFixed(4), period, category]);

const forgetAlerts = (tx: EntityManager, { organizationId, id }: Budget): Promise<unknown> =>
  tx.execute(`delete from "billing"."budget_alert" where "organization_id" = ? and "budget_id" = ?`, [organizationId, id]);

function amountProblems(amount: Decimal, currency: string): FieldProblem[] {
  const problem = (reason: string): FieldProblem[] => [{ field: 'amount', value: amount.toNumber(), reason }];
  if (!amount.greaterThan(0)) return problem('must be more than 0');
  if (!amount.lessThan(AMOUNT_LIMIT)) return problem(`must be less than ${AMOUNT_LIMIT}`);
  const digits = minorDigits(currency);
  if (isPayable(amount, currency)) return [];
  return problem(digits === 0 ? `must be a whole number of ${currency}` : `must have at most ${digits} decimals in ${currency}`);
}
