import { beforeAll, describe, expect, test } from 'vitest';
import { type BilledTenant, billedTenant, createAccount, createInvoice, orderService } from '../billing.setup.ts';
import { follow } from '../events/live.setup.ts';
import { clock, eventually, type Rig, rig } from '../rig.ts';
import { freshEmail } from '../support/record-kinds.ts';
import { onlyTable, rows } from '../support/tables.ts';
import { type Json, Tenant } from '../tenant.ts';

let billed: BilledTenant;
let platform: Rig;
beforeAll(async () => {
  platform = await rig();
  billed = await billedTenant();
});

const create = (body: object, by = billed.tenant) =>
  by.rest('POST', '/billing/budgets', { body: { name: 'Budget', amount: 1000, ...body } });
const get = async (id: string): Promise<Json> => (await billed.tenant.rest('GET', `/billing/budgets/${id}`)).body.data;
const put = (id: string, body: object) => billed.tenant.rest('PUT', `/billing/budgets/${id}`, { body });
/** Creates an invoice in a currency that only this test uses, so that the costs of other tests do not count. */
const cost = (amount: number, currency: string) => createInvoice(billed, { quantity: 1, unit_price: amount }, { currency });
const alertsOf = async (id: string): Promise<number[]> => (await get(id)).alerts.map(({ threshold }: Json) => threshold);
const events = async (id: string): Promise<Json[]> => {
  const { data } = await billed.tenant.graphql(
    'query { events(filter: { event: ["usage.threshold"] }, page: { limit: 100 }) { nodes { payload } } }',
  );
  return data.events.nodes.map(({ payload }: Json) => JSON.parse(payload).data.usage).filter((usage: Json) => usage.budget_id === id);
};
const checked = (id: string) =>
  eventually(async () => {
    const [row] = await (await rows()).query<{ due: Date | string }>('select check_due_at as due from billing.budget where id = $1', [id]);
    const unfolded = await (await rows()).query('select 1 from billing.cost_month where not folded and organization_id = $1', [
      billed.tenant.organizationId,
    ]);
    return row && new Date(row.due) > clock.now() && unfolded.length === 0;
  });

describe('budgets', () => {
  test('a budget is created with defaults, and shows its period, costs and forecast', async () => {
    const { status, body } = await create({ currency: 'CHF' });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      ...{ name: 'Budget', amount: 1000, currency: 'CHF', period: 'monthly', thresholds: [50, 80, 100], notify: [], timezone: 'UTC' },
      ...{ account_id: null, service_id: null, category: null, spent: 0, forecast: 0, alerts: [], revision: 1 },
      period_start: `${clock.now().toISOString().slice(0, 7)}-01T00:00:00.000Z`,
    });
    await cost(120.5, 'CHF');
    expect(await get(body.data.id)).toMatchObject({ spent: 120.5, forecast: 120.5 });
    const list = (await billed.tenant.rest('GET', '/billing/budgets')).body.data;
    expect(list.map(({ id }: Json) => id)).toContain(body.data.id);
  });

  test('each threshold of a budget causes one event, and several thresholds that are reached at the same time cause one mail', async () => {
    const notify = [freshEmail(), freshEmail()];
    const { id } = (await create({ amount: 100, currency: 'EUR', thresholds: [100, 50, 80], notify, name: 'Europe' })).body.data;
    const live = follow(billed.tenant, `subscription { budgetReached(id: "${id}") { event budget { id spent } } }`);
    await cost(49.99, 'EUR');
    await checked(id);
    expect(await alertsOf(id)).toEqual([]);
    await cost(35, 'EUR');
    await eventually(async () => (await alertsOf(id)).length === 2);
    await cost(1, 'EUR');
    await checked(id);
    expect(await alertsOf(id)).toEqual([50, 80]);
    const reported = await eventually(async () => {
      const found = await events(id);
      return found.length > 1 && found;
    });
    expect(reported).toMatchObject([
      { metric: 'cost', limit: 100, quantity: 84.99, threshold_percentage: 80, currency: 'EUR', account_id: null, service_id: null },
      { threshold_percentage: 50 },
    ]);
    for (const to of notify) {
      const mails = await eventually(() => {
        const found = platform.mails.filter((mail) => mail.to === to);
        return found.length > 0 && found;
      });
      expect(mails.map(({ subject }) => subject)).toEqual(['Budget Europe: 80 percent reached']);
      expect(mails[0]?.text).toContain('84.99 EUR');
    }
    await eventually(() => live.results.length === 2);
    expect(live.results[0]).toMatchObject({ data: { budgetReached: { event: 'usage.threshold', budget: { id } } } });
  });

  test('a budget that is already exceeded when it is created sends its alerts immediately', async () => {
    await cost(500, 'SEK');
    const { id } = (await create({ amount: 400, currency: 'SEK', thresholds: [125, 126] })).body.data;
    await eventually(async () => (await alertsOf(id)).length === 1);
    expect(await alertsOf(id)).toEqual([125]);
  });

  test('a change of the amount, period or category of a budget deletes the alerts of its period, and other changes keep them', async () => {
    await cost(90, 'NOK');
    const { id, revision } = (await create({ amount: 100, currency: 'NOK', thresholds: [80] })).body.data;
    await eventually(async () => (await alertsOf(id)).length === 1);
    expect((await put(id, { name: 'Renamed' })).body.data).toMatchObject({
      name: 'Renamed',
      revision: revision + 1,
      alerts: [{ threshold: 80 }],
    });
    await checked(id);
    expect((await put(id, { amount: 1000 })).body.data.alerts).toEqual([]);
    await checked(id);
    expect(await alertsOf(id)).toEqual([]);
    await put(id, { amount: 100, period: 'quarterly' });
    await eventually(async () => (await alertsOf(id)).length === 1);
    await eventually(async () => (await events(id)).length === 2);
    const stale = await billed.tenant.graphql(
      'mutation($id: ID!) { updateBudget(id: $id, input: { name: "Old" }, expectedRevision: 1) { id } }',
      { id },
    );
    expect(stale.errors?.[0].extensions.code).toBe('STALE_RESOURCE');
  });

  test('the costs of a budget are compared with its amount at the start of a new period, even if the costs have not changed', async () => {
    const { id } = (await create({ amount: 100, currency: 'DKK', thresholds: [10] })).body.data;
    await checked(id);
    const month = clock.now().toISOString().slice(0, 7);
    // as if an earlier year had been paid in advance, and the sums had been there before
    await (await rows()).query(
      `insert into billing.cost_month (organization_id, account_id, service_id, currency, month, category, amount, folded)
       values ($1, '', '', 'DKK', $2::date, 'cloud', 60, true)`,
      [billed.tenant.organizationId, `${month}-01`],
    );
    expect(await alertsOf(id)).toEqual([]);
    await (await onlyTable('billing.budget')).set('check_due_at', clock.now().toISOString(), 'id', id);
    await eventually(async () => (await alertsOf(id)).length === 1);
  });

  test('costs that change at the same time are all compared with the budget, and each threshold is reported once', async () => {
    const { id } = (await create({ amount: 10, currency: 'PLN', thresholds: [10, 40, 100] })).body.data;
    await Promise.all(Array.from({ length: 10 }, () => cost(1, 'PLN')));
    await eventually(async () => (await alertsOf(id)).length === 3);
    await checked(id);
    await eventually(async () => (await events(id)).length >= 3);
    expect((await events(id)).map((usage) => usage.threshold_percentage).sort()).toEqual([10, 100, 40]);
  });

  test('costs of other accounts, services and categories than those of a budget do not count towards it', async () => {
    const account = await createAccount(billed.tenant, 'Other');
    const { service } = await orderService(billed.tenant, account.id);
    const other = { ...billed, accountId: account.id, serviceId: service.id };
    await createInvoice(other, { quantity: 1, unit_price: 70 }, { currency: 'CZK' });
    await cost(5, 'CZK');
    const of = async (body: object) => {
      const { data } = (await create({ currency: 'CZK', ...body })).body;
      return [data.account_id, data.spent];
    };
    expect(await of({})).toEqual([null, 75]);
    expect(await of({ account_id: account.id })).toEqual([account.id, 70]);
    expect(await of({ service_id: billed.serviceId })).toEqual([billed.accountId, 5]);
    expect(await of({ category: 'connectivity' })).toEqual([null, 75]);
    expect(await of({ category: 'voice' })).toEqual([null, 0]);
    const { status, body } = await create({ account_id: account.id, service_id: billed.serviceId });
    expect([status, body.error.details.resource]).toEqual([404, 'service']);
  });

  test('reading a budget returns 404 after its deletion, and its alerts are deleted too', async () => {
    await cost(9, 'HUF');
    const { id } = (await create({ amount: 10, currency: 'HUF' })).body.data;
    await eventually(async () => (await alertsOf(id)).length === 2);
    expect((await billed.tenant.rest('DELETE', `/billing/budgets/${id}`)).status).toBe(200);
    expect((await billed.tenant.rest('GET', `/billing/budgets/${id}`)).status).toBe(404);
    expect(await (await rows()).query('select 1 from billing.budget_alert where budget_id = $1', [id])).toEqual([]);
  });

  test('invalid budgets are refused with all of their problems', async () => {
    const { status, body } = await create({
      name: ' ',
      period: 'daily',
      thresholds: [0, 50, 50],
      notify: ['nobody', 'a@example.com', 'A@example.com'],
    });
    expect(status).toBe(400);
    const fields = body.error.details.errors.map(({ field }: Json) => field).sort();
    expect(fields).toEqual(['name', 'notify', 'period', 'thresholds']);
    const repeated = await create({ thresholds: [50, 80, 50], notify: ['a@example.com', 'a@example.com'] });
    expect(repeated.body.error.details.errors.map(({ field }: Json) => field)).toEqual(['thresholds.2', 'notify.1']);
    for (const amount of [0, -1, 1e12, 0.001]) expect((await create({ amount })).body.error.details.field, `${amount}`).toBe('amount');
    expect((await create({ amount: 1.5, currency: 'JPY' })).body.error.details.reason).toBe('must be a whole number of JPY');
    expect((await create({ thresholds: Array.from({ length: 21 }, (_, index) => index + 1) })).status).toBe(400);
    expect((await create({ account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G' })).status).toBe(404);
  });

  test('an organization has at most 100 budgets, even if they are created concurrently', async () => {
    const tenant = await platform.organization({ plan: 'custom' });
    const { id } = (await create({}, tenant)).body.data;
    await (await rows()).query(
      `insert into billing.budget select (jsonb_populate_record(b, jsonb_build_object('id', b.id || 'x' || n))).* from billing.budget b, generate_series(1, 97) n
       where b.id = $1`,
      [id],
    );
    const statuses = (await Promise.all(Array.from({ length: 6 }, () => create({}, tenant)))).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 201, 409, 409, 409, 409]);
  });

  test('callers limited to an account see and create only its budgets', async () => {
    const other = await createAccount(billed.tenant, 'Hidden');
    const ofOther = (await create({ account_id: other.id })).body.data.id;
    const ofAll = (await create({})).body.data.id;
    const body = { name: 'Limited', permissions: ['billing:*'], accounts: [billed.accountId] };
    const { api_key: key } = (await billed.tenant.rest('POST', '/auth/api-keys', { body })).body;
    const limited = new Tenant(billed.tenant.origin, billed.tenant.organizationId, key.key);
    const own = (await create({ currency: 'RON' }, limited)).body.data;
    expect(own.account_id).toBe(billed.accountId);
    const list: Json[] = (await limited.rest('GET', '/billing/budgets')).body.data;
    expect(list.every((budget) => budget.account_id === billed.accountId)).toBe(true);
    for (const id of [ofOther, ofAll]) expect((await limited.rest('GET', `/billing/budgets/${id}`)).status).toBe(404);
    expect((await create({ account_id: other.id }, limited)).status).toBe(404);
    const costs = (await limited.rest('GET', '/billing/cost-analysis?currency=USD')).body.data;
    const all = (await billed.tenant.rest('GET', `/billing/cost-analysis?currency=USD&account_id=${billed.accountId}`)).body.data;
    expect(costs.current_month).toEqual(all.current_month);
    expect((await limited.rest('GET', `/billing/cost-analysis?account_id=${other.id}`)).status).toBe(404);
  });
});
