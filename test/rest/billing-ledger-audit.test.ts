import { beforeAll, describe, expect, test } from 'vitest';
import { type BilledTenant, billedTenant, createAccount } from '../billing.setup.ts';
import { type Till, tillOf } from '../payments.setup.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import { type Json, Tenant } from '../tenant.ts';

const DAY_MS = 24 * 3_600_000;
const AUDIT = `query ($after: ID) {
  ledgerAudit(after: $after) {
    accounts next totals { currency ledgerAccount posted recorded } differences { accountId currency ledgerAccount posted recorded }
  }
}`;

let platform: Rig;
let billed: BilledTenant;
let till: Till;
beforeAll(async () => {
  platform = await rig();
  billed = await billedTenant();
  till = tillOf(billed);
});

const audit = async (after?: string): Promise<Json> => (await billed.tenant.graphql(AUDIT, { after })).data.ledgerAudit;
const changeBalance = async (by: string): Promise<void> =>
  void (await (
    await rows()
  ).query(
    'update "billing"."account_balance" set "receivable" = "receivable" + $1::numeric where "organization_id" = $2 and "account_id" = $3',
    [by, billed.tenant.organizationId, billed.accountId],
  ));

describe('the audit of the ledger', () => {
  test('the audit of a correct ledger finds no differences, and returns the sums of each currency', async () => {
    const invoice = await till.newInvoice(100);
    const { payment_id: id } = (await till.pay(invoice, 'tok_visa', { amount: 60 })).body.data;
    await till.refund(id, { amount: 10 });
    const { accounts, next, totals, differences } = await audit();
    expect([accounts, next, differences]).toEqual([1, null, []]);
    const due = billed.firstInvoice.amount + 40;
    expect(totals).toEqual(
      [
        ['balance:credit', 0],
        ['balance:receivable', due],
        ['cash:test', 50],
        ['receivable', due],
        ['tax', 0],
      ].map(([ledgerAccount, amount]) => ({ currency: 'USD', ledgerAccount, posted: amount, recorded: amount })),
    );
  });

  test.each([
    ['a stored balance', `update "billing"."account_balance" set "receivable" = "receivable" + 1`, 'balance:receivable'],
    ['an invoice', `update "billing"."invoice" set "amount_paid" = "amount_paid" - 1 where "amount_paid" > 1`, 'receivable'],
    ['a payment', `update "billing"."payment" set "amount" = "amount" + 1`, 'cash:test'],
    ['a refund', `update "billing"."refund" set "amount" = "amount" - 1`, 'cash:test'],
    ['the tax of an invoice', `update "billing"."invoice" set "tax_amount" = 1`, 'tax'],
  ])('the ledger audit finds %s that was changed without a transfer in the ledger', async (_, damage, ledgerAccount) => {
    const own = await billedTenant();
    const its = tillOf(own);
    const { payment_id: id } = (await its.pay(await its.newInvoice(50))).body.data;
    await its.refund(id, { amount: 5 });
    const where = damage.includes('where') ? 'and' : 'where';
    await (await rows()).query(`${damage} ${where} "organization_id" = $1`, [own.tenant.organizationId]);
    const { data } = await own.tenant.graphql(AUDIT, {});
    expect(data.ledgerAudit.differences).toMatchObject([{ accountId: own.accountId, currency: 'USD', ledgerAccount }]);
  });

  test('the audit of concurrent payments finds no differences, because it reads all sums at the same time', async () => {
    const invoices = await Promise.all(Array.from({ length: 12 }, () => till.newInvoice(5)));
    let isPaying = true;
    const paying = Promise.all(invoices.map((invoice) => till.pay(invoice))).finally(() => {
      isPaying = false;
    });
    const found: Json[] = [];
    while (isPaying) found.push(...(await audit()).differences);
    await paying;
    expect(found).toEqual([]);
  });

  test('the accounts of a large organization are audited in parts of 500', async () => {
    const { accountId, tenant } = await billedTenant();
    await (await rows()).query(
      `select "billing"."post"($1, 'test' || n, 'test', 'acc_' || lpad(n::text, 26, '0'), null, 'USD', 'receivable', 'revenue', 1, now())
       from generate_series(1, 700) n`,
      [tenant.organizationId],
    );
    const part = async (after?: string): Promise<Json> => (await tenant.graphql(AUDIT, { after })).data.ledgerAudit;
    const first = await part();
    const second = await part(first.next);
    expect([first.accounts, second.accounts, second.next]).toEqual([500, 201, null]);
    expect([...first.differences, ...second.differences].map((one: Json) => one.accountId)).not.toContain(accountId);
    expect(first.differences.length + second.differences.length).toBe(700);
  });

  test('only callers with billing:admin and access to the whole organization can audit the ledger', async () => {
    const reader = await billed.tenant.limitedTo('billing:read', 'billing:write');
    expect((await reader.graphql(AUDIT, {})).errors?.[0].extensions.code).toBe('INSUFFICIENT_PERMISSIONS');
    const { body } = await billed.tenant.rest('POST', '/auth/api-keys', {
      body: { name: 'Limited', permissions: ['billing:admin'], accounts: [(await createAccount(billed.tenant)).id] },
    });
    const limited = new Tenant(billed.tenant.origin, billed.tenant.organizationId, body.api_key.key);
    const [refused] = (await limited.graphql(AUDIT, {})).errors ?? [];
    expect(refused?.extensions).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', details: { reason: 'account_scope' } });
  });

  test('the nightly audit reports a difference every night until it is corrected', async () => {
    const reports = async (): Promise<Json[]> => {
      const { data } = await billed.tenant.graphql('{ events(filter: { event: ["ledger.difference_found"] }) { nodes { payload } } }');
      return data.events.nodes.map(({ payload }: Json) => JSON.parse(payload).data);
    };
    await changeBalance('3.5');
    await platform.advance(2 * DAY_MS);
    const [report] = await eventually(async () => (await reports()).length > 0 && (await reports()));
    expect(report?.differences).toMatchObject([{ account_id: billed.accountId, ledger_account: 'balance:receivable' }]);
    expect(report?.differences[0].recorded - report?.differences[0].posted).toBeCloseTo(3.5);
    await eventually(() =>
      platform.logged.some((line) => line.includes('the ledger differs from the records') && line.includes(billed.accountId)),
    );
    const [row] = await (await rows()).query<{ differences: number }>(
      'select "differences" from "billing"."ledger_audit" where "id" = $1',
      [billed.tenant.organizationId],
    );
    expect(row?.differences).toBe(1);
    await changeBalance('-3.5');
    // the time of the audit is another one each night
    await platform.advance(2 * DAY_MS);
    await eventually(async () => {
      const [after] = await (await rows()).query<{ differences: number }>(
        'select "differences" from "billing"."ledger_audit" where "id" = $1',
        [billed.tenant.organizationId],
      );
      return after?.differences === 0;
    });
  });
});
