import { beforeAll, describe, expect, test } from 'vitest';
import { type BilledTenant, billedTenant, createAccount, createInvoice, orderService } from '../billing.setup.ts';
import { clock, eventually, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import { type Json, Tenant } from '../tenant.ts';

let billed: BilledTenant;
let price: number;
beforeAll(async () => {
  billed = await billedTenant();
  price = billed.firstInvoice.amount;
});

const analytics = async (query = '', by = billed.tenant): Promise<Json> =>
  (await by.rest('GET', `/billing/analytics?currency=USD&${query}`)).body.data;
const pay = async (invoice: Json, token: string, amount = invoice.amount): Promise<Json> => {
  const body = { invoice_id: invoice.id, amount, payment_method: { card_token: token } };
  return (await billed.tenant.rest('POST', '/billing/payments', { body })).body.data;
};
/** Moves the due date of an invoice into the past, as if time had passed. */
const dueAgo = async (invoice: Json, days: number): Promise<void> => {
  const due = new Date(clock.now().getTime() - days * 24 * 3600 * 1000);
  await (await rows()).query('update billing.invoice set due_date = $1 where id = $2', [due, invoice.id]);
};

describe('billing analytics', () => {
  test('the invoiced, collected, refunded and outstanding amounts of the analysis equal those of the records', async () => {
    const before = await analytics();
    expect(before).toMatchObject({ period: 'last_30_days', currency: 'USD', invoiced: price, outstanding: price, overdue: 0 });
    const invoice = await createInvoice(billed, { quantity: 1, unit_price: 100 });
    const cancelled = await createInvoice(billed, { quantity: 1, unit_price: 55 });
    await billed.tenant.rest('PUT', `/billing/invoices/${cancelled.id}`, { body: { status: 'cancelled' } });
    const payment = await pay(invoice, 'tok_visa', 60);
    await pay(invoice, 'tok_chargeDeclined', 40);
    await billed.tenant.rest('POST', `/billing/payments/${payment.payment_id}/refund`, { body: { amount: 25 } });
    const after = await analytics();
    expect(after).toMatchObject({
      ...{ invoiced: price + 100, collected: 60, refunded: 25, credited: 0, outstanding: price + 40, overdue: 0 },
      payments: { successful: 1, failed: 1, success_rate: 50 },
      ageing: { not_due: price + 40, days30: 0, days60: 0, days90: 0, older: 0 },
      days_sales_outstanding: Math.round((((price + 40) * 90) / (price + 100)) * 100) / 100,
    });
  });

  test('the outstanding amount is split by the number of days since it was due, and a payment reduces it', async () => {
    const of = { ...billed, ...(await another()) };
    const days = [0, 1, 30, 31, 60, 61, 90, 91, 400];
    const invoices: Json[] = [];
    for (const [index, ago] of days.entries()) {
      const invoice = await createInvoice(of, { quantity: 1, unit_price: 2 ** index });
      await dueAgo(invoice, ago);
      invoices.push(invoice);
    }
    const query = `account_id=${of.accountId}`;
    const start = await analytics(query);
    const first = of.firstAmount;
    expect(start.ageing).toEqual({ not_due: first + 1, days30: 6, days60: 24, days90: 96, older: 384 });
    expect(start).toMatchObject({ outstanding: first + 511, overdue: 510 });
    await pay(invoices[8], 'tok_visa');
    expect((await analytics(query)).ageing.older).toBe(128);
  });

  test('billing figures are grouped by account and month, and cover only the accounts that the caller sees', async () => {
    const of = await another();
    await createInvoice({ ...billed, ...of }, { quantity: 1, unit_price: 5000 });
    const { groups, invoiced } = await analytics('group_by=account');
    expect(groups[0]).toMatchObject({ key: of.accountId, invoiced: 5000 + of.firstAmount });
    expect(groups.reduce((total: number, group: Json) => total + group.invoiced, 0)).toBeCloseTo(invoiced, 4);
    const months = (await analytics('group_by=month&period=current_year')).groups;
    expect(months.at(-1)).toMatchObject({ key: clock.now().toISOString().slice(0, 7) });
    const body = { name: 'Limited', permissions: ['billing:read'], accounts: [of.accountId] };
    const { api_key: key } = (await billed.tenant.rest('POST', '/auth/api-keys', { body })).body;
    const limited = new Tenant(billed.tenant.origin, billed.tenant.organizationId, key.key);
    expect(await analytics('', limited)).toMatchObject({ invoiced: 5000 + of.firstAmount });
    expect((await analytics('group_by=account', limited)).groups).toHaveLength(1);
    expect((await limited.rest('GET', `/billing/analytics?account_id=${billed.accountId}`)).status).toBe(404);
  });

  test('the recurring revenue changes when services start, change and end', async () => {
    const of = await another();
    const query = `account_id=${of.accountId}`;
    const recurring = async () => (await analytics(query)).recurring;
    await eventually(async () => (await recurring()).monthly === of.monthly);
    expect(await recurring()).toMatchObject({ at_start: 0, added: of.monthly, expanded: 0, contracted: 0, churned: 0 });
    const change = { bandwidth: '1000mbps' };
    expect((await billed.tenant.rest('PUT', `/connectivity/internet/${of.serviceId}`, { body: change })).status).toBeLessThan(300);
    const larger = await eventually(async () => {
      const { monthly, expanded } = await recurring();
      return expanded > 0 && { monthly, expanded };
    });
    expect(larger.monthly).toBeCloseTo(of.monthly + larger.expanded, 4);
    await billed.tenant.rest('DELETE', `/services/${of.serviceId}`);
    await eventually(async () => (await recurring()).monthly === 0);
    expect((await recurring()).churned).toBeCloseTo(-larger.monthly, 4);
  });

  test('the stored sums of revenue equal the sums of the records after a compaction and after the backfill has computed them again', async () => {
    const { organizationId } = billed.tenant;
    const database = await rows();
    const tables = ['cost_month', 'revenue_day', 'due_day'];
    const folded = (table: string) =>
      eventually(
        async () =>
          (await database.query(`select 1 from billing.${table} where not folded and organization_id = $1`, [organizationId])).length === 0,
      );
    // an invoice that becomes overdue meanwhile appends two rows, which cancel each other
    const summed = async (table: string): Promise<object[]> => {
      const all = await database.query<{ row: Record<string, string | number> }>(
        `select to_jsonb(t) - 'folded' as row from billing.${table} t where organization_id = $1`,
        [organizationId],
      );
      const isSum = ([, value]: [string, unknown]): boolean => typeof value === 'number';
      const cells = Map.groupBy(all, ({ row }) => JSON.stringify(Object.entries(row).filter((entry) => !isSum(entry))));
      const sums = [...cells].map(([cell, rows]) => {
        const total = (column: string): number => Number(rows.reduce((sum, { row }) => sum + Number(row[column]), 0).toFixed(4));
        const columns = Object.entries(rows[0]?.row ?? {}).filter(isSum);
        return { cell, ...Object.fromEntries(columns.map(([column]) => [column, total(column)])) };
      });
      const isZero = (row: object): boolean => Object.values(row).every((value) => typeof value !== 'number' || value === 0);
      return sums.filter((row) => !isZero(row)).toSorted((one, other) => (one.cell < other.cell ? -1 : 1));
    };
    // the invoices about the changes of services are created by events; they must not come between the sums
    await eventually(
      async () =>
        (
          await database.query(
            `select 1 from services.outbox union all select 1 from billing.outbox union all
             select 1 from pgboss.job where name like 'billing.%' and start_after <= $1 and state in ('created', 'retry', 'active')`,
            [clock.now()],
          )
        ).length === 0,
    );
    for (const table of tables) {
      await folded(table);
      const before = await summed(table);
      await database.query(`select billing.recount_${table}($1)`, [organizationId]);
      expect(await summed(table), table).toEqual(before);
      expect(before.length, table).toBeGreaterThan(0);
    }
  });

  test('an unknown period of the billing analysis is refused with the existing periods', async () => {
    const { status, body } = await billed.tenant.rest('GET', '/billing/analytics?period=forever');
    expect([status, body.error.details.field]).toEqual([400, 'period']);
    const empty = await (await rig()).organization({ plan: 'custom' });
    expect((await empty.rest('GET', '/billing/analytics')).body.data).toMatchObject({
      ...{ currency: 'USD', other_currencies: [], invoiced: 0, days_sales_outstanding: null, groups: [] },
      payments: { success_rate: null },
    });
  });
});

/** Creates another account of the same organization, with a service. */
async function another(): Promise<{ accountId: string; serviceId: string; firstAmount: number; monthly: number }> {
  const account = await createAccount(billed.tenant, 'Another');
  const { service, firstInvoice } = await orderService(billed.tenant, account.id);
  return { accountId: account.id, serviceId: service.id, firstAmount: firstInvoice.amount, monthly: monthlyOf(firstInvoice) };
}

/** Returns the monthly price on an invoice. The first invoice also has an installation fee. */
const monthlyOf = ({ services }: Json): number => services.find(({ kind }: Json) => kind === 'recurring').amount;
