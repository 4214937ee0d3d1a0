import type { Accounts } from '../../../kernel/access/principal.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { Parameters } from '../../../kernel/lists/parameters.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import type { Days } from './analytics-period.ts';

/** Organization and accounts whose revenue is reported. */
export interface RevenueScope {
  organizationId: string;
  /** Accounts whose revenue is reported. Null: all accounts of the organization. */
  accounts: Accounts;
}

const MOVED = ['invoiced', 'collected', 'refunded', 'credited'] as const;
const MOVEMENTS = ['added', 'expanded', 'contracted', 'churned'] as const;
type Sums<N extends string> = Record<N, Decimal>;

export type Revenue = Sums<(typeof MOVED)[number]> & { successful: number; failed: number; currency: string };
export type Movements = Sums<(typeof MOVEMENTS)[number]>;

/** Reads revenue reports from daily sums. Rows without an account contain the sums of the whole organization. */
export class RevenueStore {
  constructor(
    private readonly rows: Rows,
    private readonly scope: RevenueScope,
  ) {}

  /** Returns the revenue in a range of days for each currency, the highest revenue first. */
  async byCurrency({ first, last }: Days): Promise<Revenue[]> {
    const parameters = new Parameters();
    const found = await this.rows.query<Record<string, string>>(
      `select "currency", ${sums(MOVED)}, sum("payments_successful")::text as "successful", sum("payments_failed")::text as "failed"
       from "billing"."revenue_day" where ${this.#where(parameters)} and "day" >= ${parameters.add(first)}::date and "day" < ${parameters.add(last)}::date
       group by 1 order by sum("invoiced") desc, 1`,
      parameters.values,
    );
    return found.map((row) => ({
      ...decimals(row, MOVED),
      ...{ successful: Number(row.successful), failed: Number(row.failed), currency: row.currency as string },
    }));
  }

  /** Returns the revenue of each month, or of the accounts with the highest invoiced amounts. */
  async grouped(
    by: 'month' | 'account',
    currency: string,
    { first, last }: Days,
    limit: number,
  ): Promise<(Sums<(typeof MOVED)[number]> & { key: string })[]> {
    const parameters = new Parameters();
    const [key, order] = by === 'month' ? [`to_char("day", 'YYYY-MM')`, '1'] : [`"account_id"`, 'sum("invoiced") desc, 1'];
    const found = await this.rows.query<Record<string, string>>(
      `select ${key} as "key", ${sums(MOVED)} from "billing"."revenue_day" where ${this.#where(parameters, by === 'account')}
       and "currency" = ${parameters.add(currency)} and "day" >= ${parameters.add(first)}::date and "day" < ${parameters.add(last)}::date
       group by 1 order by ${order} limit ${parameters.add(limit)}`,
      parameters.values,
    );
    return found.map((row) => ({ key: row.key as string, ...decimals(row, MOVED) }));
  }

  /** Returns the unpaid amounts in each currency, split by the number of days since the due date. */
  async due(today: string): Promise<{ currency: string; parts: Decimal[] }[]> {
    const parameters = new Parameters();
    const age = `(${parameters.add(today)}::date - "day")`;
    const bounds = [`${age} <= 0`, `${age} between 1 and 30`, `${age} between 31 and 60`, `${age} between 61 and 90`, `${age} > 90`];
    const columns = bounds.map((bound, index) => `coalesce(sum("amount") filter (where ${bound}), 0)::text as "part${index}"`);
    const found = await this.rows.query<Record<string, string>>(
      `select "currency", ${columns.join(', ')} from "billing"."due_day" where ${this.#where(parameters)} group by 1 having sum("amount") <> 0 order by 1`,
      parameters.values,
    );
    return found.map((row) => ({
      currency: row.currency as string,
      parts: bounds.map((_, index) => new Decimal(row[`part${index}`] as string)),
    }));
  }

  /** Returns the changes of the recurring revenue of a currency in a range of days. If `first` is undefined, the range has no start. */
  async movements(currency: string, { first, last }: Partial<Days>): Promise<Movements> {
    const parameters = new Parameters();
    const found = await this.rows.query<Record<string, string>>(
      `select ${sums(MOVEMENTS)} from "billing"."recurring_day" where ${this.#where(parameters)} and "currency" = ${parameters.add(currency)}
       ${first ? `and "day" >= ${parameters.add(first)}::date` : ''} ${last ? `and "day" < ${parameters.add(last)}::date` : ''}`,
      parameters.values,
    );
    return decimals(found[0] ?? {}, MOVEMENTS);
  }

  /** Returns the currency with the highest recurring revenue. */
  async recurringCurrency(): Promise<string | undefined> {
    const parameters = new Parameters();
    const [found] = await this.rows.query<{ currency: string }>(
      `select "currency" from "billing"."recurring_day" where ${this.#where(parameters)} group by 1 order by sum("added" + "expanded" + "contracted" + "churned") desc, 1 limit 1`,
      parameters.values,
    );
    return found?.currency;
  }

  #where(parameters: Parameters, isByAccount = false): string {
    const { organizationId, accounts } = this.scope;
    const account = accounts
      ? `"account_id" = any(${parameters.add(accounts)}::text[])`
      : isByAccount
        ? `"account_id" <> ''`
        : `"account_id" = ''`;
    return `"organization_id" = ${parameters.add(organizationId)} and ${account}`;
  }
}

const sums = (names: readonly string[]): string => names.map((name) => `coalesce(sum("${name}"), 0)::text as "${name}"`).join(', ');

const decimals = <N extends string>(row: Record<string, string>, names: readonly N[]): Sums<N> =>
  Object.fromEntries(names.map((name) => [name, new Decimal(row[name] ?? 0)])) as Sums<N>;
