import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { TestClock } from '../../kernel/clock.ts';
import { JOB_SCHEMA } from '../../kernel/jobs/schema.ts';
import { createAccount, orderService } from '../billing.setup.ts';
import { tillOf } from '../payments.setup.ts';
import { onRig, type Rig, rig, start } from '../rig.ts';
import { describeWithHledger, hledger } from '../support/hledger.ts';
import { rows } from '../support/tables.ts';
import { type Json, Tenant } from '../tenant.ts';

const DAY_MS = 86_400_000;
const ADVANCE = 'mutation ($to: DateTime!) { advanceSandboxClock(to: $to) { now target status } }';
const CLOCK = '{ sandboxClock { now target status } }';

// a platform of its own, because only a sandbox has clocks of organizations
let platform: Rig;
beforeAll(async () => {
  const time = new TestClock();
  time.set(new Date('2026-01-05T09:30:00Z'));
  platform = await start({ SANDBOX: '1' }, time);
});
afterAll(() => platform.close());

let tenant: Tenant;
beforeEach(async () => {
  tenant = await platform.organization({ plan: 'custom' });
});

const clockOf = async (of = tenant): Promise<Json> => (await of.graphql(CLOCK)).data.sandboxClock;
const advance = (to: Date, of = tenant): Promise<Json> => of.graphql(ADVANCE, { to: to.toISOString() });
/** Advances the sandbox clock, and waits until the advance has ended. */
async function advanced(to: Date): Promise<void> {
  const { data, errors } = await advance(to);
  expect(errors).toBeUndefined();
  expect(data.advanceSandboxClock).toMatchObject({ target: to.toISOString() });
  await vi.waitFor(async () => expect(await clockOf()).toMatchObject({ status: 'READY', now: to.toISOString() }), {
    timeout: 50_000,
    interval: 50,
  });
}
const later = (days: number): Date => new Date(platform.clock.now().getTime() + days * DAY_MS);
/** Stores a billing job that is due tomorrow. Until it is deleted, advances of the organization wait. */
async function holdAdvance({ organizationId }: Tenant): Promise<void> {
  const job = `insert into ${JOB_SCHEMA}.job ("name", "data", "start_after") values ('billing.charge', $1::jsonb, now() + interval '1 day')`;
  await (await onRig(platform, rows)).query(job, [JSON.stringify({ organizationId, paymentId: 'pay_none' })]);
}
const releaseAdvances = async (): Promise<unknown> =>
  (await onRig(platform, rows)).query(`delete from ${JOB_SCHEMA}.job where "data"->>'paymentId' = 'pay_none'`, []);
const codeOf = ({ errors }: Json): string => errors[0].extensions.code;
const get = async (path: string): Promise<Json> => (await tenant.rest('GET', path)).body;

async function autoPay(accountId: string, token: string): Promise<void> {
  const path = `/billing/accounts/${accountId}`;
  const { body } = await tenant.rest('POST', `${path}/payment-methods`, { body: { card_token: token } });
  const preferences = { auto_pay: true, payment_method_id: body.data.payment_method_id };
  const response = await tenant.rest('PUT', `${path}/preferences`, { body: preferences });
  expect(response.status, JSON.stringify(response.body)).toBe(200);
}

/** Creates an account with services and automatic payment. Returns its id. */
async function customer(services: number, token = 'tok_visa'): Promise<string> {
  const { id } = await createAccount(tenant);
  await autoPay(id, token);
  await onRig(platform, async () => {
    for (let count = 0; count < services; count += 1) await orderService(tenant, id);
  });
  return id;
}

describe('the move of a sandbox clock', () => {
  test('the sandbox clock of an organization that has not advanced it shows the time of the platform', async () => {
    const { now, status } = await clockOf();
    expect(Math.abs(new Date(now).getTime() - platform.clock.now().getTime())).toBeLessThan(10_000);
    expect(status).toBe('READY');
  });

  test('a sandbox clock cannot be set back or advanced by more than 5 years', async () => {
    const to = later(40);
    await advanced(to);
    for (const wrong of [later(39), to, later(40 + 6 * 366)]) expect(codeOf(await advance(wrong))).toBe('INVALID_PARAMETERS');
    expect(await clockOf()).toMatchObject({ now: to.toISOString(), status: 'READY' });
  });

  test('a sandbox clock can be set to the past only before the first billing record of its organization, and not before 2000', async () => {
    expect(codeOf(await advance(new Date('1999-12-31T23:59:59Z')))).toBe('INVALID_PARAMETERS');
    const other = await platform.organization({ plan: 'custom' });
    const { id } = await createAccount(other);
    await onRig(platform, () => orderService(other, id));
    expect(codeOf(await advance(new Date('2020-01-01T00:00:00Z'), other))).toBe('INVALID_PARAMETERS');
    await advanced(new Date('2020-01-01T00:00:00Z'));
  });

  test('other organizations keep the time of the platform when a sandbox clock is advanced', async () => {
    const other = await platform.organization();
    await advanced(later(100));
    expect(new Date((await clockOf(other)).now).getTime()).toBeLessThan(later(1).getTime());
  });

  test('a caller needs billing:admin and access to all accounts to advance the clock', async () => {
    const { id } = await createAccount(tenant);
    const { body } = await tenant.rest('POST', '/auth/api-keys', {
      body: { name: 'Limited', permissions: ['billing:read', 'billing:admin'], accounts: [id] },
    });
    const limited = new Tenant(tenant.origin, tenant.organizationId, body.api_key.key);
    for (const caller of [await tenant.limitedTo('billing:read'), limited])
      expect(codeOf(await advance(later(10), caller))).toBe('INSUFFICIENT_PERMISSIONS');
    expect(await clockOf()).toMatchObject({ status: 'READY' });
  });

  test('on a platform that is not a sandbox, reading or advancing the clock of an organization returns RESOURCE_NOT_FOUND', async () => {
    const real = await (await rig()).organization();
    expect(codeOf(await advance(later(10), real))).toBe('RESOURCE_NOT_FOUND');
    expect(codeOf(await real.graphql(CLOCK))).toBe('RESOURCE_NOT_FOUND');
  });
});

describe('what is due in an advance', () => {
  test('when a clock is advanced by a year, customers get an invoice each month at its due time, and each invoice is paid once on its due date', async () => {
    const accounts = [await customer(3), await customer(3)];
    const before = new Set((await get('/billing/invoices?limit=200')).invoices.map(({ id }: Json) => id));
    expect(before.size).toBe(6);
    await advanced(later(365));
    const paid = (await get('/billing/payments?limit=200')).data as Json[];
    for (const id of accounts) {
      const { invoices } = await get(`/billing/invoices?account_id=${id}&limit=200`);
      const renewals = invoices.filter((invoice: Json) => !before.has(invoice.id)).toReversed() as Json[];
      expect(renewals.map(({ created_at, services }) => [created_at, services.length])).toEqual(
        Array.from({ length: 12 }, (_, month) => [new Date(Date.UTC(2026, month + 1, 5, 1)).toISOString(), 3]),
      );
      expect(renewals.map(({ status }) => status)).toEqual([...Array(11).fill('paid'), 'pending']);
      for (const { id: invoiceId, due_date } of renewals.slice(0, 11)) {
        const [payment, ...others] = paid.filter(({ invoice_id }) => invoice_id === invoiceId);
        expect([payment?.created_at.slice(0, 10), others]).toEqual([due_date.slice(0, 10), []]);
      }
    }
    expect(paid).toHaveLength(28);
    const till = tillOf({ tenant, accountId: accounts[0] as string, serviceId: '', firstInvoice: {} });
    await onRig(platform, () => till.audited());
  }, 120_000);

  test('events have the time of the sandbox clock, and are stored in the log partition for the time of the platform', async () => {
    await customer(1);
    await advanced(later(90));
    const query = '{ events(filter: { event: ["invoice.generated"] }, page: { limit: 200 }) { nodes { payload } } }';
    await vi.waitFor(
      async () => {
        const { data } = await tenant.graphql(query);
        const times = data.events.nodes.map(({ payload }: Json) => JSON.parse(payload).timestamp);
        expect(times.slice(0, 3)).toEqual(['2026-04-05T01:00:00.000Z', '2026-03-05T01:00:00.000Z', '2026-02-05T01:00:00.000Z']);
      },
      { timeout: 20_000 },
    );
    const [latest] = await onRig(platform, async () =>
      (await rows()).query<{ at: Date }>('select max("occurred_at") as "at" from "events"."event_log" where "organization_id" = $1', [
        tenant.organizationId,
      ]),
    );
    expect(new Date(latest?.at ?? 0).getTime()).toBeLessThan(later(1).getTime());
  }, 60_000);

  test('when a clock is advanced past a declined payment, the card is charged again after 3 days, and the account is suspended', async () => {
    const id = await customer(1, 'tok_chargeDeclined');
    await advanced(later(75));
    const payments = (await get('/billing/payments?limit=200')).data as Json[];
    const first = payments.toReversed().filter(({ invoice_id }) => invoice_id === payments.at(-1)?.invoice_id);
    const days = first.map(({ created_at }) => (Date.parse(created_at) - Date.parse(first[0]?.created_at)) / DAY_MS);
    expect(days.slice(0, 2)).toEqual([0, 3]);
    expect((await get(`/billing/accounts/${id}`)).data.dunning.state).toBe('suspended');
  }, 60_000);

  test('an advance that waits for a billing job does not prevent advances of other organizations, and ends after the job', async () => {
    const waiting = await Promise.all(Array.from({ length: 5 }, () => platform.organization({ plan: 'custom' })));
    for (const of of waiting) await holdAdvance(of);
    for (const of of waiting) expect((await advance(later(30), of)).errors).toBeUndefined();
    await advanced(later(30));
    for (const of of waiting) expect((await clockOf(of)).status).toBe('ADVANCING');
    await releaseAdvances();
    for (const of of waiting) await vi.waitFor(async () => expect((await clockOf(of)).status).toBe('READY'), { timeout: 20_000 });
  }, 60_000);

  test('changes of billing are refused while the sandbox clock advances, and reading is allowed', async () => {
    const id = await customer(1);
    await holdAdvance(tenant);
    expect((await advance(later(365))).errors).toBeUndefined();
    const refused = await tenant.rest('POST', `/billing/accounts/${id}/payment-methods`, { body: { card_token: 'tok_visa' } });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'INVALID_STATE']);
    expect(codeOf(await advance(later(400)))).toBe('INVALID_STATE');
    expect((await tenant.rest('GET', '/billing/invoices')).status).toBe(200);
    await releaseAdvances();
    await vi.waitFor(async () => expect((await clockOf()).status).toBe('READY'), { timeout: 40_000 });
  }, 60_000);
});

describeWithHledger('the journal of an advanced organization', () => {
  test('hledger accepts the journal of an organization whose clock was advanced by half a year', async () => {
    await customer(1);
    await advanced(later(180));
    hledger(await get('/billing/ledger.journal'), 'check');
  }, 60_000);
});
