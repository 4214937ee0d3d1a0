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

  test.each([
    ['an internet line', FIBER, 2, 'must be 1'],
    ['a network', { type: 'mpls', bandwidth: '500mbps' }, 1, 'must be between 2 and 200'],
    ['a network', { type: 'sd_wan', bandwidth: '500mbps' }, 201, 'must be between 2 and 200'],
    ['a SIP trunk', { type: 'sip_trunking' }, 1001, 'must be between 1 and 1000'],
  ])(
    'a quote line for %s with a number of units that no order can have is not available, and its error names users',
    async (_, line, users, reason) => {
      expect(await quoted([{ ...line, users }])).toMatchObject({
        monthly_total: 0,
        lines: [
          {
            ...{ users, available: false },
            error: { code: 'INVALID_PARAMETERS', message: `users: ${reason}`, details: { field: 'users', value: users, reason } },
          },
        ],
      });
    },
  );

  test('a quote line without users has the smallest number of units that can be ordered', async () => {
    const { lines } = await quoted([FIBER, { type: 'mpls', bandwidth: '500mbps' }, { type: 'sip_trunking' }, { type: 'cloud_pbx' }]);
    expect(lines.map(({ users }: Json) => users)).toEqual([1, 2, 1, 1]);
    expect(lines[1]).toMatchObject({ available: true, monthly_price: 898, one_time_price: 198 });
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

  test('a quote can be ordered after the features of its catalog entry got another order', async () => {
    const { id } = await quoted([{ ...FIBER, features: ['static_ip', 'managed_router'] }]);
    const change = async (position: number): Promise<void> => {
      const sql = `update "services"."catalog_feature" set "position" = $1 where "service_id" = 'business_fiber' and "name" = 'static_ip'`;
      await (await rows()).query(sql, [position]);
    };
    const [known] = await (await rows()).query<{ position: number }>(
      `select "position" from "services"."catalog_feature" where "service_id" = 'business_fiber' and "name" = 'static_ip'`,
      [],
    );
    await change(99);
    try {
      const { status } = await tenant.rest('POST', '/services', {
        body: {
          catalog_id: 'business_fiber',
          bandwidth: '1gbps',
          location: LOCATION,
          features: ['static_ip', 'managed_router'],
          quote_id: id,
        },
      });
      expect(status).toBe(201);
    } finally {
      await change(known?.position as number);
    }
  });

  test('a quote for services without a place can be ordered although the request contained a location', async () => {
    const place = { location: { zip: '10118' } };
    const { id, lines } = await quoted([
      { type: 'mpls', bandwidth: '500mbps', ...place },
      { type: 'sip_trunking', users: 10, ...place },
    ]);
    expect(lines.map(({ location }: Json) => location)).toEqual([null, null]);
    const sites = ['1 Main Street', '2 Main Street'].map((address, index) => ({ id: `site_${index}`, address }));
    const network = await tenant.rest('POST', '/connectivity/networks', {
      body: { network_type: 'mpls', topology: 'full_mesh', bandwidth: '500mbps', locations: sites, quote_id: id },
    });
    const trunk = await tenant.rest('POST', '/services', {
      body: { catalog_id: 'sip_trunking', configuration: { channels: 10 }, quote_id: id, quote_line: 1 },
    });
    expect([network.status, trunk.status]).toEqual([201, 201]);
    expect((await read(id)).status).toBe('accepted');
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

  test('an order without quote_line takes the first line of its catalog entry that is not ordered yet, wherever it is in the quote', async () => {
    const CABLE = { type: 'cable', bandwidth: '300mbps', location: LOCATION };
    const { id } = await quoted([CABLE, FIBER, { ...FIBER, sla: 'business' }]);
    const byType = await order({ quote_id: id });
    const byId = await tenant.rest('POST', '/services', {
      body: { catalog_id: 'business_fiber', bandwidth: '1gbps', sla: 'business', location: LOCATION, quote_id: id },
    });
    expect([byType.status, byId.status]).toEqual([201, 201]);
    const other = await order({ quote_id: id, service_type: 'dsl', bandwidth: '50mbps' });
    expect(other.body.error).toMatchObject({
      code: 'SERVICE_CONFLICT',
      details: { line: 0, differences: { catalog_id: { from: 'business_cable', to: 'business_dsl' } } },
    });
    const services = [null, byType.body.data.id, byId.body.data.id];
    expect((await read(id)).lines.map(({ service_id }: Json) => service_id)).toEqual(services);
  });

  test('a network takes the line of the quote that quote_line names, also before other lines of the same catalog entry are ordered', async () => {
    const { id } = await quoted([100, 500].map((mbps) => ({ type: 'mpls', bandwidth: `${mbps}mbps`, users: 2 })));
    const locations = ['a', 'b'].map((site) => ({ id: site, address: `${site} Street` }));
    const body = { network_type: 'mpls', topology: 'full_mesh', bandwidth: '500mbps', locations, quote_id: id };
    expect((await tenant.rest('POST', '/connectivity/networks', { body })).status).toBe(409);
    const network = await tenant.rest('POST', '/connectivity/networks', { body: { ...body, quote_line: 1 } });
    expect(network.status).toBe(201);
    expect((await read(id)).lines.map(({ service_id }: Json) => service_id)).toEqual([null, network.body.data.id]);
    const refused = await tenant.rest('POST', '/connectivity/networks', { body: { ...body, quote_line: -1 } });
    expect([refused.status, fieldsOf(refused)]).toEqual([400, ['quote_line']]);
  });

  test.each([
    ['/services', { catalog_id: 'business_fiber', bandwidth: '1gbps', location: LOCATION }],
    ['/connectivity/internet', { service_type: 'fiber', bandwidth: '1gbps', location: LOCATION }],
    [
      '/connectivity/networks',
      {
        network_type: 'mpls',
        topology: 'full_mesh',
        bandwidth: '500mbps',
        locations: ['a', 'b'].map((id) => ({ id, address: `${id} Street` })),
      },
    ],
    [
      '/services/provision',
      { service_template: 'business_fiber', customizations: { bandwidth: '1gbps' }, features: ['static_ip'], location: LOCATION },
    ],
  ])('POST %s with quote_line and without quote_id returns 400, and orders nothing at the price of the catalog', async (path, body) => {
    const own = await tenantWithAccount();
    const refused = await own.tenant.rest('POST', path, { body: { ...body, quote_line: 0 } });
    expect([refused.status, fieldsOf(refused)]).toEqual([400, ['quote_line']]);
    const { data } = await own.tenant.graphql('{ services { pageInfo { total } } provisioningRequests { pageInfo { total } } }');
    expect([data.services.pageInfo.total, data.provisioningRequests.pageInfo.total]).toEqual([0, 0]);
    expect((await own.tenant.rest('POST', path, { body: { ...body, quote_line: null } })).status).toBe(201);
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
