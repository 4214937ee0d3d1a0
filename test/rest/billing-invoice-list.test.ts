import { beforeAll, describe, expect, test } from 'vitest';
import { type BilledTenant, billedTenant, createAccount, createInvoice, orderService } from '../billing.setup.ts';
import type { Json } from '../tenant.ts';

let billed: BilledTenant;
/** All invoices, oldest first: the invoice of the service order, followed by invoices with the amounts 30, 10 and 20. */
let all: Json[];

beforeAll(async () => {
  billed = await billedTenant();
  const created = [];
  for (const unit_price of [30, 10, 20]) created.push(await createInvoice(billed, { quantity: 1, unit_price }));
  all = [billed.firstInvoice, ...created];
});

const list = (query = '') => billed.tenant.rest('GET', `/billing/invoices${query}`);
const numbersOf = async (query: string): Promise<string[]> => (await list(query)).body.invoices.map(({ number }: Json) => number);

test('the invoice list returns every field of each invoice, newest invoice first, in the format of the specification', async () => {
  const { status, body } = await list();
  expect(status).toBe(200);
  expect(body).toEqual({ invoices: all.toReversed(), total_count: 4, has_more: false });
});

describe('invoice list paging', () => {
  test('the invoice list can be paged with the parameters limit and offset, and has_more is false on the last page', async () => {
    const first = await list('?limit=3');
    expect(first.body).toMatchObject({ total_count: 4, has_more: true });
    const second = await list('?limit=3&offset=3');
    expect(second.body).toMatchObject({ total_count: 4, has_more: false });
    expect([...first.body.invoices, ...second.body.invoices]).toEqual(all.toReversed());
    expect((await list('?offset=4')).body).toEqual({ invoices: [], total_count: 4, has_more: false });
  });

  test('the invoice list can be paged with the parameters page and per_page', async () => {
    expect(await numbersOf('?page=2&per_page=3')).toEqual(['INV-1001']);
  });
});

describe('invoice list filters', () => {
  test('the invoice list can be filtered by one status or several', async () => {
    expect((await list('?status=pending')).body.total_count).toBe(4);
    expect((await list('?status=paid,overdue')).body.total_count).toBe(0);
    expect((await list('?status=paid&status=pending')).body.total_count).toBe(4);
  });

  test('the invoice list can be filtered by creation date, from date_from (inclusive) to date_to (exclusive)', async () => {
    const [, second, third] = all;
    const period = `?date_from=${second.created_at}&date_to=${third.created_at}`;
    expect(await numbersOf(period)).toEqual([second.number]);
    expect((await list('?date_from=2020-01-01&date_to=2020-12-31')).body.total_count).toBe(0);
    expect((await list('?date_from=2020-01-01')).body.total_count).toBe(4);
  });

  test('the invoice list can be filtered by one account or several', async () => {
    const { tenant, accountId, firstInvoice } = await billedTenant();
    const other = await createAccount(tenant, 'Another');
    const { firstInvoice: ofOther } = await orderService(tenant, other.id);
    const idsOf = async (...accounts: string[]): Promise<string[]> => {
      const { body } = await tenant.rest('GET', `/billing/invoices?account_id=${accounts.join(',')}`);
      return body.invoices.map(({ id }: Json) => id);
    };
    expect(await idsOf(accountId)).toEqual([firstInvoice.id]);
    expect(await idsOf(other.id)).toEqual([ofOther.id]);
    expect(await idsOf(accountId, other.id)).toEqual([ofOther.id, firstInvoice.id]);
  });
});

test('the invoice list can be sorted by amount, status and creation time, ascending or descending', async () => {
  const amounts = async (sort: string) =>
    (await list(`?date_from=${all[1].created_at}&sort=${sort}`)).body.invoices.map(({ amount }: Json) => amount);
  expect(await amounts('amount:asc')).toEqual([10, 20, 30]);
  expect(await amounts('amount:desc')).toEqual([30, 20, 10]);
  expect(await amounts('status:asc,created_at:asc')).toEqual([30, 10, 20]);
});

test.each([
  ['limit=201', 'limit'],
  ['limit=0', 'limit'],
  ['limit=ten', 'limit'],
  ['offset=-1', 'offset'],
  ['status=open', 'status'],
  ['date_from=yesterday', 'date_from'],
  ['date_from=2026-02-01&date_to=2026-01-01', 'date_to'],
  ['sort=colour', 'sort'],
  ['cursor=abc', 'cursor'],
  ['colour=red', 'colour'],
])('listing invoices with %s returns 400 INVALID_PARAMETERS and names the parameter %s', async (query, field) => {
  const { status, body } = await list(`?${query}`);
  expect({ status, code: body.error?.code, field: body.error?.details.field }).toEqual({ status: 400, code: 'INVALID_PARAMETERS', field });
});
