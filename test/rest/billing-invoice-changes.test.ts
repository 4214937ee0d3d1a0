import { beforeAll, describe, expect, test } from 'vitest';
import { type BilledTenant, billedTenant, createAccount, createInvoice, orderService } from '../billing.setup.ts';
import { booksOf } from '../books.setup.ts';
import { clock, eventually, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import type { Json } from '../tenant.ts';

const DAY_MS = 24 * 3600 * 1000;
const inDays = (days: number): string => new Date(clock.now().getTime() + days * DAY_MS).toISOString();

let billed: BilledTenant;
beforeAll(async () => {
  billed = await billedTenant();
});

const put = (id: string, body: unknown, headers?: Record<string, string>) =>
  billed.tenant.rest('PUT', `/billing/invoices/${id}`, { body, ...(headers && { headers }) });
const get = async (id: string): Promise<Json> => (await billed.tenant.rest('GET', `/billing/invoices/${id}`)).body.data;
const lineOf = (unitPrice: number, quantity = 1): Json => ({ service_id: billed.serviceId, quantity, unit_price: unitPrice });

/** Checks that ledger, balances and invoices of the organization agree. Returns the amount that its account owes. */
async function owed(): Promise<string> {
  const { receivable, credit } = await booksOf(billed.tenant.organizationId);
  expect(receivable.balances).toEqual(receivable.ledger);
  expect(receivable.invoices).toEqual(receivable.ledger);
  expect(credit.balances).toEqual(credit.ledger);
  return receivable.ledger[`${billed.accountId} USD`] ?? '0';
}

const eventOf = (name: string, id: string): Promise<Json> =>
  eventually(async () => {
    const { data } = await billed.tenant.graphql(
      'query($name: String!) { events(filter: { event: [$name] }, page: { limit: 50 }) { nodes { payload } } }',
      { name },
    );
    return data.events.nodes.map(({ payload }: Json) => JSON.parse(payload).data).find(({ invoice }: Json) => invoice.id === id);
  });

describe('changing invoices', () => {
  test('notes and due date of an invoice can be changed, and the event names the old and new values', async () => {
    const { id, due_date: due } = await createInvoice(billed, {}, { notes: 'First' });
    const later = inDays(60);
    const { status, body } = await put(id, { notes: 'Second', due_date: later });
    expect([status, body.data.notes, body.data.due_date, body.data.revision]).toEqual([200, 'Second', later, 2]);
    expect((await eventOf('invoice.updated', id)).changes).toEqual({
      notes: { from: 'First', to: 'Second' },
      due_date: { from: due, to: later },
    });
    expect((await put(id, { notes: null })).body.data.notes).toBeNull();
    expect(await get(id)).toMatchObject({ status: 'pending', revision: 3 });
  });

  test('an update of an invoice without a difference keeps its revision, and an outdated revision returns 409', async () => {
    const { id } = await createInvoice(billed, {}, { notes: 'Same' });
    expect((await put(id, { notes: 'Same' })).body.data.revision).toBe(1);
    const changed = await billed.tenant.graphql(
      'mutation ($id: ID!) { updateInvoice(id: $id, input: { notes: "New" }, expectedRevision: 1) { revision } }',
      { id },
    );
    expect(changed.data.updateInvoice.revision).toBe(2);
    const stale = await billed.tenant.graphql(
      'mutation ($id: ID!) { updateInvoice(id: $id, input: { notes: "Other" }, expectedRevision: 1) { revision } }',
      { id },
    );
    expect(stale.errors?.[0].extensions.code).toBe('STALE_RESOURCE');
    expect((await get(id)).notes).toBe('New');
  });

  test('new lines replace the lines of an invoice, and the difference is posted to the ledger', async () => {
    const { id } = await createInvoice(billed, { quantity: 2, unit_price: 100 });
    const before = await owed();
    const { body } = await put(id, { services: [lineOf(70.5), lineOf(9.5, 2)] });
    expect(body.data).toMatchObject({ amount: 89.5, amount_due: 89.5, services: [{ amount: 70.5 }, { amount: 19 }] });
    expect(Number(await owed())).toBeCloseTo(Number(before) - 110.5, 4);
    await put(id, { services: [lineOf(500)] });
    expect(Number(await owed())).toBeCloseTo(Number(before) + 300, 4);
    expect((await get(id)).services).toMatchObject([{ unit_price: 500 }]);
  });

  test('a cancelled invoice has no due amount, keeps its number, and cannot be changed', async () => {
    const before = await owed();
    const { id, number } = await createInvoice(billed, { unit_price: 33.33 });
    expect((await put(id, { status: 'cancelled' })).body.data).toMatchObject({ number, status: 'cancelled', amount: 99.99, amount_due: 0 });
    expect(await owed()).toBe(before);
    expect((await eventOf('invoice.updated', id)).changes).toEqual({ status: { from: 'pending', to: 'cancelled' } });
    expect((await put(id, { status: 'cancelled' })).status).toBe(200);
    for (const body of [{ services: [lineOf(1)] }, { due_date: inDays(3) }])
      expect((await put(id, body)).body.error).toMatchObject({
        code: 'INVALID_STATE',
        details: { from: 'cancelled', reason: 'cancelled' },
      });
    expect((await put(id, { notes: 'Withdrawn' })).status).toBe(200);
  });

  test('the lines of an invoice that the platform generated cannot be changed', async () => {
    const before = await get(billed.firstInvoice.id);
    const { status, body } = await put(before.id, { services: [lineOf(1)], notes: 'Never' });
    expect([status, body.error.details.reason]).toEqual([409, 'generated']);
    expect(await get(before.id)).toEqual(before);
  });

  test('an invoice with the amount 0 is paid without a payment', async () => {
    const { id, status, paid_date: paidDate } = await createInvoice(billed, { unit_price: 0 });
    expect([status, paidDate]).toEqual(['paid', expect.any(String)]);
    expect(await eventOf('invoice.paid', id)).toMatchObject({ payment_id: null, changes: { status: { from: 'pending', to: 'paid' } } });
    const other = await createInvoice(billed, { unit_price: 5 });
    expect((await put(other.id, { services: [lineOf(0)] })).body.data).toMatchObject({ status: 'paid', amount: 0 });
    await owed();
  });

  test('invalid changes of an invoice are refused with all of their problems, and change nothing', async () => {
    const created = await createInvoice(billed);
    const { status, body } = await put(created.id, {
      status: 'paid',
      due_date: inDays(-2),
      notes: 'x'.repeat(5001),
      services: [lineOf(1, 0)],
    });
    expect(status).toBe(400);
    expect(body.error.details.errors.map(({ field }: Json) => field).sort()).toEqual([
      'due_date',
      'notes',
      'services.0.quantity',
      'status',
    ]);
    expect((await put(created.id, { services: [lineOf(1.001)] })).body.error.details.field).toBe('services.0.unit_price');
    const { id: otherAccount } = await createAccount(billed.tenant);
    const foreign = (await orderService(billed.tenant, otherAccount)).service.id;
    expect((await put(created.id, { services: [{ ...lineOf(1), service_id: foreign }] })).status).toBe(400);
    expect(await get(created.id)).toEqual(created);
    await owed();
  });

  test('another organization cannot change an invoice, and a key with only billing:read gets 403', async () => {
    const { id } = await createInvoice(billed);
    const other = await (await rig()).organization();
    expect((await other.rest('PUT', `/billing/invoices/${id}`, { body: { notes: 'Mine' } })).status).toBe(404);
    const reader = await billed.tenant.limitedTo('billing:read');
    expect((await reader.rest('PUT', `/billing/invoices/${id}`, { body: { notes: 'Mine' } })).status).toBe(403);
  });

  test('after 20 concurrent changes of its lines, an invoice has the lines of the last change, and the ledger is balanced', async () => {
    const { id } = await createInvoice(billed, { unit_price: 10 });
    const prices = Array.from({ length: 20 }, (_, index) => 10 + index * 1.25);
    const statuses = await Promise.all(prices.map(async (price) => (await put(id, { services: [lineOf(price)] })).status));
    expect(new Set(statuses)).toEqual(new Set([200]));
    const { amount, services } = await get(id);
    expect(services).toHaveLength(1);
    expect(amount).toBe(services[0].amount);
    await owed();
  });
});

describe('overdue invoices', () => {
  test('an invoice becomes overdue at the end of its due date, and pending again if it gets a later due date', async () => {
    const platform = await rig();
    const { id } = await createInvoice(billed, {}, { due_date: `${inDays(1).slice(0, 10)}T12:00:00.000Z` });
    const endOfDay = new Date(`${inDays(2).slice(0, 10)}T00:00:00.000Z`).getTime();
    await platform.advance(endOfDay - clock.now().getTime() - 60_000);
    expect((await get(id)).status).toBe('pending');
    await platform.advance(61_000);
    await eventually(async () => (await get(id)).status === 'overdue');
    expect(await eventOf('invoice.overdue', id)).toMatchObject({ changes: { status: { from: 'pending', to: 'overdue' } } });
    expect((await put(id, { due_date: inDays(5) })).body.data.status).toBe('pending');
    const [row] = await (await rows()).query<{ due: string }>(
      `select "status_due_at"::text as "due" from "billing"."invoice" where "id" = $1`,
      [id],
    );
    expect(new Date(`${row?.due}`).getTime()).toBeGreaterThan(clock.now().getTime());
    await owed();
  });
});

describe('the ledger', () => {
  test('a transfer of the ledger cannot be changed or deleted', async () => {
    const all = await rows();
    for (const sql of [`update "billing"."ledger_transfer" set "amount" = 1`, `delete from "billing"."ledger_transfer"`])
      await expect(all.query(sql, [])).rejects.toThrow('The ledger is only extended');
  });

  test('the database refuses an invoice whose paid, reserved and credited amounts exceed its total', async () => {
    const { id } = await createInvoice(billed, { unit_price: 10 });
    const all = await rows();
    const spend = (amounts: string): Promise<unknown> => all.query(`update "billing"."invoice" set ${amounts} where "id" = $1`, [id]);
    await expect(spend('"amount_paid" = 20, "amount_reserved" = 10.01')).rejects.toThrow('invoice_money_check');
    await expect(spend('"amount_refunded" = 0.01')).rejects.toThrow('invoice_money_check');
  });
});
