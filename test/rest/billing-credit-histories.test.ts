import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { type BilledTenant, billedTenant } from '../billing.setup.ts';
import { audited, CREATE_CREDIT_NOTE, GRANT, moveTo, newInvoice, pay, taxRate } from '../billing-credits.setup.ts';
import { rows } from '../support/tables.ts';

/** The modelled state of an invoice. All amounts are in cents. */
interface Modelled {
  id: string;
  lines: { amount: number; credited: number }[];
  net: number;
  tax: number;
  status: 'pending' | 'paid' | 'cancelled';
  paid: number;
  applied: number;
  credited: number;
  returned: number;
  refunded: number;
  taxReversed: number;
  payments: { id: string; left: number }[];
}
interface Model {
  credit: number;
  invoices: Modelled[];
}

/** Returns the tax of a net amount in cents. The tax rate is 12.5 %, so that exact halves of cents occur. */
const taxOn = (net: number): number => Math.floor(net / 8 + 0.5);
const share = (total: number, part: number, whole: number): number => Math.floor((2 * total * part + whole) / (2 * whole));
const due = ({ status, net, tax, paid, applied, credited }: Modelled): number =>
  status === 'pending' ? net + tax - paid - applied - credited : 0;

function close(invoice: Modelled): void {
  if (invoice.status !== 'pending' || due(invoice) > 0) return;
  invoice.status = invoice.net === 0 || invoice.paid + invoice.applied > 0 ? 'paid' : 'cancelled';
}

function spendCredit(model: Model): void {
  for (const invoice of model.invoices) {
    const part = Math.min(model.credit, due(invoice));
    model.credit -= part;
    invoice.applied += part;
    close(invoice);
  }
}

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('issue' as const),
      prices: fc.array(fc.integer({ min: 1, max: 9_999 }), { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constantFrom('pay' as const, 'credit' as const, 'refund' as const, 'cancel' as const, 'grant' as const),
      which: fc.nat(20),
      line: fc.nat(2),
      // more than all is refused
      thousandths: fc.constantFrom(1, 333, 500, 667, 1000, 1000, 1001),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

type Draw = Exclude<Step, { kind: 'issue' }>;

/** Returns the generated part of an amount, at least one cent. */
const partOf = (all: number, { thousandths }: Draw): number => Math.ceil((all * thousandths) / 1000) || 1;

async function issue(billed: BilledTenant, model: Model, prices: number[]): Promise<void> {
  const { id } = await newInvoice(billed, ...prices.map((cents) => cents / 100));
  const net = prices.reduce((total, price) => total + price, 0);
  const nothing = { paid: 0, applied: 0, credited: 0, returned: 0, refunded: 0, taxReversed: 0, payments: [] };
  const lines = prices.map((amount) => ({ amount, credited: 0 }));
  model.invoices.push({ id, lines, net, tax: taxOn(net), status: 'pending', ...nothing });
  spendCredit(model);
}

async function grantSome({ tenant, accountId }: BilledTenant, model: Model, { which, thousandths }: Draw): Promise<void> {
  const amount = which * 100 + thousandths;
  const { errors } = await tenant.graphql(GRANT, { accountId, input: { amount: amount / 100, currency: 'USD', reason: 'Model' } });
  expect(errors).toBeUndefined();
  model.credit += amount;
  spendCredit(model);
}

async function cancelOne({ tenant }: BilledTenant, model: Model, invoice: Modelled): Promise<void> {
  const { status } = await tenant.rest('PUT', `/billing/invoices/${invoice.id}`, { body: { status: 'cancelled' } });
  const isPossible = invoice.status === 'cancelled' || (invoice.status === 'pending' && invoice.paid === 0 && invoice.returned === 0);
  expect(status === 200, `cancelling ${JSON.stringify(invoice)}`).toBe(isPossible);
  if (!isPossible || invoice.status === 'cancelled') return;
  model.credit += invoice.applied;
  invoice.applied = 0;
  invoice.status = 'cancelled';
  spendCredit(model);
}

async function payOne({ tenant }: BilledTenant, invoice: Modelled, draw: Draw): Promise<void> {
  const amount = partOf(due(invoice), draw);
  const { status, body } = await pay(tenant, invoice.id, amount / 100);
  if (amount > due(invoice)) expect(status).toBeGreaterThanOrEqual(400);
  // the same amount with the same card is refused within a day
  if (status !== 201) return;
  invoice.paid += amount;
  invoice.payments.push({ id: body.data.payment_id, left: amount });
  close(invoice);
}

async function refundOne({ tenant }: BilledTenant, invoice: Modelled, draw: Draw): Promise<void> {
  const [payment] = invoice.payments;
  if (!payment) return;
  const possible = Math.min(payment.left, invoice.paid + invoice.applied - invoice.refunded - invoice.returned);
  const amount = partOf(possible, draw);
  const { status } = await tenant.rest('POST', `/billing/payments/${payment.id}/refund`, { body: { amount: amount / 100 } });
  expect(status === 201, `refunding ${amount} of ${possible}`).toBe(amount <= possible);
  if (status !== 201) return;
  const rest = invoice.net + invoice.tax - invoice.credited - invoice.returned - invoice.refunded;
  invoice.taxReversed += share(invoice.tax - invoice.taxReversed, amount, rest);
  invoice.refunded += amount;
  payment.left -= amount;
}

async function creditOne({ tenant }: BilledTenant, model: Model, invoice: Modelled, draw: Draw): Promise<void> {
  const position = draw.line % invoice.lines.length;
  const line = invoice.lines[position] as Modelled['lines'][number];
  const net = partOf(line.amount - line.credited, draw);
  const netLeft = invoice.net - (invoice.credited + invoice.returned + invoice.refunded - invoice.taxReversed);
  const isPossible = invoice.status !== 'cancelled' && net <= line.amount - line.credited && net <= netLeft;
  const { errors } = await tenant.graphql(CREATE_CREDIT_NOTE, { input: { invoiceId: invoice.id, lines: [{ position, net: net / 100 }] } });
  expect(!errors, `crediting ${net} of ${JSON.stringify(invoice)}: ${JSON.stringify(errors)}`).toBe(isPossible);
  if (!isPossible) return;
  const before = invoice.lines.reduce((total, { credited }) => total + credited, 0);
  const tax = Math.min(taxOn(before + net) - taxOn(before), invoice.tax - invoice.taxReversed);
  const toInvoice = Math.min(net + tax, due(invoice));
  line.credited += net;
  invoice.credited += toInvoice;
  invoice.returned += net + tax - toInvoice;
  invoice.taxReversed += tax;
  close(invoice);
  model.credit += net + tax - toInvoice;
  spendCredit(model);
}

async function act(billed: BilledTenant, model: Model, one: Step): Promise<void> {
  if (one.kind === 'issue') return issue(billed, model, one.prices);
  if (one.kind === 'grant') return grantSome(billed, model, one);
  const invoice = model.invoices[one.which % model.invoices.length] as Modelled;
  if (one.kind === 'cancel') return cancelOne(billed, model, invoice);
  if (one.kind === 'pay') return payOne(billed, invoice, one);
  return one.kind === 'refund' ? refundOne(billed, invoice, one) : creditOne(billed, model, invoice, one);
}

async function compare(billed: BilledTenant, model: Model): Promise<void> {
  const { organizationId } = billed.tenant;
  const database = await rows();
  const stored = await database.query<Record<string, string>>(
    `select id, status, (amount * 100)::int as amount, (amount_paid * 100)::int as paid, (credit_applied * 100)::int as applied,
       (amount_credited * 100)::int as credited, (amount_returned * 100)::int as returned, (amount_refunded * 100)::int as refunded,
       (tax_reversed * 100)::int as "taxReversed" from billing.invoice where organization_id = $1 and id <> $2 order by created_at, id`,
    [organizationId, billed.firstInvoice.id],
  );
  const expected = model.invoices.map(({ lines: _, net, tax, payments: __, ...invoice }) => ({ ...invoice, amount: net + tax }));
  expect(stored).toEqual(expected);
  const [balance] = await database.query<{ credit: number }>(
    `select (credit * 100)::int as credit from billing.account_balance where organization_id = $1 and currency = 'USD'`,
    [organizationId],
  );
  expect(balance?.credit ?? 0).toBe(model.credit);
  await audited(organizationId);
}

test('after each step of a random history of invoices, payments, credits, refunds and cancellations, the ledger equals a model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 14 }), async (steps) => {
      const billed = await billedTenant();
      await moveTo(billed, 'US');
      await taxRate(billed.tenant, { percent: 12.5 });
      const first = await billed.tenant.rest('PUT', `/billing/invoices/${billed.firstInvoice.id}`, { body: { status: 'cancelled' } });
      expect(first.status, JSON.stringify(first.body)).toBe(200);
      const model: Model = { credit: 0, invoices: [] };
      for (const one of [{ kind: 'issue' as const, prices: [100, 1_255] }, ...steps]) {
        await act(billed, model, one);
        // credit waits a moment for invoices that background work has locked
        await vi.waitFor(() => compare(billed, model), { timeout: 20_000, interval: 200 });
      }
    }),
    { numRuns: 5, endOnFailure: true },
  );
}, 300_000);
