import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../kernel/records/ids.ts';
import { DAY_MS } from '../../kernel/values/days.ts';
import { type BilledTenant, billedTenant, createAccount, orderService } from '../billing.setup.ts';
import { clock, eventually, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import { type Json, type RestResponse, Tenant } from '../tenant.ts';

let billed: BilledTenant;
beforeAll(async () => {
  billed = await billedTenant();
});

let made = 0;
const nextId = (): string => {
  made += 1;
  return `event-${made}`;
};

const event = (more: object = {}): Json => ({
  ...{ id: nextId(), service_id: billed.serviceId, metric: 'voice_minutes', quantity: 1.5, timestamp: clock.now() },
  ...more,
});

const record = (events: readonly Json[], by = billed.tenant): Promise<RestResponse> =>
  by.rest('POST', '/billing/usage', { body: { events } });

const report = async (query = '', by = billed.tenant): Promise<Json> => (await by.rest('GET', `/billing/usage?${query}`)).body.data;

async function setPrice(input: object, by = billed.tenant): Promise<Json> {
  const { data, errors } = await by.graphql(
    `mutation($input: UsagePriceInput!) { setUsagePrice(input: $input) { id serviceId serviceType category included unitPrice validFrom validUntil } }`,
    { input: { metric: 'VOICE_MINUTES', currency: 'USD', model: 'PER_UNIT', ...input } },
  );
  return data?.setUsagePrice ?? errors?.[0];
}

describe('recording usage', () => {
  test('a usage event that is sent twice, in one request or in several, counts once', async () => {
    const one = event({ quantity: 2 });
    expect((await record([one, one])).body.data).toEqual({ accepted: 1, duplicates: 1, refused: [] });
    expect((await record([{ ...one, timestamp: new Date(clock.now().getTime() - DAY_MS) }])).body.data).toMatchObject({
      accepted: 0,
      duplicates: 1,
    });
    expect((await record([{ ...one, source: 'other' }])).body.data).toMatchObject({ accepted: 1, duplicates: 0 });
  });

  test('a usage event with an invalid value is refused with its position and reason, and the other events are recorded', async () => {
    const other = await billedTenant();
    const at = (ms: number): Date => new Date(clock.now().getTime() + ms);
    const events = [
      event(),
      event({ timestamp: at(10 * 60_000) }),
      event({ timestamp: at(-61 * DAY_MS) }),
      event({ metric: 'sheep' }),
      event({ quantity: -1 }),
      event({ id: '' }),
      event({ service_id: other.serviceId }),
      event({ service_id: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G' }),
      event({ source: 'services' }),
      event({ timestamp: at(-59 * DAY_MS) }),
    ];
    const { status, body } = await record(events);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ accepted: 2, duplicates: 0 });
    expect(body.data.refused.map(({ index, reason }: Json) => [index, reason])).toEqual([
      [1, 'timestamp must not be in the future'],
      [2, 'timestamp must not be more than 60 days ago'],
      [3, 'metric must be one of voice_minutes, data_gb, cloud_storage_gb, api_calls'],
      [4, 'quantity must be at least 0'],
      [5, 'id must have 1 to 100 printable ASCII characters without spaces'],
      [6, 'service_id is not found'],
      [7, 'service_id is not found'],
      [8, 'source must not be services, which the platform uses'],
    ]);
    expect(body.data.refused[0].id).toBe(events[1].id);
  });

  test('a request with no event, or with more than 1,000 events, is refused', async () => {
    expect((await record([])).body.error.details.errors).toMatchObject([{ field: 'events', reason: 'must have 1 to 1000 items' }]);
    const many = Array.from({ length: 1_001 }, () => event());
    expect((await record(many)).status).toBe(400);
    expect((await record(many.slice(1))).body.data).toMatchObject({ accepted: 1_000, refused: [] });
  });

  test('a usage report in a currency that is spelled in lower case is refused', async () => {
    const { status, body } = await billed.tenant.rest('GET', '/billing/usage?currency=usd');
    expect([status, body.error?.details.field]).toEqual([400, 'currency']);
  });

  test('a request without a required field is refused, and nothing is recorded', async () => {
    const { timestamp, ...broken } = event();
    const good = event();
    const { status, body } = await record([good, broken]);
    expect([status, body.error.details.field, timestamp]).toEqual([400, 'events.1.timestamp', expect.anything()]);
    expect((await record([good])).body.data.accepted).toBe(1);
  });

  test('fifty concurrent requests with the same events record each event once', async () => {
    const own = await billedTenant();
    const events = Array.from({ length: 20 }, () => event({ service_id: own.serviceId, quantity: 1 }));
    const shuffled = (seed: number): Json[] =>
      events.toSorted((one, other) => ((one.id + seed) % 7 > (other.id + seed) % 7 ? 1 : -1)).reverse();
    const responses = await Promise.all(Array.from({ length: 50 }, (_, index) => record(shuffled(index), own.tenant)));
    expect(responses.every(({ status }) => status === 200)).toBe(true);
    expect(responses.reduce((sum, { body }) => sum + body.data.accepted, 0)).toBe(20);
    expect((await report('', own.tenant)).total_usage.voice_minutes).toBe(20);
  });

  test('a key that is limited to another account gets "not found" for the service, and its report is empty', async () => {
    const { id } = await createAccount(billed.tenant, 'Second');
    const { body } = await billed.tenant.rest('POST', '/auth/api-keys', {
      body: { name: 'limited', permissions: ['billing:*'], accounts: [id] },
    });
    const limited = new Tenant(billed.tenant.origin, billed.tenant.organizationId, body.api_key.key);
    expect((await record([event()], limited)).body.data.refused[0].reason).toBe('service_id is not found');
    expect(await report('', limited)).toMatchObject({ services: [], services_total: 0 });
    expect((await limited.rest('GET', `/billing/usage/${billed.serviceId}`)).status).toBe(404);
    expect((await limited.rest('GET', `/billing/usage?account_id=${billed.accountId}`)).status).toBe(404);
  });

  test('a plan limits the number of usage events in 60 seconds, over REST and GraphQL together, without counting requests', async () => {
    const tenant = await (await rig()).organization({ plan: 'developer' });
    const { id: accountId } = await createAccount(tenant);
    const { service } = await orderService(tenant, accountId);
    const before = (await tenant.rest('GET', '/monitoring/rate-limits')).body.data;
    const batch = () => Array.from({ length: 1_000 }, () => event({ service_id: service.id }));
    for (let count = 0; count < 9; count += 1) expect((await record(batch(), tenant)).body.data.accepted).toBe(1_000);
    const { data } = await tenant.graphql('mutation($events: [UsageEventInput!]!) { recordUsage(events: $events) { accepted } }', {
      events: batch().map(({ service_id: serviceId, ...rest }) => ({ ...rest, serviceId })),
    });
    expect(data.recordUsage.accepted).toBe(1_000);
    const refused = await record([event({ service_id: service.id })], tenant);
    expect(refused.status).toBe(429);
    expect(refused.body.error.details).toMatchObject({ window: 'usage_events', limit: 10_000 });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const after = (await tenant.rest('GET', '/monitoring/rate-limits')).body.data;
    // the GraphQL request costs 1, because its cost is charged before it is read
    expect(after.current_usage.requests_this_hour - before.current_usage.requests_this_hour).toBeLessThanOrEqual(1);
  });

  test('usage that the platform has measured is recorded once', async () => {
    const own = await billedTenant();
    const statement = await rows();
    const from = new Date(Math.floor(clock.now().getTime() / 3_600_000 - 2) * 3_600_000).toISOString();
    const source = `${own.serviceId}/data_gb/${from}`;
    const data = {
      service_id: own.serviceId,
      account_id: own.accountId,
      metric: 'data_gb',
      quantity: 61.75,
      unit: 'GB',
      from,
      to: from,
      source,
    };
    for (const id of [`evt_${own.serviceId}1`, `evt_${own.serviceId}2`])
      await statement.query(
        `insert into "services"."outbox" ("id", "organization_id", "event", "subject_type", "subject_id", "account_id", "occurred_at", "payload")
         values ($1, $2, 'usage.recorded', 'Service', $3, $4, $5, $6)`,
        [
          ...[id, own.tenant.organizationId, own.serviceId, own.accountId, clock.now()],
          JSON.stringify({ id, event: 'usage.recorded', timestamp: clock.now(), organization_id: own.tenant.organizationId, data }),
        ],
      );
    await eventually(async () => (await report('', own.tenant)).total_usage.data_gb === 61.75);
    const handled = () => statement.query(`select 1 from "billing"."usage_event" where "service_id" = $1`, [own.serviceId]);
    expect(await handled()).toHaveLength(1);
  });

  test('many events about measured usage that arrive at once count once each, and unknown services do not stop the others', async () => {
    const own = await billedTenant();
    const statement = await rows();
    const { organizationId } = own.tenant;
    const from = new Date(clock.now().getTime() - 3_600_000).toISOString();
    const events = Array.from({ length: 60 }, (_, index) => {
      const id = `evt_${own.serviceId}_${index}`;
      // every tenth event is about a service that does not exist; the last five repeat the sources of the first five
      const service_id = index % 10 === 9 ? newId('service') : own.serviceId;
      const source = `${own.serviceId}/data_gb/${index < 55 ? index : index - 55}`;
      const data = { service_id, account_id: own.accountId, metric: 'data_gb', quantity: 0.5, unit: 'GB', from, to: from, source };
      const payload = JSON.stringify({ id, event: 'usage.recorded', timestamp: clock.now(), organization_id: organizationId, data });
      return { id, payload };
    });
    await statement.query(
      `insert into "services"."outbox" ("id", "organization_id", "event", "subject_type", "subject_id", "account_id", "occurred_at", "payload")
       select "id", $1, 'usage.recorded', 'Service', $2, $3, $4, "payload" from json_to_recordset($5::json) as e("id" text, "payload" text)`,
      [organizationId, own.serviceId, own.accountId, clock.now(), JSON.stringify(events)],
    );
    // 55 sources, of which 5 belong to services that do not exist
    await eventually(async () => (await report('', own.tenant)).total_usage.data_gb === 25);
    const stored = await statement.query(`select 1 from "billing"."usage_event" where "service_id" = $1`, [own.serviceId]);
    expect(stored).toHaveLength(50);
  });
});

describe('usage report', () => {
  test('a usage report has one row for each service and metric, with the cost according to the most specific price', async () => {
    const own = await billedTenant();
    const { service: second } = await orderService(own.tenant, own.accountId);
    await setPrice({ unitPrice: 0.0008 }, own.tenant);
    await setPrice({ serviceType: 'fiber', unitPrice: 0.01, included: 10 }, own.tenant);
    await setPrice({ serviceId: second.id, unitPrice: 2 }, own.tenant);
    const used = (service_id: string, metric: string, quantity: number) => event({ service_id, metric, quantity });
    await record(
      [used(own.serviceId, 'voice_minutes', 100), used(own.serviceId, 'data_gb', 7.25), used(second.id, 'voice_minutes', 3)],
      own.tenant,
    );
    const found = await report('detailed=true', own.tenant);
    expect(found).toMatchObject({
      period: 'current_month',
      total_usage: { voice_minutes: 103, data_gb: 7.25, cloud_storage_gb: 0, api_calls: 0 },
      services_total: 3,
      currency: 'USD',
      usage_cost: 6.9,
      other_currencies: [],
    });
    const row = (id: string, metric: string) => found.services.find((one: Json) => one.service_id === id && one.metric === metric);
    expect(row(own.serviceId, 'voice_minutes')).toMatchObject({ usage: 100, unit: 'minutes', cost: 0.9, currency: 'USD' });
    expect(row(own.serviceId, 'data_gb')).toMatchObject({ usage: 7.25, unit: 'GB', cost: 0 });
    expect(row(second.id, 'voice_minutes')).toMatchObject({ usage: 3, cost: 6, days: [{ usage: 3 }] });
    expect((await report('limit=1&offset=1', own.tenant)).services).toEqual([{ ...found.services[1], days: null }]);
    for (const type of ['internet', 'fiber', 'connectivity'])
      expect((await report(`service_type=${type}`, own.tenant)).services_total, type).toBe(3);
    expect((await report('service_type=voice', own.tenant)).services_total).toBe(0);
    expect((await report(`account_id=${own.accountId}`, own.tenant)).services_total).toBe(3);
    expect((await report('period=last_month', own.tenant)).period).toBe('last_month');
    expect((await report('period=current_year', own.tenant)).usage_cost).toBe(6.9);
    const { body } = await own.tenant.rest('GET', '/billing/usage?period=yesterday');
    expect(body.error.details.reason).toMatch(/current_month, last_month, current_year/);
    expect((await own.tenant.rest('GET', '/billing/usage?detailed=true&limit=51')).status).toBe(400);
  });

  test('amounts that are smaller than a cent are added before they are rounded', async () => {
    const own = await billedTenant();
    const services = [own.serviceId, (await orderService(own.tenant, own.accountId)).service.id];
    await setPrice({ unitPrice: 0.0024 }, own.tenant);
    await record(
      services.flatMap((service_id) => [event({ service_id, quantity: 0.5 }), event({ service_id, quantity: 1 })]),
      own.tenant,
    );
    const found = await report('', own.tenant);
    expect(found.services.map(({ cost }: Json) => cost)).toEqual([0, 0]);
    // 2 × 1.5 × 0.0024 = 0.0072
    expect(found.usage_cost).toBe(0.01);
  });

  test('the usage of a service contains the included quantity of its price and the remaining included quantity', async () => {
    const own = await billedTenant();
    await setPrice({ category: 'connectivity', metric: 'DATA_GB', included: 100, unitPrice: 0.5 }, own.tenant);
    await setPrice({ metric: 'API_CALLS', included: 5, unitPrice: 0.5 }, own.tenant);
    await record([event({ service_id: own.serviceId, metric: 'data_gb', quantity: 62.5 })], own.tenant);
    const { body } = await own.tenant.rest('GET', `/billing/usage/${own.serviceId}`);
    expect(body.data).toMatchObject({ service_id: own.serviceId, period: 'current_month', currency: 'USD', usage_cost: 0 });
    expect(body.data.usage).toMatchObject([
      { metric: 'data_gb', usage: 62.5, included: 100, remaining: 37.5, cost: 0, days: [{ usage: 62.5 }] },
      { metric: 'api_calls', usage: 0, included: 5, remaining: 5, cost: 0, days: [] },
    ]);
    const { data } = await own.tenant.graphql(
      'query($id: ID!) { service(id: $id) { usage { metric usage included } catalogService { category } } }',
      {
        id: own.serviceId,
      },
    );
    expect(data.service).toEqual({
      usage: [{ metric: 'DATA_GB', usage: 62.5, included: 100 }],
      catalogService: { category: 'connectivity' },
    });
    expect((await own.tenant.rest('GET', '/billing/usage/svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G')).status).toBe(404);
  });
});

describe('prices of usage', () => {
  test('a new usage price replaces the price of the same usage, and the record contains the callers who set and ended it', async () => {
    const own = await billedTenant();
    const first = await setPrice({ unitPrice: 1 }, own.tenant);
    const second = await setPrice({ unitPrice: 2 }, own.tenant);
    const { data } = await own.tenant.graphql('{ usagePrices { nodes { id unitPrice validUntil createdBy endedBy } } }');
    const [newest, oldest] = data.usagePrices.nodes;
    expect(newest).toMatchObject({ id: second.id, validUntil: null, endedBy: null });
    expect(oldest).toMatchObject({ id: first.id, validUntil: second.validFrom, endedBy: newest.createdBy });
    const ended = await own.tenant.graphql('mutation($id: ID!) { endUsagePrice(id: $id) { validUntil } }', { id: second.id });
    expect(ended.data.endUsagePrice.validUntil).toBeTruthy();
    const again = await own.tenant.graphql('mutation($id: ID!) { endUsagePrice(id: $id) { validUntil } }', { id: second.id });
    expect(again.errors?.[0].extensions.code).toBe('INVALID_STATE');
    const foreign = await billed.tenant.graphql('mutation($id: ID!) { endUsagePrice(id: $id) { id } }', { id: first.id });
    expect(foreign.errors?.[0].extensions.code).toBe('RESOURCE_NOT_FOUND');
  });

  test('if several prices for the same usage are set at the same time, exactly one price without an end remains', async () => {
    const own = await billedTenant();
    const set = await Promise.all([1, 2, 3, 4, 5].map((unitPrice) => setPrice({ unitPrice }, own.tenant)));
    expect(set.every(({ id }) => id)).toBe(true);
    const { data } = await own.tenant.graphql('{ usagePrices { nodes { validUntil } } }');
    expect(data.usagePrices.nodes.filter(({ validUntil }: Json) => validUntil === null)).toHaveLength(1);
  });

  test.each([
    [{ model: 'GRADUATED' }, 'tiers', 'is required for the model graduated'],
    [{ unitPrice: 1, blockSize: 2 }, 'blockSize', 'must be omitted for the model per_unit'],
    [{ unitPrice: -1 }, 'unitPrice', 'must be at least 0'],
    [{ unitPrice: 1e10 }, 'unitPrice', 'must be less than 10000000000'],
    [{ unitPrice: 1, currency: 'XAU' }, 'currency', 'must be money, not a metal or a unit of account'],
    [{ unitPrice: 1, category: 'voice', serviceType: 'fiber' }, 'category', 'cannot be combined with serviceType'],
    [{ unitPrice: 1, validFrom: '2020-01-01' }, 'validFrom', 'must not be in the past'],
    [{ model: 'VOLUME', tiers: [{ upTo: 5, unitPrice: 1 }] }, 'tiers', 'must have a last tier without a limit'],
  ])('the usage price %j is refused', async (input, field, reason) => {
    const { extensions } = await setPrice(input);
    expect(extensions.details.errors).toEqual(
      expect.arrayContaining([expect.objectContaining({ field: expect.stringMatching(`${field}$`), reason })]),
    );
  });

  test('a price for the service of another organization is refused as not found', async () => {
    const other = await billedTenant();
    expect((await setPrice({ serviceId: other.serviceId, unitPrice: 1 })).extensions.code).toBe('RESOURCE_NOT_FOUND');
  });
});
