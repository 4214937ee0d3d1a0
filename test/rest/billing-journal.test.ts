import { beforeAll, describe, expect, test } from 'vitest';
import { JournalWriter } from '../../subgraphs/billing/journal/journal.ts';
import { type BilledTenant, billedTenant, createAccount, createInvoice, orderService } from '../billing.setup.ts';
import { type Till, tillOf } from '../payments.setup.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { describeWithHledger, hledger } from '../support/hledger.ts';
import { rows } from '../support/tables.ts';
import { type Json, Tenant } from '../tenant.ts';

const PATH = '/billing/ledger.journal';

let platform: Rig;
let billed: BilledTenant;
let till: Till;
/** Another customer of the same organization. */
let second: { accountId: string; invoice: Json };
beforeAll(async () => {
  platform = await rig();
  billed = await billedTenant();
  till = tillOf(billed);
  const { tenant } = billed;
  const invoice = await till.newInvoice(100);
  const { payment_id: id } = (await till.pay(invoice, 'tok_createDispute')).body.data;
  await till.refund(id, { amount: 12.5 });
  await platform.advance(31_000);
  await eventually(async () => (await till.payment(id)).disputes.length === 1);
  await till.newInvoice(5000, { currency: 'JPY' });
  await till.newInvoice(1.125, { currency: 'KWD' });
  const { id: accountId } = await createAccount(tenant, 'Second');
  const { service } = await orderService(tenant, accountId);
  second = { accountId, invoice: await createInvoice({ ...billed, accountId, serviceId: service.id }, { quantity: 1, unit_price: 33 }) };
});

const download = async (query = '', by: Tenant = billed.tenant): Promise<string> => {
  const { status, body } = await by.rest('GET', `${PATH}${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const today = (): string => platform.clock.now().toISOString().slice(0, 10);

describe('the journal of the ledger', () => {
  test('the journal of the ledger is a downloadable text file with one transaction for each transfer', async () => {
    const { headers, body } = await billed.tenant.rest('GET', PATH);
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="ledger.journal"');
    const [count] = await (await rows()).query<{ count: number }>(
      'select count(*)::int as "count" from "billing"."ledger_transfer" where "organization_id" = $1',
      [billed.tenant.organizationId],
    );
    expect(body.match(/^\d{4}-\d{2}-\d{2} \* /gm)).toHaveLength(count?.count ?? -1);
    expect(body).toContain(`account:${second.accountId}, invoice:${second.invoice.id}`);
    const times = [...body.matchAll(/time:([^,]+)/g)].map(([, time]) => time);
    expect(times).toEqual(times.toSorted());
    const head = await fetch(`${platform.origin}/v1${PATH}`, { method: 'HEAD', headers: billed.tenant.credentials });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  test('the journal can be limited to days, and an error lists all problems of an invalid query', async () => {
    expect(await download(`?from=${today()}&to=${today()}`)).toContain(second.invoice.id);
    expect(await download('?to=2020-01-31')).not.toContain('assets');
    const { status, body } = await billed.tenant.rest('GET', `${PATH}?from=yesterday&to=2026-02-30&until=1`);
    expect([status, body.error.details.errors.map(({ field }: Json) => field)]).toEqual([400, ['from', 'to', 'until']]);
    expect((await billed.tenant.rest('GET', `${PATH}?from=2026-02-02&to=2026-02-01`)).body.error.details.field).toBe('from');
  });

  test('the journal of a caller who is limited to accounts contains only the transfers of these accounts', async () => {
    const { body } = await billed.tenant.rest('POST', '/auth/api-keys', {
      body: { name: 'Limited', permissions: ['billing:read'], accounts: [second.accountId] },
    });
    const limited = new Tenant(billed.tenant.origin, billed.tenant.organizationId, body.api_key.key);
    const journal = await download('', limited);
    expect(journal).toContain(second.invoice.id);
    expect(journal).not.toContain(billed.accountId);
    const other = await platform.organization();
    expect(await download('', other)).not.toContain('assets');
  });

  test('callers without credentials or without billing:read get no journal', async () => {
    expect((await new Tenant(platform.origin, '', '').rest('GET', PATH)).status).toBe(401);
    expect((await (await billed.tenant.limitedTo('services:read')).rest('GET', PATH)).status).toBe(403);
  });

  test('a journal of several pages contains each transfer once', async () => {
    const { tenant } = await billedTenant();
    await (await rows()).query(
      `select "billing"."post"($1, 'test' || n, 'test', 'acc_many', null, 'USD', 'receivable', 'revenue', n, date_trunc('day', now()))
       from generate_series(1, 2500) n`,
      [tenant.organizationId],
    );
    const sources = [...(await download('', tenant)).matchAll(/source:(test\d+)/g)].map(([, source]) => source);
    expect(sources).toHaveLength(2500);
    expect(new Set(sources).size).toBe(2500);
  });
});

const HOSTILE = 'x)\n2020-01-01 stolen\n  assets:cash  1000000 USD ; a:b, c|d';

describeWithHledger('hledger', () => {
  test('hledger accepts the journal in its strict mode, and computes the same balances as the platform has stored', async () => {
    const journal = await download();
    hledger(journal, 'check', '--strict');
    const stored = await (await rows()).query<{ currency: string; receivable: string }>(
      `select "currency", sum("receivable")::text as "receivable" from "billing"."account_balance" where "organization_id" = $1 group by 1 order by 1`,
      [billed.tenant.organizationId],
    );
    const shown = hledger(journal, 'balance', 'assets:receivable', '--flat', '--no-total', '-O', 'csv', '--layout', 'bare');
    const sums = [...shown.matchAll(/"assets:receivable","(\w+)","([\d.]+)"/g)].map(([, currency, amount]) => [currency, Number(amount)]);
    expect(sums.sort()).toEqual(stored.map(({ currency, receivable }) => [currency, Number(receivable)]));
    expect(hledger(journal, 'balance', '--no-elide', `tag:account=${second.accountId}`)).toContain('assets:receivable');
  });

  test('a name that contains characters of the journal format cannot add a transaction or an account', () => {
    const writer = new JournalWriter();
    const range = { from: null, to: new Date('2026-02-01T00:00:00Z') };
    const transfer = {
      ...{ created_at: new Date('2026-01-31T23:59:59.999Z'), source: HOSTILE, kind: HOSTILE, account_id: HOSTILE, invoice_id: HOSTILE },
      ...{ number: HOSTILE, currency: 'USD', debit: `cash:${HOSTILE}`, credit: HOSTILE, amount: '12.5000' },
    };
    const journal = writer.begin(HOSTILE, range) + writer.page([transfer, { ...transfer, debit: 'unheard-of', credit: 'revenue' }]);
    hledger(journal, 'check', '--strict');
    expect(hledger(journal, 'print').match(/^2026-01-31/gm)).toHaveLength(2);
    expect(hledger(journal, 'print')).not.toMatch(/^2020/m);
    expect(
      hledger(journal, 'accounts')
        .split('\n')
        .filter((line) => line === 'assets:cash'),
    ).toEqual([]);
  });
});
