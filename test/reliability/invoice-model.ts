import type { Accounts } from '../../kernel/access/principal.ts';
import { Decimal } from '../../kernel/values/money.ts';
import { seeded } from '../support/random-values.ts';
import type { BillingProcess, InvoiceQuery } from './billing-world.ts';

/** The columns of an invoice by which lists are filtered and sorted. */
export interface InvoiceRow {
  id: string;
  account_id: string;
  status: string;
  amount: string;
  due_date: Date;
  created_at: Date;
}

export const STATUSES = ['pending', 'paid', 'overdue', 'cancelled'];
const ACCOUNTS = ['acc_0', 'acc_1', 'acc_2', 'acc_3', 'acc_4', 'acc_5'];
const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const [BEGIN_MS, HOURS] = [Date.parse('2026-03-01T00:00:00Z'), 24 * 100];

/** Inserts the invoices of the JSON text `$1` for the organization `$2`. */
export const INSERT = `insert into "billing"."invoice"
  ("id", "organization_id", "number", "account_id", "status", "amount", "currency", "due_date", "created_at", "updated_at")
  select r."id", $2, r."id", r."account_id", r."status", r."amount", 'USD', r."due_date", r."created_at", r."created_at"
  from json_to_recordset($1::json) as r("id" text, "account_id" text, "status" text, "amount" numeric, "due_date" timestamptz, "created_at" timestamptz)
  on conflict do nothing`;

type Random = () => number;
const below = (random: Random, count: number): number => Math.floor(random() * count);
const oneOf = <T>(random: Random, items: readonly T[]): T => items[below(random, items.length)] as T;
const someOf = <T>(random: Random, items: readonly T[]): T[] =>
  Array.from({ length: below(random, items.length + 1) }, () => oneOf(random, items));
/** Returns a random full hour, so that invoices have equal times, and ranges begin at midnight or within a day. */
const time = (random: Random): Date =>
  new Date(BEGIN_MS + (random() < 0.3 ? 24 * below(random, HOURS / 24) : below(random, HOURS)) * HOUR_MS);

/** Generates invoices. Most belong to the first accounts, and most are paid. The same seed gives the same invoices. */
export function randomInvoices(seed: number, count: number, name: string): InvoiceRow[] {
  const random = seeded(seed);
  return Array.from({ length: count }, (_, index) => ({
    id: `inv_${name}_${String(index).padStart(6, '0')}`,
    account_id: ACCOUNTS[Math.floor(random() ** 2 * ACCOUNTS.length)] as string,
    status: random() < 0.5 ? 'paid' : oneOf(random, STATUSES),
    amount: `${below(random, 20)}.5000`,
    // far in the future, so that the platform does not make them overdue meanwhile
    due_date: new Date(time(random).getTime() + 100 * YEAR_MS),
    created_at: time(random),
  }));
}

/** A list of invoices, and the ids of its invoices in their order, computed by a plain scan. */
export interface InvoiceCase {
  query: InvoiceQuery;
  accounts: Accounts;
  limit: number;
  expected: string[];
}

const SORTS: Readonly<Record<string, (one: InvoiceRow, other: InvoiceRow) => number>> = {
  CREATED_AT: (one, other) => Number(one.created_at) - Number(other.created_at),
  DUE_DATE: (one, other) => Number(one.due_date) - Number(other.due_date),
  AMOUNT: (one, other) => new Decimal(one.amount).comparedTo(other.amount),
  STATUS: (one, other) => compareTexts(one.status, other.status),
};
const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Generates lists with random filters, callers, orders and page sizes. */
export function invoiceCases(seed: number, count: number, all: readonly InvoiceRow[]): InvoiceCase[] {
  const random = seeded(seed);
  return Array.from({ length: count }, () => {
    const maybe = <T>(make: () => T): T | undefined => (random() < 0.5 ? make() : undefined);
    const [statuses, ofAccounts] = [maybe(() => someOf(random, STATUSES)), maybe(() => someOf(random, ACCOUNTS))];
    const [dateFrom, dateTo] = [maybe(() => time(random)), maybe(() => time(random))];
    const isBackwards = Boolean(dateFrom && dateTo && dateFrom > dateTo);
    const [from, to] = isBackwards ? [dateTo, dateFrom] : [dateFrom, dateTo];
    const accounts = maybe(() => [oneOf(random, ACCOUNTS), ...someOf(random, ACCOUNTS)]) ?? null;
    const sort = oneOf(random, [
      [],
      [],
      [],
      ['CREATED_AT'],
      ['CREATED_AT'],
      ['DUE_DATE'],
      ['AMOUNT'],
      ['STATUS'],
      ['STATUS', 'CREATED_AT'],
    ]).map((field) => ({ field, order: oneOf(random, ['ASC', 'DESC']) }));
    const filter = { accountId: ofAccounts, status: statuses?.map((status) => status.toUpperCase()), dateFrom: from, dateTo: to };
    const expected = all
      .filter(({ account_id }) => (accounts?.includes(account_id) ?? true) && (ofAccounts?.includes(account_id) ?? true))
      .filter(({ status }) => statuses?.includes(status) ?? true)
      .filter(({ created_at }) => (!from || created_at >= from) && (!to || created_at < to))
      .sort(comparison(sort))
      .map(({ id }) => id);
    return { query: { filter, sort }, accounts, limit: oneOf(random, [1, 7, 20, 60]), expected };
  });
}

function comparison(asked: readonly { field: string; order: string }[]): (one: InvoiceRow, other: InvoiceRow) => number {
  const sort = asked.length > 0 ? asked : [{ field: 'CREATED_AT', order: 'DESC' }];
  return (one, other) => {
    for (const { field, order } of sort) {
      const difference = SORTS[field]?.(one, other) ?? 0;
      if (difference !== 0) return order === 'ASC' ? difference : -difference;
    }
    return (sort.at(-1)?.order === 'ASC' ? 1 : -1) * compareTexts(one.id, other.id);
  };
}

/** Maximum number of pages that are read of one list, so that lists with a page size of 1 do not take long. */
const PAGES_MAX = 12;

/**
 * Reads the pages of a list one after the other, by page number or by cursor. Returns the ids and the total of each page.
 * If there are more than PAGES_MAX pages, the rest is read as one page by offset, or with a larger limit.
 */
export async function pagedInvoices(
  process: BillingProcess,
  query: InvoiceQuery,
  accounts: Accounts,
  limit: number,
  way: 'page' | 'cursor',
): Promise<{ ids: string[]; totals: number[] }> {
  const ids: string[] = [];
  const totals: number[] = [];
  for (let page = 1, cursor: string | null = null; page === 1 || cursor; page += 1) {
    const isLong = page > PAGES_MAX;
    const rest = isLong ? 200 : limit;
    const position =
      way === 'cursor' ? (cursor ? { cursor, limit: rest } : { limit }) : isLong ? { offset: ids.length, limit: rest } : { page, limit };
    const found = await process.list({ ...query, page: position }, accounts);
    ids.push(...found.ids);
    totals.push(found.total);
    cursor = found.nextCursor;
  }
  return { ids, totals };
}
