import type { Accounts } from '../../../kernel/access/principal.ts';
import type { Rows } from '../../../kernel/database/database.ts';
import { Parameters } from '../../../kernel/lists/parameters.ts';
import { Decimal } from '../../../kernel/values/money.ts';
import type { CostCategory, CostStep } from './cost.states.ts';
import type { CostPoint } from './cost.types.ts';
import { firstDay } from './months.ts';

/** Selection of the costs to read. The first and last month are inclusive. */
export interface CostQuery {
  organizationId: string;
  /** Accounts whose costs are read. Null: all accounts. */
  accounts: Accounts;
  accountId?: string | null | undefined;
  serviceIds?: readonly string[] | null | undefined;
  category?: CostCategory | null | undefined;
  currency?: string | null | undefined;
  from: string;
  to: string;
  step: `${CostStep}`;
  by: { account?: boolean; service?: boolean; category?: boolean };
  /** Maximum number of cost points to return. */
  limit: number;
}

interface CostRow {
  month: string;
  currency: string;
  amount: string;
  account_id: string | null;
  service_id: string | null;
  category: CostCategory | null;
}

/** Reads costs, oldest first. It reads the sums of the organization if they are sufficient, otherwise the sums of accounts or services. */
export async function readCosts(rows: Rows, query: CostQuery): Promise<CostPoint[]> {
  const parameters = new Parameters();
  const { step, by, limit } = query;
  const columns = [
    `to_char(date_trunc('${step}', "month"), 'YYYY-MM') as "month"`,
    '"currency"',
    `${by.account ? '"account_id"' : 'null'} as "account_id"`,
    `${by.service ? '"service_id"' : 'null'} as "service_id"`,
    `${by.category ? '"category"' : 'null'} as "category"`,
  ];
  const found = await rows.query<CostRow>(
    `select ${columns.join(', ')}, sum("amount")::text as "amount" from "billing"."cost_month" where ${conditionsOf(query, parameters).join(' and ')}
     group by 1, 2, 3, 4, 5 having sum("amount") <> 0 order by 1, 2, 3, 4, 5 limit ${parameters.add(limit)}`,
    parameters.values,
  );
  return found.map(({ amount, account_id: accountId, service_id: serviceId, ...row }) => ({
    ...{ ...row, accountId, serviceId, amount: new Decimal(amount) },
  }));
}

/** Reads the services with the highest costs in all months of a query, in the currency of the query. */
export async function readHighestCosts(
  rows: Rows,
  query: Omit<CostQuery, 'step' | 'by'>,
): Promise<{ serviceId: string; amount: Decimal }[]> {
  const parameters = new Parameters();
  const found = await rows.query<{ service_id: string; amount: string }>(
    `select "service_id", sum("amount")::text as "amount" from "billing"."cost_month"
     where ${conditionsOf({ ...query, by: { service: true } }, parameters).join(' and ')}
     group by 1 having sum("amount") <> 0 order by sum("amount") desc, 1 limit ${parameters.add(query.limit)}`,
    parameters.values,
  );
  return found.map(({ service_id: serviceId, amount }) => ({ serviceId, amount: new Decimal(amount) }));
}

function conditionsOf(query: Omit<CostQuery, 'step'>, parameters: Parameters): string[] {
  const { organizationId, accounts, accountId, serviceIds, category, currency, from, to, by } = query;
  const allowed = accountId ? [accountId].filter((id) => !accounts || accounts.includes(id)) : accounts;
  const isByService = by.service || serviceIds;
  return [
    `"organization_id" = ${parameters.add(organizationId)}`,
    allowed
      ? `"account_id" = any(${parameters.add(allowed)}::text[])`
      : isByService || by.account
        ? `"account_id" <> ''`
        : `"account_id" = ''`,
    ...(serviceIds
      ? [`"service_id" = any(${parameters.add(serviceIds)}::text[])`]
      : [isByService ? `"service_id" <> ''` : `"service_id" = ''`]),
    ...(category ? [`"category" = ${parameters.add(category)}`] : []),
    ...(currency ? [`"currency" = ${parameters.add(currency)}`] : []),
    `"month" between ${parameters.add(firstDay(from))}::date and ${parameters.add(firstDay(to))}::date`,
  ];
}
