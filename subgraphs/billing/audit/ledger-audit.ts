import type { Rows } from '../../../kernel/database/database.ts';
import { Decimal } from '../../../kernel/values/money.ts';

/**
 * Number of accounts that one statement of the ledger audit compares. The audit reads the records of an organization in parts, so that no
 * statement takes long and the memory does not grow with the number of invoices.
 */
export const ACCOUNTS_PER_STATEMENT = 500;

/** A ledger account of a customer whose sum differs from the customer's records, in one currency. */
export interface LedgerDifference {
  accountId: string;
  currency: string;
  /** Name of the ledger account, such as `receivable`. `balance:receivable` is the stored balance of `receivable`. */
  ledgerAccount: string;
  /** The sum of the ledger transfers. */
  posted: Decimal;
  /** The amount that the invoices, payments, refunds and credits add up to. */
  recorded: Decimal;
}

/** The sum of one ledger account over the audited customer accounts. */
export interface LedgerTotal {
  currency: string;
  ledgerAccount: string;
  posted: Decimal;
  recorded: Decimal;
}

export interface AuditPart {
  /** Number of customer accounts that the audit has compared. */
  accounts: number;
  /** The last audited customer account, after which the next part begins. Null if there are no more accounts. */
  next: string | null;
  totals: LedgerTotal[];
  differences: LedgerDifference[];
}

/**
 * SQL that finds the next customer accounts in the ledger, the balances or the invoices. It reads one index entry per account in each
 * table.
 */
const NEXT_ACCOUNTS = `with recursive walk("id") as (
    select (select min("id") from (${smallest('$2')}) first)
    union all
    select (select min("id") from (${smallest('walk."id"')}) following) from walk where walk."id" is not null
  ) select "id" from walk where "id" is not null limit ${ACCOUNTS_PER_STATEMENT}`;

function smallest(after: string): string {
  const tables = ['ledger_transfer', 'account_balance', 'invoice'];
  const each = (table: string): string =>
    `(select "account_id" as "id" from "billing"."${table}" where "organization_id" = $1 and "account_id" > ${after} order by "account_id" limit 1)`;
  return tables.map(each).join(' union all ');
}

/**
 * SQL condition for invoices whose amounts the ledger should contain. Cancelled invoices are excluded, except
 * written-off invoices, whose tax stays posted.
 */
const COUNTS = (invoice: string): string => `(${invoice}"status" <> 'cancelled' or ${invoice}"amount_written_off" > 0)`;

/**
 * Queries that compute the expected balances of the ledger from the invoices, payments, refunds and credits. Their
 * columns are the customer's account, the currency, the ledger account and the amount. `$1` is the organization and
 * `$2` the customers' accounts. If a new kind of record is posted to the ledger, add a query for it here.
 */
const RECORDED: readonly string[] = [
  `select "account_id", "currency", 'receivable', "amount" - "amount_paid" - "amount_credited" - "credit_applied" - "amount_written_off"
     from "billing"."invoice" where "organization_id" = $1 and "account_id" = any($2) and ${COUNTS('')}`,
  `select "account_id", "currency", 'tax', "tax_amount"
     from "billing"."invoice" where "organization_id" = $1 and "account_id" = any($2) and ${COUNTS('')}`,
  `select n."account_id", n."currency", 'tax', -n."tax" from "billing"."credit_note" n
     join "billing"."invoice" i on i."id" = n."invoice_id" and ${COUNTS('i.')}
     where n."organization_id" = $1 and n."account_id" = any($2)`,
  `select "account_id", "currency", 'cash:' || "processor", "amount"
     from "billing"."payment" where "organization_id" = $1 and "account_id" = any($2) and "status" = 'successful'`,
  `select p."account_id", p."currency", 'cash:' || p."processor", -d."amount" from "billing"."payment" p
     join "billing"."dispute" d on d."payment_id" = p."id" and d."organization_id" = p."organization_id" and d."status" in ('open', 'lost')
     where p."organization_id" = $1 and p."account_id" = any($2)`,
  `select p."account_id", p."currency", side."account", side."amount" from "billing"."payment" p
     join "billing"."refund" r on r."payment_id" = p."id" and r."organization_id" = p."organization_id" and r."status" = 'successful'
     cross join lateral (values ('cash:' || p."processor", -r."amount"), ('tax', -r."tax_amount")) side ("account", "amount")
     where p."organization_id" = $1 and p."account_id" = any($2)`,
];

/** Accounts of the ledger whose balance is on the credit side. */
const CREDIT_SIDE = `('revenue', 'tax', 'credit')`;
/**
 * Ledger accounts whose balance can be computed from the records. The balances of the other ledger accounts follow, because each transfer
 * has two sides.
 */
const STATED = `("ledger_account" in ('receivable', 'tax') or "ledger_account" like 'cash:%')`;

const COMPARISON = `with transfers as (
    select "account_id", "currency", side."ledger_account",
      case when side."ledger_account" in ${CREDIT_SIDE} then -side."amount" else side."amount" end as "amount"
    from "billing"."ledger_transfer" t
    cross join lateral (values (t."debit", t."amount"), (t."credit", -t."amount")) side ("ledger_account", "amount")
    where t."organization_id" = $1 and t."account_id" = any($2)
  ), posted as (
    select "account_id", "currency", "ledger_account", sum("amount") as "amount" from transfers group by 1, 2, 3
  ), recorded as (
    select "account_id", "currency", "ledger_account", sum("amount") as "amount"
    from (${RECORDED.join(' union all ')}) r ("account_id", "currency", "ledger_account", "amount") group by 1, 2, 3
  ), balances as (
    select "account_id", "currency", side."ledger_account", side."amount" from "billing"."account_balance" b
    cross join lateral (values ('receivable', b."receivable"), ('credit', b."credit")) side ("ledger_account", "amount")
    where b."organization_id" = $1 and b."account_id" = any($2)
  )
  select "account_id", "currency", "ledger_account", coalesce(p."amount", 0)::text as "posted", coalesce(r."amount", 0)::text as "recorded"
    from (select * from posted where ${STATED}) p full join recorded r using ("account_id", "currency", "ledger_account")
  union all
  select "account_id", "currency", 'balance:' || "ledger_account", coalesce(p."amount", 0)::text, coalesce(b."amount", 0)::text
    from (select * from posted where "ledger_account" in ('receivable', 'credit')) p
    full join balances b using ("account_id", "currency", "ledger_account")
  order by 1, 2, 3`;

interface ComparedRow {
  account_id: string;
  currency: string;
  ledger_account: string;
  posted: string;
  recorded: string;
}

/**
 * Compares the ledger of an organization with the records that caused its transfers, beginning after the account `after`:
 * - receivables, with the due amounts of invoices (0 for paid invoices)
 * - tax, with the taxes of invoices, without taxes of credit notes and refunds
 * - cash of each processor, with payments, without refunds and disputes
 * - stored balances, with the sums of the transfers
 *
 * All sums of a part are read by one statement, so that concurrent payments cause no differences.
 */
export async function auditPart(rows: Pick<Rows, 'query'>, organizationId: string, after: string | null): Promise<AuditPart> {
  const found = await rows.query<{ id: string }>(NEXT_ACCOUNTS, [organizationId, after ?? '']);
  const ids = found.map(({ id }) => id);
  if (ids.length === 0) return { accounts: 0, next: null, totals: [], differences: [] };
  const compared = (await rows.query<ComparedRow>(COMPARISON, [organizationId, ids])).map(
    ({ account_id: accountId, currency, ledger_account: ledgerAccount, posted, recorded }): LedgerDifference => ({
      ...{ accountId, currency, ledgerAccount, posted: new Decimal(posted), recorded: new Decimal(recorded) },
    }),
  );
  return {
    accounts: ids.length,
    next: ids.length < ACCOUNTS_PER_STATEMENT ? null : (ids.at(-1) ?? null),
    totals: totalsOf(compared),
    differences: compared.filter(({ posted, recorded }) => !posted.equals(recorded)),
  };
}

/** Adds up the sums of all customers, for each currency and ledger account. */
export function totalsOf(sums: readonly LedgerTotal[]): LedgerTotal[] {
  const totals = new Map<string, LedgerTotal>();
  for (const { currency, ledgerAccount, posted, recorded } of sums) {
    const key = `${currency} ${ledgerAccount}`;
    const known = totals.get(key) ?? { currency, ledgerAccount, posted: new Decimal(0), recorded: new Decimal(0) };
    totals.set(key, { currency, ledgerAccount, posted: known.posted.plus(posted), recorded: known.recorded.plus(recorded) });
  }
  return [...totals].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, total]) => total);
}
