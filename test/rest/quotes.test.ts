import { beforeAll, describe, expect, test } from 'vitest';
import { createAccount, LOCATION } from '../billing.setup.ts';
import { rig } from '../rig.ts';
import { tenantWithAccount } from '../services.setup.ts';
import { rows } from '../support/tables.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const NOWHERE = { zip: '99723' };

let tenant: Tenant;
let accountId: string;
beforeAll(async () => {
  ({ tenant, accountId } = await tenantWithAccount());
});

const FIBER = { type: 'fiber', bandwidth: '1gbps', location: LOCATION };
const quote = (services: object[], more: object = {}): Promise<RestResponse> =>
  tenant.rest('POST', '/services/quotes', { body: { account_id: accountId, services, ...more } });
const quoted = async (services: object[] = [FIBER], more: object = {}): Promise<Json> => {
  const { status, body } = await quote(services, more);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data;
};
const read = async (id: string): Promise<Json> => (await tenant.rest('GET', `/services/quotes/${id}`)).body.data;
const order = (body: object): Promise<RestResponse> =>
  tenant.rest('POST', '/connectivity/internet', { body: { service_type: 'fiber', bandwidth: '1gbps', location: LOCATION, ...body } });
const fieldsOf = ({ body }: RestResponse): string[] => body.error.details.errors.map(({ field }: Json) => field);

describe('POST /services/quotes', () => {
  test('a quote is valid for 30 days and contains the price of each line and the totals', async () => {
    const data = await quoted([FIBER, { type: 'business_cable', bandwidth: '500mbps', sla: 'business' }]);
    expect(data).toMatchObject({
      status: 'pending',
      account_id: accountId,
      billing_cycle: 'monthly',
      term_months: null,
      monthly_total: 458.85,
      one_time_total: 298,
      currency: 'USD',
      lines: [
        {
          position: 0,
          catalog_id: 'business_fiber',
          bandwidth: '1000mbps',
          sla: 'standard',
          available: true,
          monthly_price: 299,
          one_time_price: 199,
        },
        {
          position: 1,
          catalog_id: 'business_cable',
          sla: 'business',
          available: true,
          error: null,
          monthly_price: 159.85,
          service_id: null,
        },
      ],
    });
    expect(Date.parse(data.valid_until) - Date.parse(data.created_at)).toBe(30 * DAY_MS);
    expect(await read(data.id)).toEqual(data);
  });

  test.each([
    ['11_months', 0, 299, 199],
    ['12_months', 5, 284.05, 199],
    ['2_years', 10, 269.1, 0],
    ['36_months', 15, 254.15, 0],
  ])('a term of %s has a discount of %d percent', async (term, percent, monthly, once) => {
    const { term_months: _, ...data } = await quoted([FIBER], { billing_preferences: { term } });
    expect(data).toMatchObject({ discount_percent: percent, monthly_total: monthly, one_time_total: once });
  });

  test('a quote line that cannot be ordered contains the error that an order would return, and is not part of the totals', async () => {
    const data = await quoted([
      FIBER,
      { ...FIBER, location: NOWHERE },
      { ...FIBER, features: ['ddos_protection'] },
      { type: 'cloud_pbx', users: 25 },
    ]);
    expect(data).toMatchObject({
      monthly_total: 299,
      lines: [
        { available: true, error: null },
        { available: false, error: { code: 'LOCATION_NOT_SERVICEABLE' } },
        { available: false, error: { code: 'SERVICE_CONFLICT', details: { requires: ['static_ip'] } } },
        { available: false, users: 25, monthly_price: 498.75, error: { message: 'Cloud PBX cannot be ordered yet.' } },
      ],
    });
  });

  test('a quote with values that are not in the catalog returns 400 and lists each of them with the index of its line', async () => {
    const response = await quote([
      { type: 'pigeon' },
      { type: 'fiber', bandwidth: '7gbps', features: ['static_ip', 'fast_lane'], sla: 'gold' },
      { type: 'dsl' },
    ]);
    expect([response.status, fieldsOf(response).sort()]).toEqual([
      400,
      ['services.0.type', 'services.1.bandwidth', 'services.1.features.1', 'services.1.sla', 'services.2.bandwidth'],
    ]);
  });

  test.each([
    ['no lines', { services: [] }, 'services'],
    ['101 lines', { services: Array(101).fill(FIBER) }, 'services'],
    ['a term that is no duration', { billing_preferences: { term: 'forever' } }, 'billing_preferences.term'],
    ['a term in days', { billing_preferences: { term: '90_days' } }, 'billing_preferences.term'],
    ['a term of eleven years', { billing_preferences: { term: '11_years' } }, 'billing_preferences.term'],
    ['no users', { services: [{ type: 'cloud_pbx', users: 0 }] }, 'services.0.users'],
    ['a ZIP code that is none', { services: [{ ...FIBER, location: { zip: 'NY' } }] }, 'services.0.location.zip'],
  ])('a quote with %s returns 400 and names the invalid field', async (_, more, field) => {
    const response = await quote([FIBER], more);
    expect([response.status, fieldsOf(response)]).toEqual([400, [field]]);
  });

  test('the prices of quotes with pseudo-random lines equal the prices that the test calculates with integers', async () => {
    const prices: Record<string, Record<string, bigint>> = {
      fiber: { '100mbps': 8900n, '500mbps': 19900n, '1000mbps': 29900n, '10000mbps': 149900n },
      cable: { '100mbps': 6900n, '300mbps': 9900n },
    };
    const uplifts: Record<string, bigint> = { standard: 0n, business: 15n, enterprise: 35n };
    const discounts: Record<string, bigint> = { '6_months': 0n, '12_months': 5n, '24_months': 10n, '48_months': 15n };
    const features: Record<string, bigint> = { static_ip: 1500n, managed_router: 2500n, priority_repair: 3500n };
    let seed = 20261123;
    const pick = <T>(list: readonly T[]): T => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      return list[seed % list.length] as T;
    };
    for (let round = 0; round < 12; round += 1) {
      const term = pick(Object.keys(discounts));
      const lines = Array.from({ length: 5 }, () => {
        const type = pick(Object.keys(prices));
        const chosen = Object.keys(features).filter(() => pick([true, false]));
        return { type, bandwidth: pick(Object.keys(prices[type] ?? {})), sla: pick(Object.keys(uplifts)), features: chosen };
      });
      const { lines: found, monthly_total } = await quoted(lines, { billing_preferences: { term } });
      const expected = lines.map((line) => {
        const parts = [prices[line.type]?.[line.bandwidth] ?? 0n, ...line.features.map((name) => features[name] ?? 0n)];
        // cents times percent times percent, rounded half up to cents
        const cents = parts.map((part) => (part * (100n + (uplifts[line.sla] ?? 0n)) * (100n - (discounts[term] ?? 0n)) + 5000n) / 10000n);
        return Number(cents.reduce((total, one) => total + one, 0n)) / 100;
      });
      expect(found.map(({ monthly_price }: Json) => monthly_price)).toEqual(expected);
      expect(monthly_total).toBeCloseTo(
        expected.reduce((total, one) => total + one, 0),
        6,
      );
    }
  });
});

describe('POST /connectivity/fiber/quote', () => {
  const fiber = (body: object): Promise<RestResponse> =>
    tenant.rest('POST', '/connectivity/fiber/quote', { body: { location: LOCATION, bandwidth: '1gbps', ...body } });

  test('a fiber quote has one line and can be read with GET /services/quotes/{id}', async () => {
    const { status, body } = await fiber({ billing_preferences: { term: '36_months' } });
    expect([status, body.data]).toMatchObject([201, { monthly_total: 254.15, lines: [{ service_type: 'fiber', available: true }] }]);
    expect(await read(body.data.id)).toEqual(body.data);
  });

  test('a fiber quote for a place without service returns 400, and no quote is stored', async () => {
    const before = (await tenant.graphql('{ quotes { pageInfo { total } } }')).data.quotes.pageInfo.total;
    const { status, body } = await fiber({ location: NOWHERE });
    expect([status, body.error.code]).toEqual([400, 'LOCATION_NOT_SERVICEABLE']);
    expect((await tenant.graphql('{ quotes { pageInfo { total } } }')).data.quotes.pageInfo.total).toBe(before);
  });
});

describe('ordering with a quote', () => {
  test('an order gets the price, term and fee of its quote even if the catalog has changed, and the quote becomes accepted', async () => {
    const { id } = await quoted([FIBER], { billing_preferences: { term: '36_months' } });
    const change = async (price: number): Promise<void> => {
      const sql = `update "services"."catalog_bandwidth" set "monthly_price" = $1 where "service_id" = 'business_fiber' and "mbps" = 1000`;
      await (await rows()).query(sql, [price]);
    };
    await change(399);
    try {
      const { status, body } = await order({ quote_id: id });
      expect([status, body.data]).toMatchObject([
        201,
        { monthly_price: 254.15, quote_id: id, term_months: 36, one_time_fee: 0, account_id: accountId },
      ]);
      expect(await read(id)).toMatchObject({ status: 'accepted', lines: [{ service_id: body.data.id }] });
    } finally {
      await change(299);
    }
  });

  test('a quote with several lines is accepted when all available lines are ordered', async () => {
    const { id } = await quoted([FIBER, FIBER, { ...FIBER, location: NOWHERE }]);
    expect((await order({ quote_id: id, quote_line: 1 })).status).toBe(201);
    expect((await read(id)).status).toBe('pending');
    expect((await order({ quote_id: id, quote_line: 1 })).body.error.code).toBe('SERVICE_CONFLICT');
    expect((await order({ quote_id: id, quote_line: 2 })).body.error.code).toBe('SERVICE_CONFLICT');
    expect((await order({ quote_id: id })).status).toBe(201);
    expect((await read(id)).status).toBe('accepted');
  });

  test('if eight concurrent orders use the same quote, one succeeds, and no service is stored for the others', async () => {
    const { id } = await quoted();
    const total = async (): Promise<number> => (await tenant.graphql('{ services { pageInfo { total } } }')).data.services.pageInfo.total;
    const before = await total();
    const responses = await Promise.all(Array.from({ length: 8 }, () => order({ quote_id: id })));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(7).fill(409)]);
    expect(await total()).toBe(before + 1);
  });

  test('an order that differs from its quote returns 409 SERVICE_CONFLICT with each difference', async () => {
    const { id } = await quoted();
    const { status, body } = await order({ quote_id: id, bandwidth: '2gbps', sla: 'business', location: { ...LOCATION, zip: '10119' } });
    expect([status, body.error]).toMatchObject([
      409,
      {
        code: 'SERVICE_CONFLICT',
        details: {
          differences: {
            bandwidth: { from: '1000mbps', to: '2000mbps' },
            sla: { from: 'standard', to: 'business' },
            zip: { from: '10118', to: '10119' },
          },
        },
      },
    ]);
    expect((await read(id)).status).toBe('pending');
  });

  test('a quote expires exactly at its valid_until, and an order with it then returns 409 INVALID_STATE', async () => {
    const { id, valid_until } = await quoted();
    const { clock, advance } = await rig();
    await advance(Date.parse(valid_until) - clock.now().getTime());
    expect((await read(id)).status).toBe('expired');
    const { status, body } = await order({ quote_id: id });
    expect([status, body.error]).toMatchObject([409, { code: 'INVALID_STATE', details: { from: 'expired' } }]);
  });

  test('a rejected quote can neither be ordered nor rejected again', async () => {
    const { id } = await quoted();
    const reject = () => tenant.graphql('mutation ($id: ID!) { rejectQuote(id: $id) { status } }', { id });
    expect((await reject()).data.rejectQuote.status).toBe('REJECTED');
    expect((await reject()).errors?.[0].extensions.code).toBe('INVALID_STATE');
    expect((await order({ quote_id: id })).body.error.code).toBe('INVALID_STATE');
  });

  test('reading or ordering a quote of another organization returns 404', async () => {
    const { id } = await quoted();
    const other = await (await rig()).organization();
    expect((await other.rest('GET', `/services/quotes/${id}`)).status).toBe(404);
    const { status } = await other.rest('POST', '/connectivity/internet', {
      body: { quote_id: id, service_type: 'fiber', bandwidth: '1gbps', location: LOCATION },
    });
    expect(status).toBe(404);
  });

  test('an order with a quote for an account other than the account of the quote returns 409', async () => {
    const { id } = await quoted();
    const { id: another } = await createAccount(tenant, 'Another');
    const { body } = await order({ quote_id: id, account_id: another });
    expect(body.error).toMatchObject({
      code: 'SERVICE_CONFLICT',
      details: { differences: { account_id: { from: accountId, to: another } } },
    });
  });
});
