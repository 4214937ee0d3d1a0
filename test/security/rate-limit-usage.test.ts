import { expect, test } from 'vitest';
import { eventually, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';

const HOUR_MS = 3_600_000;
const read = (tenant: Tenant): Promise<RestResponse> => tenant.rest('GET', '/monitoring/rate-limits');
const usage = async (tenant: Tenant): Promise<Json> => (await read(tenant)).body.data;
const flush = async () => (await rig()).assembly.domains.identity.core.usage.flush();

function expectAsHeaders({ current_usage }: Json, headers: Headers): void {
  const used = (limit: string, remaining: string) => Number(headers.get(limit)) - Number(headers.get(remaining));
  expect(current_usage).toMatchObject({
    requests_this_hour: used('x-ratelimit-limit', 'x-ratelimit-remaining'),
    hourly_limit: Number(headers.get('x-ratelimit-limit')),
    burst_used: used('x-ratelimit-burst', 'x-ratelimit-burst-remaining'),
    burst_limit: Number(headers.get('x-ratelimit-burst')),
  });
}

test('GET /monitoring/rate-limits returns the values of its rate limit headers and does not count as a request', async () => {
  const tenant = await (await rig()).organization({ plan: 'business' });
  await tenant.rest('GET', '/accounts');
  await tenant.rest('PUT', '/accounts/acc_none', { body: { name: 'Ada' } });
  for (let count = 0; count < 2; count++) {
    const { status, body, headers } = await read(tenant);
    expect(status).toBe(200);
    expectAsHeaders(body.data, headers);
    expect(body.data.current_usage.requests_this_hour).toBe(3);
  }
  const { categories, concurrency, suspended_until, under_review_since } = await usage(tenant);
  expect(categories).toContainEqual({ category: 'account', used: 1, limit: 200, reset_at: expect.stringMatching(/Z$/) });
  expect(categories.map(({ category }: Json) => category).toSorted()).toEqual(['account', 'billing', 'export', 'provisioning']);
  expect(concurrency).toEqual({ used: 0, limit: 50, waiting: 0 });
  expect({ suspended_until, under_review_since }).toEqual({ suspended_until: null, under_review_since: null });
});

test('the usage response of a key with its own limit shows this limit over REST, GraphQL and WebSocket', async () => {
  const tenant = await (await rig()).organization();
  const limits = { requests_per_minute: 30, burst_limit: 20 };
  const { body } = await tenant.rest('POST', '/auth/api-keys', {
    body: { name: 'narrow', permissions: ['monitoring:read'], rate_limit: limits },
  });
  const narrow = Object.assign(Object.create(tenant) as Tenant, { apiKey: body.api_key.key });
  const { body: read1, headers } = await read(narrow);
  expectAsHeaders(read1.data, headers);
  expect(read1.data.current_usage).toMatchObject({ hourly_limit: 1800, burst_limit: 20, requests_this_hour: 0 });

  const query = '{ rateLimitUsage { currentUsage { requestsThisHour hourlyLimit burstLimit } concurrency { used } } }';
  const expected = { hourlyLimit: 1800, burstLimit: 20 };
  const { data } = await narrow.graphql(query);
  expect(data.rateLimitUsage.currentUsage).toEqual({ ...expected, requestsThisHour: 1 });
  const socket = narrow.socket();
  const { value } = await socket.iterate<Json>({ query }).next();
  await socket.dispose();
  expect(value?.data?.rateLimitUsage.currentUsage).toEqual({ ...expected, requestsThisHour: 2 });
  // a GraphQL operation takes a slot while it runs; the free REST route takes no slot
  expect([read1.data, data.rateLimitUsage, value?.data?.rateLimitUsage].map(({ concurrency }) => concurrency.used)).toEqual([0, 1, 1]);
});

const TOO_LARGE = 'accounts(page: { limit: 200 }) { nodes { tickets(limit: 200) { account { services(limit: 200) { id } } } } }';

test.each([
  ['cannot be parsed', '{ accounts', {}],
  ['exceeds the maximum cost', `{ a: ${TOO_LARGE} b: ${TOO_LARGE} c: ${TOO_LARGE} }`, {}],
  ['contains a null character', 'mutation ($id: ID!) { a: deleteAccount(id: $id) { id } b: deleteAccount(id: $id) { id } }', { id: '\0' }],
])(
  'a GraphQL operation that %s returns INVALID_PARAMETERS and counts as one request, over HTTP and WebSocket',
  async (_, query, variables) => {
    const tenant = await (await rig()).organization();
    const used = async () => (await usage(tenant)).current_usage.requests_this_hour;
    expect((await tenant.graphql(query, variables)).errors?.[0]?.extensions.code).toBe('INVALID_PARAMETERS');
    expect(await used()).toBe(1);
    const socket = tenant.socket();
    const refusal = await socket
      .iterate({ query, variables })
      .next()
      .catch((errors: unknown) => errors);
    await socket.dispose();
    expect(refusal).toMatchObject([{ extensions: { code: 'INVALID_PARAMETERS' } }]);
    expect(await used()).toBe(2);
  },
);

test('the usage history shows the used share of the rate limit for each of the last 24 hours', async () => {
  const { organization, advance, clock } = await rig();
  const tenant = await organization({ plan: 'developer' });
  await tenant.rest('DELETE', '/accounts/acc_none');
  await flush();
  await advance(2 * HOUR_MS);
  await tenant.rest('GET', '/accounts');
  await tenant.graphql('{ a: accounts { nodes { id } } b: accounts { nodes { id } } __typename }');
  await flush();

  const { usage_history: history, month } = await usage(tenant);
  expect(history).toHaveLength(24);
  const hour = new Date(Math.floor(clock.now().getTime() / HOUR_MS) * HOUR_MS);
  expect(history.at(-1)).toEqual({ hour: hour.toISOString(), requests: 3, percentage: 0.3 });
  expect(history.at(-3)).toEqual({ hour: new Date(hour.getTime() - 2 * HOUR_MS).toISOString(), requests: 3, percentage: 0.3 });
  expect(history.at(-2)).toMatchObject({ requests: 0, percentage: 0 });
  expect(month).toMatchObject({ included: 50_000, overage: 0, overage_price: 0.001, currency: 'USD' });
  // in the first hours of a month, the earlier request belongs to the previous month
  expect(month.requests).toBe(Date.parse(month.period_start) > Date.parse(history.at(-3).hour) ? 3 : 4);
});

test('requests beyond the monthly number that the plan includes appear in the usage response and in a usage.overage event', async () => {
  const { organization, assembly, clock } = await rig();
  const tenant = await organization({ plan: 'developer' });
  const { core } = assembly.domains.identity;
  // counts more requests than a test could send
  core.usage.count(tenant.organizationId, { requests: 50_007, weight: 0 }, clock.now());
  await core.usage.flush();
  expect((await usage(tenant)).month).toMatchObject({ requests: 50_007, included: 50_000, overage: 7, overage_price: 0.001 });

  await core.overages.report();
  const payload = await eventually(async () => {
    const { data } = await tenant.graphql('{ events(filter: { event: ["usage.overage"] }) { nodes { payload } } }');
    return data.events.nodes[0]?.payload as string | undefined;
  });
  expect(JSON.parse(payload).data.usage).toMatchObject({ metric: 'api_requests', quantity: 7, unit_price: '0.001', currency: 'USD' });
});

test('the projected usage extrapolates the current rate and has the risk level critical above the limit', async () => {
  const tenant = await (await rig()).organization({ plan: 'developer' });
  for (let count = 0; count < 20; count++) await tenant.rest('GET', '/services/svc_none');
  const { projected_usage } = await usage(tenant);
  expect(projected_usage.end_of_hour).toBeGreaterThan(1000);
  expect(projected_usage.risk_level).toBe('critical');
  expect((await usage(await (await rig()).organization())).projected_usage).toEqual({ end_of_hour: 0, risk_level: 'low' });
});

test('the usage response of a plan without limits has null instead of limits', async () => {
  const tenant = await (await rig()).organization({ plan: 'custom' });
  await tenant.rest('GET', '/accounts');
  const shown = await usage(tenant);
  expect(shown.current_usage).toMatchObject({ requests_this_hour: 1, hourly_limit: null, burst_used: 1, burst_limit: null });
  expect(shown.projected_usage).toMatchObject({ risk_level: 'low' });
  expect(shown.usage_history[0]).toMatchObject({ requests: 0, percentage: null });
  expect(shown.concurrency).toEqual({ used: 0, limit: null, waiting: 0 });
  expect(shown.month).toMatchObject({ included: null, overage: 0, overage_price: null });
});

test('reading the rate limit usage runs two SQL statements', async () => {
  const { organization, statements } = await rig();
  const tenant = await organization();
  await read(tenant);
  expect(await statements(() => read(tenant))).toHaveLength(2);
});

test('the usage response does not include requests of another organization', async () => {
  const { organization } = await rig();
  const [mine, other] = [await organization(), await organization()];
  await other.rest('GET', '/accounts');
  await flush();
  const { current_usage, month, usage_history } = await usage(mine);
  expect(current_usage.requests_this_hour).toBe(0);
  expect(month.requests).toBe(0);
  expect(usage_history.every(({ requests }: Json) => requests === 0)).toBe(true);
});

/** An operation with 20 deletions, which costs more than half of the developer plan's burst limit. */
const HALF = `mutation { ${Array.from({ length: 20 }, (_, n) => `d${n}: deleteAccount(id: "acc_none") { id }`).join(' ')} }`;
/** Exceeds the burst limit and returns the rejected response. */
const exceed = async (tenant: Tenant) => {
  expect((await tenant.graphql(HALF)).errors?.[0].extensions.code).toBe('RESOURCE_NOT_FOUND');
  return tenant.graphql(HALF);
};

test('a key that exceeds the burst limit over GraphQL gets KEY_SUSPENDED on every API but can still read its usage', async () => {
  const { organization } = await rig();
  const tenant = await organization({ plan: 'developer' });
  const other = await tenant.limitedTo('*:*');
  const exceeded = await exceed(tenant);
  expect(exceeded.errors).toMatchObject([{ extensions: { code: 'RATE_LIMIT_EXCEEDED', details: { window: 'burst', retry_after: 300 } } }]);
  expect(exceeded.headers.get('retry-after')).toBe('300');

  const suspended = { code: 'KEY_SUSPENDED', details: { suspended_until: expect.any(String), retry_after: expect.any(Number) } };
  const refused = await tenant.rest('GET', '/accounts');
  expect(refused).toMatchObject({ status: 403, body: { error: suspended } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await tenant.graphql('{ accounts { nodes { id } } }')).errors).toMatchObject([{ extensions: suspended }]);
  const socket = tenant.socket();
  await expect(socket.iterate({ query: '{ accounts { nodes { id } } }' }).next()).rejects.toMatchObject({ code: 4403 });
  await socket.dispose();

  const shown = await usage(tenant);
  expect(shown.suspended_until).toBe(refused.body.error.details.suspended_until);
  expect(shown.projected_usage.risk_level).toBe('critical');
  expect((await other.rest('GET', '/accounts')).status).toBe(200);
});

test('three burst violations within 24 hours put the organization under review once, with an event and an audit record', async () => {
  const { organization, advance } = await rig();
  const tenant = await organization({ plan: 'developer' });
  const query = '{ organization { underReviewSince } }';
  const inReview = async () => (await tenant.graphql(query)).data?.organization.underReviewSince as string | null;
  for (let count = 0; count < 4; count++) {
    expect((await exceed(tenant)).errors).toHaveLength(1);
    await (await rig()).assembly.domains.identity.core.review.settled();
    await advance(300_001);
    expect((await inReview()) !== null).toBe(count >= 2);
  }
  const since = await inReview();
  expect((await usage(tenant)).under_review_since).toBe(since);

  const events = await eventually(async () => {
    const { data } = await tenant.graphql('{ events(filter: { event: ["organization.under_review"] }) { nodes { payload } } }');
    return data.events.nodes.length > 0 && data.events.nodes;
  });
  expect(events).toHaveLength(1);
  expect(JSON.parse(events[0].payload).data.organization).toMatchObject({
    id: tenant.organizationId,
    plan: 'developer',
    under_review_since: since,
  });
  const sql =
    'select "event_type", count(*)::int as count from "identity"."audit_record" where "organization_id" = $1 and "event_type" = any ($2) group by 1';
  const types = ['credentials_suspended', 'organization_under_review'];
  const counted = await (await rows()).query<{ event_type: string; count: number }>(sql, [tenant.organizationId, types]);
  expect(Object.fromEntries(counted.map(({ event_type, count }) => [event_type, count]))).toEqual({
    credentials_suspended: 4,
    organization_under_review: 1,
  });
});

test('three burst violations 13 hours apart do not put the organization under review', async () => {
  const { organization, advance } = await rig();
  const tenant = await organization({ plan: 'developer' });
  for (let count = 0; count < 3; count++) {
    expect((await exceed(tenant)).errors).toHaveLength(1);
    await (await rig()).assembly.domains.identity.core.review.settled();
    await advance(13 * HOUR_MS);
  }
  expect((await tenant.graphql('{ organization { underReviewSince } }')).data.organization.underReviewSince).toBeNull();
});
