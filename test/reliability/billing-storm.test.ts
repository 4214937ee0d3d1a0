import { expect, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import { DAY_MS } from '../../kernel/values/days.ts';
import { eventually } from '../rig.ts';
import { seeded } from '../support/random-values.ts';
import type { Json } from '../tenant.ts';
import type { BillingProcess } from './billing-world.ts';
import { SubscriptionWorld } from './subscription-world.ts';

const ROUNDS = 6;
const CONCURRENT = 24;
const KILL_EVERY_MS = 40;
const TOKENS = [
  ...['tok_visa', 'tok_mastercard', 'tok_chargeDeclined', 'tok_chargeDeclinedInsufficientFunds', 'tok_delayed', 'tok_delayed_fails'],
  ...['tok_timeout_succeeds', 'tok_timeout_fails', 'tok_timeout_lost', 'tok_decline_once', 'tok_refund_fails'],
  ...['tok_createDispute', 'tok_dispute_won'],
];
/** Error codes that a caller may get. Any other error is a failure of the platform. */
const CODES = [
  ...['INVALID_PARAMETERS', 'INVALID_STATE', 'DUPLICATE_PAYMENT', 'PAYMENT_DECLINED', 'INSUFFICIENT_FUNDS', 'STALE_RESOURCE'],
  ...['SERVICE_UNAVAILABLE', 'RESOURCE_NOT_FOUND'],
];

interface Storm {
  world: SubscriptionWorld;
  processes: [BillingProcess, BillingProcess];
  accountId: string;
  serviceId: string;
  random: () => number;
}

async function storm(seed: number): Promise<Storm> {
  const world = await SubscriptionWorld.open();
  world.clock.set(new Date('2026-03-01T00:00:00Z'));
  const [accountId, serviceId] = [world.account(), newId('service')];
  world.services.set(serviceId, { accountId, name: 'Fiber', currency: 'USD' });
  return { world, processes: [await world.start(), await world.start()], accountId, serviceId, random: seeded(seed) };
}

const chosen = <T>({ random }: Storm, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
const cents = ({ random }: Storm, max: number): number => Math.ceil(random() * max * 100) / 100;

/** Makes a random payment, refund, credit note or other change that moves money. */
function anyChange(of: Storm, invoiceIds: readonly string[], paymentIds: readonly string[]): [string, object] {
  const { accountId, serviceId } = of;
  const [id, paymentId] = [chosen(of, invoiceIds), chosen(of, [...paymentIds, newId('payment')])];
  const changes: [number, string, object][] = [
    [10, PAY, { input: { invoiceId: id, amount: cents(of, 120), paymentMethod: { cardToken: chosen(of, TOKENS) } } }],
    [
      4,
      'mutation ($id: ID!, $input: RefundInput) { refundPayment(id: $id, input: $input) { id } }',
      { id: paymentId, input: { amount: cents(of, 40) } },
    ],
    [
      3,
      'mutation ($input: CreditNoteInput!) { createCreditNote(input: $input) { id } }',
      { input: { invoiceId: id, lines: [{ position: 0, net: cents(of, 30) }] } },
    ],
    [
      2,
      'mutation ($id: ID!, $input: CreditInput!) { grantCredit(accountId: $id, input: $input) { id } }',
      {
        ...{ id: accountId, input: { amount: cents(of, 20), currency: 'USD', reason: 'Goodwill' } },
      },
    ],
    [1, 'mutation ($id: ID!) { updateInvoice(id: $id, input: { status: CANCELLED }) { id } }', { id }],
    [1, 'mutation ($id: ID!) { writeOffInvoice(id: $id, input: { reason: "Insolvent" }) { id } }', { id }],
    [
      2,
      'mutation ($id: ID!, $input: InvoiceUpdateInput!) { updateInvoice(id: $id, input: $input) { id } }',
      {
        ...{ id, input: { services: [{ serviceId, quantity: 1, unitPrice: cents(of, 150) }] } },
      },
    ],
    [2, CREATE, { input: { accountId, services: [{ serviceId, quantity: 1, unitPrice: cents(of, 150) }] } }],
  ];
  // as often as its weight says
  const [, source, variables] = chosen(
    of,
    changes.flatMap((change) => Array.from({ length: change[0] }, () => change)),
  );
  return [source, variables];
}

const PAY = 'mutation ($input: PaymentInput!) { createPayment(input: $input) { id } }';
const CREATE = 'mutation ($input: InvoiceCreateInput!) { createInvoice(input: $input) { id } }';

/** Repeatedly closes the database connection during a random statement, until it is stopped. */
function killing({ world, random }: Storm): () => Promise<void> {
  let isOver = false;
  const kill = async (): Promise<void> => {
    while (!isOver) {
      await new Promise((resolve) => setTimeout(resolve, KILL_EVERY_MS));
      await world
        .rows(
          `select pg_terminate_backend(pid) from (select pid from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid() and state like '%transaction%' order by random() limit 1) one`,
        )
        .catch(() => random());
    }
  };
  const killed = kill();
  return () => {
    isOver = true;
    return killed;
  };
}

async function happen(of: Storm, breaks: boolean): Promise<void> {
  const { world, processes } = of;
  const idsOf = async (table: string): Promise<string[]> =>
    (await world.rows<{ id: string }>(`select "id" from "billing"."${table}" order by "id" desc limit 6`)).map(({ id }) => id);
  const [invoiceIds, paymentIds] = [await idsOf('invoice'), await idsOf('payment')];
  const changes = Array.from({ length: CONCURRENT }, () => anyChange(of, invoiceIds, paymentIds));
  const results = await Promise.all(
    changes.map(([source, variables], index) => (processes[index % 2] as BillingProcess).execute(source, { ...variables })),
  );
  // a broken connection is reported in words of the database, which the router translates
  const codes = breaks
    ? []
    : results.flatMap(({ errors = [] }) => errors.map(({ message, extensions }) => String(extensions.code ?? message)));
  expect(codes.filter((code) => !CODES.includes(code))).toEqual([]);
}

/** Looks up the outcome of all payments and refunds whose outcome is unknown. */
async function settle({ world }: Storm): Promise<void> {
  const unsettled = `select from "billing"."payment" where "status" = 'pending' union all select from "billing"."refund" where "status" = 'pending'
    union all select from "billing"."test_processor_charge" where "dispute_due_at" is not null union all select from "billing"."waiting_credit"`;
  await eventually(async () => {
    world.clock.set(new Date(world.clock.now().getTime() + DAY_MS));
    return (await world.rows(unsettled)).length === 0;
  }, 60_000);
}

async function expectBalanced({ world, processes }: Storm): Promise<void> {
  const { data, errors } = await processes[0].execute('{ ledgerAudit { differences { accountId ledgerAccount posted recorded } } }', {});
  expect(errors).toBeUndefined();
  expect((data as Json).ledgerAudit.differences).toEqual([]);
  const reserved = `select "id" from "billing"."invoice" where "amount_reserved" <> 0 or "refund_reserved" <> 0
    union all select "id" from "billing"."payment" where "refund_reserved" <> 0`;
  expect(await world.rows(reserved)).toEqual([]);
  // what the processor has moved is what the payments and refunds say
  const moved = `select p."id" from "billing"."test_processor_charge" c full join "billing"."payment" p on p."id" = c."id"
    where (p."status" = 'successful') <> (c."id" is not null and c."decline_code" is null)`;
  expect(await world.rows(moved)).toEqual([]);
  const numbers = (
    await world.rows<{ number: number }>(`select substring("number" from 5)::int as "number" from "billing"."invoice" order by 1`)
  ).map(({ number }) => number);
  expect(numbers).toEqual(numbers.map((_, index) => 1001 + index));
  const open = `select "id" from "billing"."invoice" i where "status" in ('pending', 'overdue') and exists (
    select from "billing"."account_balance" b where b."account_id" = i."account_id" and b."currency" = i."currency" and b."credit" > 0)`;
  expect(await world.rows(open)).toEqual([]);
}

test.each([
  ['', 1, false],
  ['', 2, false],
  [' while connections to the database break', 3, true],
  [' while connections to the database break', 4, true],
])(
  'concurrent payments, refunds, credits, corrections and cancellations of the same invoices in two processes%s leave balanced ledgers (seed %i)',
  async (_, seed, breaks) => {
    const of = await storm(seed);
    const create = { input: { accountId: of.accountId, services: [{ serviceId: of.serviceId, quantity: 1, unitPrice: 100 }] } };
    for (let count = 0; count < 2; count += 1) expect((await of.processes[0].execute(CREATE, create)).errors).toBeUndefined();
    const stop = breaks && process.env.TEST_DATABASE_URL ? killing(of) : async () => undefined;
    for (let round = 0; round < ROUNDS; round += 1) {
      await happen(of, breaks);
      of.world.clock.set(new Date(of.world.clock.now().getTime() + 20_000));
    }
    await stop();
    await settle(of);
    await expectBalanced(of);
  },
  180_000,
);
