import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestClock } from '../../kernel/clock.ts';
import { operator } from '../operator.setup.ts';
import { eventually, onRig, type Rig, start } from '../rig.ts';
import { rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';

/** Number of API requests per month that each plan includes (specification 8.1). */
const [DEVELOPER, BUSINESS] = [50_000, 500_000];
const DAY_MS = 86_400_000;

/** A separate platform, because the test advances its time by months. */
class Platform {
  private constructor(
    readonly rig: Rig,
    readonly operator: Tenant,
  ) {}

  static async open(settings: Record<string, string> = {}, now = '2026-02-01T09:30:00Z'): Promise<Platform> {
    const time = new TestClock();
    time.set(new Date(now));
    const platform = await start(settings, time);
    return new Platform(platform, await onRig(platform, operator));
  }

  sql<R extends object>(text: string, values: unknown[] = []): Promise<R[]> {
    return onRig(this.rig, async () => (await rows()).query<R>(text, values));
  }

  /** Creates a customer whose account is one day old, so that its overage is charged immediately. */
  async customer(plan: 'developer' | 'business' | 'custom' = 'developer'): Promise<{ tenant: Tenant; accountId: string }> {
    const tenant = await this.rig.organization({ plan });
    const accountId = (await this.organizationOf(tenant)).account_id;
    await this.sql('update "identity"."account" set "created_at" = $2 where "id" = $1', [
      accountId,
      new Date(this.rig.clock.now().getTime() - DAY_MS),
    ]);
    return { tenant, accountId };
  }

  async organizationOf({ organizationId }: Tenant): Promise<Json> {
    return (await this.operator.rest('GET', `/operator/organizations/${organizationId}`)).body.data;
  }

  moveTo(time: string): Promise<void> {
    return this.rig.advance(new Date(time).getTime() - this.rig.clock.now().getTime());
  }

  /** Counts API requests as the edge does, and reports the overage as the periodic task does. */
  async use({ organizationId }: Tenant, requests: number): Promise<void> {
    const { core } = this.rig.assembly.domains.identity;
    core.usage.count(organizationId, { requests, weight: requests }, this.rig.clock.now());
    await core.usage.flush();
    await core.overages.report();
  }

  async invoices(accountId: string, by = this.operator): Promise<Json[]> {
    return (await by.rest('GET', `/billing/invoices?account_id=${accountId}&limit=200`)).body.invoices.toReversed();
  }

  async usageOf(accountId: string, query = ''): Promise<Json> {
    return (await this.operator.rest('GET', `/billing/usage?account_id=${accountId}${query}`)).body.data;
  }

  /** Waits until billing has recorded this number of requests for the account. */
  async recorded(accountId: string, requests: number): Promise<void> {
    await eventually(async () => (await this.usageOf(accountId, '&period=current_year')).total_usage.api_calls === requests);
  }

  /** Waits until the account has this number of invoices. */
  billed(accountId: string, count: number): Promise<Json[]> {
    return eventually(async () => {
      const invoices = await this.invoices(accountId);
      return invoices.length >= count && invoices;
    });
  }
}

let platform: Platform;
beforeAll(async () => {
  platform = await Platform.open();
});
afterAll(() => platform.rig.close());

describe('the account of an organization at the operator', () => {
  test('the account of an organization at the operator exists as soon as the organization is created, and only the operator sees it', async () => {
    const body = { name: 'Acme', plan: 'business', administrator: { name: 'Grace Hopper', email: 'grace@acme.example.com' } };
    const { body: made } = await platform.operator.rest('POST', '/operator/organizations', { body });
    expect(made.data.account_id).toMatch(/^acc_/);
    const { body: account } = await platform.operator.rest('GET', `/accounts/${made.data.account_id}`);
    expect(account.data).toMatchObject({ name: 'Acme', email: '', status: 'active', timezone: 'UTC' });
    const { body: listed } = await platform.operator.rest('GET', '/accounts?search=Acme');
    expect(listed.data.map(({ id }: Json) => id)).toEqual([made.data.account_id]);

    const { tenant, accountId } = await platform.customer();
    expect((await tenant.rest('GET', '/organization')).body.data.account_id).toBeNull();
    expect((await tenant.rest('GET', `/accounts/${accountId}`)).status).toBe(404);
    expect((await platform.organizationOf(platform.operator)).account_id).toBeNull();
  });

  test('the account of an organization can be closed and deleted only after the organization was closed', async () => {
    const { tenant, accountId } = await platform.customer();
    const path = `/accounts/${accountId}`;
    const close = () => platform.operator.rest('PUT', path, { body: { status: 'closed' } });
    for (const refused of [await close(), await platform.operator.rest('DELETE', path)]) {
      expect(refused.status).toBe(409);
      expect(refused.body.error).toMatchObject({ code: 'INVALID_STATE', details: { organization_id: tenant.organizationId } });
    }
    const of = `/operator/organizations/${tenant.organizationId}`;
    expect((await platform.operator.rest('POST', `${of}/close`, { body: {} })).status).toBe(200);
    expect((await close()).status).toBe(200);
    expect((await platform.operator.rest('DELETE', path)).status).toBe(200);
    const { core } = platform.rig.assembly.domains.identity;
    await core.overages.report();
    expect((await platform.organizationOf(tenant)).account_id).toBeNull();
    // a reopened organization has an account again
    expect((await platform.operator.rest('POST', `${of}/resume`)).status).toBe(200);
    await core.overages.report();
    expect((await platform.organizationOf(tenant)).account_id).toMatch(/^acc_/);
  });

  test('organizations that an earlier release created get one account, also from concurrent processes', async () => {
    const { tenant, accountId } = await platform.customer();
    await platform.sql('delete from "identity"."account" where "id" = $1', [accountId]);
    const { core } = platform.rig.assembly.domains.identity;
    await Promise.all([core.overages.report(), core.overages.report(), core.overages.report()]);
    const found = await platform.sql('select from "identity"."account" where "billed_organization_id" = $1', [tenant.organizationId]);
    expect(found).toHaveLength(1);
  });
});

describe('invoices for requests beyond the plan', () => {
  test('the operator invoices each request beyond the plan at the end of the month, with the taxes of the account', async () => {
    const { tenant, accountId } = await platform.customer();
    const other = await platform.customer();
    const rate = { input: { name: 'VAT', percent: 19, validFrom: '2026-01-01', country: 'DE' } };
    const set = await platform.operator.graphql('mutation ($input: TaxRateInput!) { createTaxRate(input: $input) { id } }', rate);
    expect(set.errors).toBeUndefined();
    const address = { street: 'Alexanderplatz 1', city: 'Berlin', state: 'BE', zip: '10178', country: 'DE' };
    const addressed = await platform.operator.rest('PUT', `/accounts/${accountId}`, { body: { billing_address: address } });
    expect(addressed.status, JSON.stringify(addressed.body)).toBe(200);

    await platform.use(other.tenant, DEVELOPER);
    await platform.use(tenant, DEVELOPER + 61_000);
    await platform.recorded(accountId, 61_000);
    await platform.moveTo('2026-02-12T09:30:00Z');
    await platform.use(tenant, 235);
    await platform.recorded(accountId, 61_235);
    expect(await platform.usageOf(accountId)).toMatchObject({
      currency: 'USD',
      usage_cost: 61.24,
      services: [{ service_id: accountId, metric: 'api_calls', usage: 61_235, unit: 'calls', cost: 61.24 }],
    });
    expect(await platform.invoices(accountId)).toEqual([]);

    await platform.moveTo('2026-03-01T01:01:00Z');
    const [invoice, ...more] = await platform.billed(accountId, 1);
    expect(more).toEqual([]);
    // 61,235 requests at 0.001 cost 61.235, which is rounded once
    expect(invoice).toMatchObject({ status: 'pending', currency: 'USD', subtotal: 61.24, tax_amount: 11.64, amount: 72.88 });
    expect(invoice.services).toMatchObject([
      {
        ...{ service_id: accountId, kind: 'usage', quantity: 1, amount: 61.24 },
        ...{ period_start: '2026-02-01T00:00:00.000Z', period_end: '2026-03-01T00:00:00.000Z' },
        description: 'API requests beyond the plan, 2026-02-01 to 2026-02-12: 61235 calls',
      },
    ]);
    expect(await platform.invoices(other.accountId)).toEqual([]);

    // the organization itself sees nothing of it
    expect((await tenant.rest('GET', `/billing/invoices/${invoice.id}`)).status).toBe(404);
    expect(await platform.invoices(accountId, tenant)).toEqual([]);
    for (const by of [tenant, platform.operator]) {
      const { data } = await by.graphql('{ events(page: { perPage: 100 }) { nodes { event } } }');
      expect(data.events.nodes.filter(({ event }: Json) => event === 'overage.recorded')).toEqual([]);
    }
    const { data } = await platform.operator.graphql(
      'query ($id: ID!) { invoice(id: $id) { account { id } services { serviceId service { id } } subscription { kind items { serviceId name price } } } }',
      { id: invoice.id },
    );
    expect(data.invoice).toEqual({
      account: { id: accountId },
      services: [{ serviceId: accountId, service: null }],
      subscription: { kind: 'AUTOMATIC', items: [{ serviceId: accountId, name: 'API requests beyond the plan', price: 0 }] },
    });
  });

  test('after a plan change within a month, each request has the price of the plan on its day', async () => {
    await platform.moveTo('2026-04-01T10:00:00Z');
    const { tenant, accountId } = await platform.customer();
    await platform.moveTo('2026-04-06T10:00:00Z');
    await platform.use(tenant, 100_000);
    await platform.moveTo('2026-04-10T10:00:00Z');
    const path = `/operator/organizations/${tenant.organizationId}/plan`;
    expect((await platform.operator.rest('PUT', path, { body: { plan: 'business' } })).status).toBe(200);
    await platform.use(tenant, 400_001);
    // 9 days of one plan and 21 of the other; the overage of the first report stays
    const included = Math.floor((9 * DEVELOPER + 21 * BUSINESS) / 30);
    const dear = 100_000 - DEVELOPER;
    const cheap = 500_001 - included - dear;
    await platform.recorded(accountId, dear + cheap);
    await platform.moveTo('2026-05-01T00:59:00Z');
    expect(await platform.invoices(accountId)).toEqual([]);
    await platform.moveTo('2026-05-01T01:01:00Z');
    const [invoice] = await platform.billed(accountId, 1);
    expect(invoice.amount).toBe(Math.round(dear * 0.1 + cheap * 0.08) / 100);
    expect(invoice.services).toHaveLength(1);
    expect(invoice.services[0].description).toBe(`API requests beyond the plan, 2026-04-06 to 2026-04-10: ${dear + cheap} calls`);
  });

  test('requests in the last hour of a month are on the invoice of this month', async () => {
    await platform.moveTo('2026-05-31T22:00:00Z');
    const { tenant, accountId } = await platform.customer();
    await platform.moveTo('2026-05-31T23:50:00Z');
    await platform.use(tenant, DEVELOPER + 20_000);
    await platform.recorded(accountId, 20_000);
    await platform.moveTo('2026-05-31T23:59:00Z');
    const { core } = platform.rig.assembly.domains.identity;
    core.usage.count(tenant.organizationId, { requests: 7_000, weight: 0 }, platform.rig.clock.now());
    await core.usage.flush();
    await platform.moveTo('2026-06-01T00:05:00Z');
    await core.overages.report();
    await platform.recorded(accountId, 27_000);
    await platform.moveTo('2026-06-01T01:01:00Z');
    expect((await platform.billed(accountId, 1)).map(({ amount }) => amount)).toEqual([27]);
  });

  test('the months of an overage invoice begin on the billing day of the account, in its time zone', async () => {
    await platform.moveTo('2026-07-02T10:00:00Z');
    const { tenant, accountId } = await platform.customer();
    await platform.operator.rest('PUT', `/accounts/${accountId}`, { body: { timezone: 'Asia/Tokyo' } });
    await platform.operator.rest('PUT', `/billing/accounts/${accountId}/preferences`, { body: { billing_day: 15 } });
    await platform.use(tenant, DEVELOPER + 1_000);
    await platform.recorded(accountId, 1_000);
    await platform.moveTo('2026-07-14T16:01:00Z');
    const [first] = await platform.billed(accountId, 1);
    expect([first.amount, first.services[0].period_end]).toEqual([1, '2026-07-14T15:00:00.000Z']);
    await platform.use(tenant, 3_000);
    await platform.recorded(accountId, 4_000);
    await platform.moveTo('2026-08-14T16:01:00Z');
    const [, second] = await platform.billed(accountId, 2);
    expect([second.amount, second.services[0].period_start]).toEqual([3, '2026-07-14T15:00:00.000Z']);
  });

  test('an overage event that arrives twice counts once, and usage prices that the operator sets do not apply to it', async () => {
    const price = { metric: 'API_CALLS', currency: 'USD', model: 'PER_UNIT', unitPrice: 5 };
    const set = await platform.operator.graphql('mutation ($input: UsagePriceInput!) { setUsagePrice(input: $input) { id } }', {
      input: price,
    });
    expect(set.errors).toBeUndefined();
    await platform.moveTo('2026-09-10T10:00:00Z');
    const { tenant, accountId } = await platform.customer();
    await platform.use(tenant, DEVELOPER + 9_000);
    await platform.recorded(accountId, 9_000);
    const repeated = await platform.sql(
      `insert into "identity"."outbox" ("id", "organization_id", "event", "subject_type", "subject_id", "account_id", "occurred_at", "payload")
       select "id" || n, "organization_id", "event", 'Organization', $1, $2, "occurred_at", "payload"
       from "events"."event_log", generate_series(1, 3) n where "event" = 'overage.recorded' and "payload" like '%' || $2 || '%'
       returning "id"`,
      [tenant.organizationId, accountId],
    );
    expect(repeated).toHaveLength(3);
    await eventually(async () => (await platform.sql('select from "identity"."outbox"')).length === 0);
    await platform.moveTo('2026-10-01T01:01:00Z');
    expect((await platform.billed(accountId, 1)).map(({ amount }) => amount)).toEqual([9]);
    const { usage_cost: cost } = await platform.usageOf(accountId, '&period=last_month');
    expect(cost).toBe(9);
  });

  test('requests of an organization are invoiced even if the organization was suspended or closed afterwards', async () => {
    await platform.moveTo('2026-10-10T10:00:00Z');
    const [suspended, closed] = [await platform.customer(), await platform.customer()];
    for (const [{ tenant }, action] of [
      [suspended, 'suspend'],
      [closed, 'close'],
    ] as const) {
      const { core } = platform.rig.assembly.domains.identity;
      core.usage.count(tenant.organizationId, { requests: DEVELOPER + 2_500, weight: 0 }, platform.rig.clock.now());
      await core.usage.flush();
      const path = `/operator/organizations/${tenant.organizationId}/${action}`;
      expect((await platform.operator.rest('POST', path, { body: {} })).status).toBe(200);
      await core.overages.report();
    }
    for (const { accountId } of [suspended, closed]) await platform.recorded(accountId, 2_500);
    await platform.moveTo('2026-11-01T01:01:00Z');
    for (const { accountId } of [suspended, closed])
      expect((await platform.billed(accountId, 1)).map(({ amount, status }) => [amount, status])).toEqual([[2.5, 'pending']]);
  });

  test('organizations of the plan `custom` and the operator itself are not charged', async () => {
    await platform.moveTo('2026-12-10T10:00:00Z');
    const { tenant, accountId } = await platform.customer('custom');
    await platform.use(tenant, 10 * BUSINESS);
    await platform.use(platform.operator, 100 * BUSINESS);
    const own = await platform.sql('select from "events"."event_log" where "event" = $1 and "organization_id" = $2', [
      'usage.overage',
      platform.operator.organizationId,
    ]);
    expect(own.length).toBeLessThanOrEqual(1);
    const charged = await platform.sql(
      'select "charged" from "identity"."usage_month_counter" where "organization_id" = any($1) and "charged" > 0',
      [[tenant.organizationId, platform.operator.organizationId]],
    );
    expect(charged).toEqual([]);
    expect(await platform.invoices(accountId)).toEqual([]);
    const { data } = await platform.operator.graphql('{ ledgerAudit { differences { accountId } } }');
    expect(data.ledgerAudit.differences).toEqual([]);
  });
});

test('without an operator, overage is only reported, and a new operator invoices it from the previous month on', async () => {
  const alone = await Platform.open();
  try {
    const { core } = alone.rig.assembly.domains.identity;
    const { organizationId: operatorId } = alone.operator;
    await alone.sql('update "identity"."organization" set "operator" = false');
    const tenant = await alone.rig.organization({ plan: 'developer' });
    await alone.use(tenant, DEVELOPER + 1_000);
    await alone.moveTo('2026-03-05T10:00:00Z');
    await alone.use(tenant, DEVELOPER + 2_000);
    await alone.moveTo('2026-04-05T10:00:00Z');
    await alone.use(tenant, DEVELOPER + 4_000);
    const told = async (): Promise<number[]> => {
      const { data } = await tenant.graphql('{ events(filter: { event: ["usage.overage"] }) { nodes { payload } } }');
      return data.events.nodes.map(({ payload }: Json) => JSON.parse(payload).data.usage.quantity);
    };
    await eventually(async () => (await told()).length === 3);
    expect(await alone.sql('select from "identity"."account" where "billed_organization_id" is not null')).toEqual([]);

    const [admin] = await alone.sql<{ email: string }>('select "email" from "identity"."user" where "organization_id" = $1', [operatorId]);
    await core.access.grant(admin?.email ?? '', 'admin' as never);
    const { account_id: accountId } = await alone.organizationOf(tenant);
    expect(accountId).toMatch(/^acc_/);
    await core.overages.report();
    expect((await alone.usageOf(accountId)).total_usage.api_calls).toBe(0);
    await alone.moveTo('2026-04-06T10:30:00Z');
    await core.overages.report();
    await alone.recorded(accountId, 6_000);
    expect(await told()).toHaveLength(3);
    await alone.moveTo('2026-05-01T01:01:00Z');
    const amounts = await eventually(async () => {
      const invoices = await alone.invoices(accountId);
      const found = invoices.map(({ amount }) => amount);
      return found.reduce((total, amount) => total + amount, 0) >= 6 && found;
    });
    // reactions to events run in parallel: if the usage of this month is handled first, that of the month before is late usage
    // on the same invoice, else it has an invoice of its own
    expect([[6], [2, 4]]).toContainEqual(amounts.toSorted());
  } finally {
    await alone.rig.close();
  }
}, 120_000);

test("in a sandbox, overage uses the clock of the operator, and is on the operator's invoice after an advance of the clock", async () => {
  const sandbox = await Platform.open({ SANDBOX: '1' });
  try {
    const advance = async (to: string): Promise<void> => {
      const { errors } = await sandbox.operator.graphql(`mutation { advanceSandboxClock(to: "${to}") { status } }`);
      expect(errors).toBeUndefined();
      await eventually(async () => (await sandbox.operator.graphql('{ sandboxClock { status } }')).data.sandboxClock.status === 'READY');
    };
    const { tenant, accountId } = await sandbox.customer();
    await advance('2027-06-10T12:00:00Z');
    await sandbox.use(tenant, DEVELOPER + 1_500);
    await sandbox.recorded(accountId, 1_500);
    await advance('2027-08-02T00:00:00Z');
    const invoices = await sandbox.invoices(accountId);
    expect(invoices.map(({ amount, created_at }) => [amount, created_at])).toEqual([[1.5, '2027-07-01T01:00:00.000Z']]);
    expect(invoices[0].services[0].description).toBe('API requests beyond the plan, 2027-06-10: 1500 calls');
  } finally {
    await sandbox.rig.close();
  }
}, 120_000);
