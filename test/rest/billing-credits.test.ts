import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BilledTenant, billedTenant, createAccount } from '../billing.setup.ts';
import {
  audited,
  CREATE_CREDIT_NOTE,
  creditNote,
  GRANT,
  grant,
  invoiceOf,
  moveTo,
  newInvoice,
  pay,
  refused,
  run,
  taxRate,
  WRITE_OFF,
} from '../billing-credits.setup.ts';
import { booksOf } from '../books.setup.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import type { Json } from '../tenant.ts';

let platform: Rig;
let billed: BilledTenant;
let org: string;
beforeAll(async () => {
  platform = await rig();
});
beforeEach(async () => {
  billed = await billedTenant();
  org = billed.tenant.organizationId;
  await moveTo(billed, 'US', 'NY');
  await taxRate(billed.tenant);
  // the invoice of the first cycle, so that credit pays only the invoices of the test
  await cancel(billed.firstInvoice);
});

const cancel = async (invoice: Json): Promise<void> => {
  const { status, body } = await billed.tenant.rest('PUT', `/billing/invoices/${invoice.id}`, { body: { status: 'cancelled' } });
  expect(status, JSON.stringify(body)).toBe(200);
};
const creditOf = async (): Promise<string> => (await booksOf(org)).credit.ledger[`${billed.accountId} USD`] ?? '0';
const paid = async (invoice: Json, amount = invoice.amount, token?: string): Promise<string> => {
  const { status, body } = await pay(billed.tenant, invoice.id, amount, token);
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data.payment_id;
};
const refund = (paymentId: string, body?: Json) =>
  billed.tenant.rest('POST', `/billing/payments/${paymentId}/refund`, body ? { body } : {});
const eventsOf = async (event: string): Promise<Json[]> =>
  (await run(billed.tenant, 'query ($e: [String!]) { events(filter: { event: $e }) { nodes { payload } } }', { e: [event] })).nodes.map(
    ({ payload }: Json) => JSON.parse(payload).data,
  );

describe('credit notes', () => {
  test('a credit note for an unpaid invoice reduces the due amount by the net amount and the tax of the credited lines', async () => {
    const invoice = await newInvoice(billed, 100, 50);
    const note = await creditNote(billed.tenant, invoice.id, [{ position: 1, net: 25 }], 'The line was down');
    expect(note).toMatchObject({
      number: 'CN-1001',
      cause: 'MANUAL',
      net: 25,
      tax: 5,
      amount: 30,
      amountToInvoice: 30,
      amountToAccount: 0,
    });
    expect(note).toMatchObject({ currency: 'USD', reason: 'The line was down', lines: [{ position: 1, net: 25 }] });
    expect(note.taxes).toEqual([{ name: 'VAT', percent: 20, taxable: 25, amount: 5, reason: null }]);
    expect(await invoiceOf(billed.tenant, invoice.id)).toMatchObject({
      status: 'pending',
      amount: 180,
      amount_credited: 30,
      amount_due: 150,
    });
    await audited(org);
    await eventually(async () => (await eventsOf('credit.issued')).length === 1);
    expect((await eventsOf('credit.issued'))[0].credit_note).toMatchObject({ id: note.id, invoice_id: invoice.id, amount: 30 });
  });

  test('the credit notes of an invoice give back exactly its net amount and its tax, and not a cent more', async () => {
    const invoice = await newInvoice(billed, 33.33, 0.07);
    for (const net of [11.11, 0.01, 11.11, 0.01]) await creditNote(billed.tenant, invoice.id, [{ position: 0, net }]);
    const note = await creditNote(billed.tenant, invoice.id);
    expect(note.lines).toEqual([
      { position: 0, net: 11.09 },
      { position: 1, net: 0.07 },
    ]);
    const after = await invoiceOf(billed.tenant, invoice.id);
    expect(after).toMatchObject({ status: 'cancelled', amount_credited: invoice.amount, amount_due: 0 });
    expect(await refused(billed.tenant, CREATE_CREDIT_NOTE, { input: { invoiceId: invoice.id } })).toMatchObject({ code: 'INVALID_STATE' });
    await audited(org);
    await eventually(async () => (await eventsOf('invoice.updated')).some(({ invoice: one }) => one.id === invoice.id));
  });

  test('a credit note for a paid invoice becomes credit of the account, and pays open invoices, the oldest due date first', async () => {
    const invoice = await newInvoice(billed, 100);
    await paid(invoice);
    const later = await newInvoice(billed, 40);
    const due = new Date(platform.clock.now().getTime() + 24 * 3600 * 1000).toISOString();
    const earlier = await newInvoice(billed, 30);
    await billed.tenant.rest('PUT', `/billing/invoices/${earlier.id}`, { body: { due_date: due } });
    const note = await creditNote(billed.tenant, invoice.id, [{ position: 0, net: 50 }]);
    expect(note).toMatchObject({ amountToInvoice: 0, amountToAccount: 60 });
    expect(await invoiceOf(billed.tenant, invoice.id)).toMatchObject({ status: 'paid', amount_returned: 60, amount_credited: 0 });
    // credit waits a moment for an invoice that is locked
    await eventually(async () => (await invoiceOf(billed.tenant, later.id)).credit_applied > 0);
    expect(await invoiceOf(billed.tenant, earlier.id)).toMatchObject({ status: 'paid', credit_applied: 36 });
    expect(await invoiceOf(billed.tenant, later.id)).toMatchObject({ status: 'pending', credit_applied: 24, amount_due: 24 });
    expect(await creditOf()).toBe('0');
    await audited(org);
    await eventually(async () =>
      (await eventsOf('invoice.paid')).some(({ invoice: one, payment_id }) => one.id === earlier.id && payment_id === null),
    );
  });

  test('an invoice that a payment and a credit note cover together is paid', async () => {
    const invoice = await newInvoice(billed, 100);
    await paid(invoice, 20);
    const note = await creditNote(billed.tenant, invoice.id);
    expect(note).toMatchObject({ amount: 120, amountToInvoice: 100, amountToAccount: 20 });
    expect(await invoiceOf(billed.tenant, invoice.id)).toMatchObject({ status: 'paid', amount_paid: 20, amount_due: 0 });
    await audited(org);
  });

  test('a refund and a credit note together never give back more than the paid amount', async () => {
    const invoice = await newInvoice(billed, 100);
    const payment = await paid(invoice);
    expect((await refund(payment, { amount: 60 })).status).toBe(201);
    const tooMuch = { invoiceId: invoice.id, lines: [{ position: 0, net: 50.01 }] };
    expect(await refused(billed.tenant, CREATE_CREDIT_NOTE, { input: tooMuch })).toMatchObject({
      code: 'INVALID_PARAMETERS',
      field: 'lines',
    });
    await creditNote(billed.tenant, invoice.id, [{ position: 0, net: 50 }]);
    const { status, body } = await refund(payment, { amount: 0.01 });
    expect([status, body.error.details.field]).toEqual([400, 'amount']);
    expect(await creditOf()).toBe('60');
    await audited(org);
  });

  test('a credit note that depends on a payment in progress is refused, and succeeds when the outcome is known', async () => {
    const invoice = await newInvoice(billed, 100);
    await paid(invoice, 100, 'tok_timeout_succeeds');
    await creditNote(billed.tenant, invoice.id, [{ position: 0, net: 10 }]);
    const input = { invoiceId: invoice.id, lines: [{ position: 0, net: 20 }] };
    expect(await refused(billed.tenant, CREATE_CREDIT_NOTE, { input })).toMatchObject({ code: 'INVALID_STATE', reason: 'in_flight' });
    await platform.advance(6 * 60_000);
    await eventually(async () => (await invoiceOf(billed.tenant, invoice.id)).amount_paid === 100);
    expect((await run(billed.tenant, CREATE_CREDIT_NOTE, { input })).amount).toBe(24);
    await audited(org);
  });

  test('invalid credit notes are refused with all of their problems, and store nothing', async () => {
    const invoice = await newInvoice(billed, 10);
    const wrong = [
      { position: 0, net: 10.01 },
      { position: 0, net: 1.001 },
      { position: 7, net: 1 },
    ];
    const { code, errors } = await refused(billed.tenant, CREATE_CREDIT_NOTE, { input: { invoiceId: invoice.id, lines: wrong } });
    expect(code).toBe('INVALID_PARAMETERS');
    expect(errors).toHaveLength(4);
    for (const lines of [[], [{ position: 0, net: -1 }], [{ position: 0, net: 0 }], [{ position: -1, net: 1 }]])
      expect(await refused(billed.tenant, CREATE_CREDIT_NOTE, { input: { invoiceId: invoice.id, lines } })).toMatchObject({
        code: 'INVALID_PARAMETERS',
      });
    const other = await billedTenant();
    expect(await refused(other.tenant, CREATE_CREDIT_NOTE, { input: { invoiceId: invoice.id } })).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    });
    expect((await run(billed.tenant, '{ credits { nodes { id } } }')).nodes).toEqual([]);
  });
});

describe('credit of accounts', () => {
  test('goodwill credit pays open invoices, and the remaining credit pays later invoices including their tax', async () => {
    const open = await newInvoice(billed, 10);
    const note = await grant(billed.tenant, billed.accountId, 40);
    expect(note).toMatchObject({
      cause: 'GOODWILL',
      net: 40,
      tax: 0,
      amountToAccount: 40,
      invoice: null,
      account: { id: billed.accountId },
    });
    await eventually(async () => (await invoiceOf(billed.tenant, open.id)).status === 'paid');
    expect(await invoiceOf(billed.tenant, open.id)).toMatchObject({ credit_applied: 12 });
    const next = await newInvoice(billed, 20);
    expect(next).toMatchObject({ status: 'paid', amount: 24, credit_applied: 24 });
    expect(await newInvoice(billed, 20)).toMatchObject({ status: 'pending', credit_applied: 4, amount_due: 20, revision: 1 });
    expect(await creditOf()).toBe('0');
    await audited(org);
  });

  test('credit pays only invoices in its currency, and of its account', async () => {
    const { id: otherAccount } = await createAccount(billed.tenant, 'Other');
    const invoice = await newInvoice(billed, 10);
    await grant(billed.tenant, billed.accountId, 40, 'EUR');
    await grant(billed.tenant, otherAccount, 40);
    expect(await invoiceOf(billed.tenant, invoice.id)).toMatchObject({ credit_applied: 0 });
    await audited(org);
  });

  test('the cancellation of an invoice returns the credit that was used for it, and this credit pays other invoices', async () => {
    await grant(billed.tenant, billed.accountId, 10);
    const first = await newInvoice(billed, 20);
    expect(first.credit_applied).toBe(10);
    const second = await newInvoice(billed, 5);
    await cancel(first);
    expect(await invoiceOf(billed.tenant, first.id)).toMatchObject({ status: 'cancelled', credit_applied: 0 });
    // credit waits a moment for an invoice that is locked
    await eventually(async () => (await invoiceOf(billed.tenant, second.id)).status === 'paid');
    expect(await invoiceOf(billed.tenant, second.id)).toMatchObject({ credit_applied: 6 });
    expect(await creditOf()).toBe('4');
    await audited(org);
  });

  test('a change of the lines of an invoice returns the credit that was used for it, and uses it again for the new amount', async () => {
    await grant(billed.tenant, billed.accountId, 50);
    const invoice = await newInvoice(billed, 50);
    const services = [{ service_id: billed.serviceId, quantity: 1, unit_price: 10 }];
    expect((await billed.tenant.rest('PUT', `/billing/invoices/${invoice.id}`, { body: { services } })).status).toBe(200);
    expect(await invoiceOf(billed.tenant, invoice.id)).toMatchObject({ status: 'paid', amount: 12, credit_applied: 12 });
    expect(await creditOf()).toBe('38');
    await audited(org);
  });

  test('credit is not used for an amount that a payment in progress has reserved, and is used for it after the payment has failed', async () => {
    const invoice = await newInvoice(billed, 10);
    await paid(invoice, 12, 'tok_timeout_fails');
    await grant(billed.tenant, billed.accountId, 5);
    expect(await creditOf()).toBe('5');
    await platform.advance(6 * 60_000);
    await eventually(async () => (await invoiceOf(billed.tenant, invoice.id)).credit_applied === 5);
    await audited(org);
  });

  test('invalid goodwill is refused with all of its problems', async () => {
    const input = { amount: -1, currency: 'XAU', reason: ' ' };
    const { errors } = await refused(billed.tenant, GRANT, { accountId: billed.accountId, input });
    expect(errors).toHaveLength(3);
    const yen = { amount: 1.5, currency: 'JPY', reason: 'An apology' };
    expect(await refused(billed.tenant, GRANT, { accountId: billed.accountId, input: yen })).toMatchObject({ code: 'INVALID_PARAMETERS' });
    const unknown = { accountId: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G', input: { ...yen, amount: 1 } };
    expect(await refused(billed.tenant, GRANT, unknown)).toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  });
});

describe('write-offs', () => {
  test('a write-off cancels the invoice, posts the unpaid amount as an expense, and keeps the tax posted', async () => {
    const invoice = await newInvoice(billed, 100);
    await paid(invoice, 20);
    const written = await run(billed.tenant, WRITE_OFF, { id: invoice.id, input: { reason: 'Insolvent' } });
    expect(written).toMatchObject({ status: 'CANCELLED', amountWrittenOff: 100, writeOffReason: 'Insolvent', amountDue: 0 });
    await audited(org);
    const again = await refused(billed.tenant, WRITE_OFF, { id: invoice.id, input: { reason: 'Again' } });
    expect(again).toMatchObject({ code: 'INVALID_STATE', reason: 'cancelled' });
  });

  test('an invoice with a payment in progress cannot be written off', async () => {
    const invoice = await newInvoice(billed, 100);
    await paid(invoice, 20, 'tok_timeout_lost');
    expect(await refused(billed.tenant, WRITE_OFF, { id: invoice.id, input: { reason: 'Insolvent' } })).toMatchObject({
      reason: 'in_flight',
    });
  });
});

describe('concurrent credits', () => {
  test('if two credit notes for a whole invoice are created concurrently, one succeeds', async () => {
    const invoice = await newInvoice(billed, 100);
    const answers = await Promise.all([1, 2, 3].map(() => billed.tenant.graphql(CREATE_CREDIT_NOTE, { input: { invoiceId: invoice.id } })));
    expect(answers.filter(({ errors }) => !errors)).toHaveLength(1);
    await audited(org);
  });

  test('after concurrent payments, credit notes, goodwill and new invoices, the ledger is exact, and no account has both credit and open invoices', async () => {
    const invoices = await Promise.all([1, 2, 3, 4].map((price) => newInvoice(billed, price * 10)));
    await paid(invoices[0] as Json);
    await Promise.all([
      ...invoices.map(({ id }) => pay(billed.tenant, id, 5)),
      ...invoices.map(({ id }) =>
        billed.tenant.graphql(CREATE_CREDIT_NOTE, { input: { invoiceId: id, lines: [{ position: 0, net: 3 }] } }),
      ),
      ...[1, 2, 3].map(() => grant(billed.tenant, billed.accountId, 7)),
      ...[1, 2, 3].map(() => newInvoice(billed, 4)),
    ]);
    await platform.advance(5_000);
    await eventually(async () => {
      const [{ open = '0' } = {}] = await (await rows()).query<{ open: string }>(
        `select coalesce(sum(amount - amount_paid - amount_reserved - amount_credited - credit_applied), 0)::text as open from billing.invoice
         where organization_id = $1 and status in ('pending', 'overdue')`,
        [org],
      );
      return Number(await creditOf()) === 0 || Number(open) === 0;
    });
    await audited(org);
  });

  test('if another transaction has locked an open invoice, granted credit first stays in the account, and pays the invoice when the lock is released', async () => {
    if (process.env.TEST_DATABASE_URL === undefined) return; // the embedded database has one connection
    const invoice = await newInvoice(billed, 10);
    const database = await rows();
    const locked = database.query(
      `do $$ begin perform 1 from billing.invoice where id = '${invoice.id}' for update; perform pg_sleep(2); end $$`,
      [],
    );
    const isLocked = async () =>
      (await database.query('select 1 from billing.invoice where id = $1 for update skip locked', [invoice.id])).length === 0;
    await eventually(isLocked);
    await grant(billed.tenant, billed.accountId, 12);
    expect(await creditOf()).toBe('12');
    await locked;
    await platform.advance(3_000);
    await eventually(async () => (await invoiceOf(billed.tenant, invoice.id)).status === 'paid');
    await audited(org);
  });
});
