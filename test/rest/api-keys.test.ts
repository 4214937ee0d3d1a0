import { beforeEach, describe, expect, test } from 'vitest';
import { clock, rig } from '../rig.ts';
import { type Json, Tenant } from '../tenant.ts';

let tenant: Tenant;
beforeEach(async () => {
  tenant = await (await rig()).organization();
});

const inDays = (days: number): string => new Date(clock.now().getTime() + days * 24 * 3600 * 1000).toISOString();
const create = (body: object, by: Tenant = tenant) =>
  by.rest('POST', '/auth/api-keys', { body: { name: 'Monitoring', permissions: ['services:read'], ...body } });
const HOURS = { days: ['mon'], from: '08:00', to: '18:00', timezone: 'Europe/Berlin' };
const holding = (key: string): Tenant => new Tenant(tenant.origin, tenant.organizationId, key);

describe('created API keys', () => {
  test('a created API key has every field of section 2.2 of the specification, and only the creation response contains the key value', async () => {
    const sent = {
      name: 'Monitoring',
      description: 'Reads the state of services',
      permissions: ['services:read', 'support:create'],
      rate_limit: { requests_per_minute: 600, burst_limit: 100 },
      restrictions: {
        ip_whitelist: ['127.0.0.0/8', '::1/128'],
        expires_at: inDays(30),
        time_windows: [{ days: ['mon', 'sun'], from: '22:00', to: '06:00', timezone: 'Europe/Berlin' }],
        countries: [],
      },
      require_signature: true,
      accounts: null,
    };
    const { status, body } = await create(sent);
    expect(status).toBe(201);
    expect(body).toEqual({
      api_key: {
        ...sent,
        id: expect.stringMatching(/^ak_/),
        key: expect.stringMatching(/^sk_live_[A-Za-z0-9]{64}$/),
        signing_secret: expect.stringMatching(/^sgn_[\w-]{43}$/),
        previous_expires_at: null,
        prefix: 'sk_live_',
        last4: body.api_key.key.slice(-4),
        created_at: expect.stringMatching(/Z$/),
        expires_at: sent.restrictions.expires_at,
        last_used: null,
        usage_count: 0,
      },
    });
    const listed = (await tenant.rest('GET', '/auth/api-keys')).body.data.find(({ id }: Json) => id === body.api_key.id);
    expect(listed).toEqual({ ...body.api_key, key: null, signing_secret: null });
  });

  test('an API key created without options has no restrictions, no expiry and no rate limit of its own', async () => {
    expect((await create({})).body.api_key).toMatchObject({
      description: null,
      rate_limit: null,
      restrictions: { ip_whitelist: [], expires_at: null, time_windows: [], countries: [] },
      require_signature: false,
      expires_at: null,
    });
  });

  test('an API key is accepted as a bearer token and in the X-API-Key header, and a request beyond its permissions returns 403', async () => {
    const { key } = (await create({ permissions: ['accounts:read'] })).body.api_key;
    expect((await holding(key).rest('GET', '/accounts')).status).toBe(200);
    const byHeader = await fetch(`${tenant.origin}/v1/accounts`, { headers: { 'x-api-key': key } });
    expect(byHeader.status).toBe(200);
    const beyond = await holding(key).rest('GET', '/auth/api-keys');
    expect(beyond.status).toBe(403);
    expect(beyond.body.error).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'credentials:read' } });
  });

  test('the log does not contain the value of an API key that was created and used', async () => {
    const { key } = (await create({})).body.api_key;
    await holding(key).rest('GET', '/accounts');
    expect((await rig()).logged.join()).not.toContain(key);
  });

  test('a request above the burst limit of an API key returns 429, even if the rate limit of the plan is higher', async () => {
    const { key } = (await create({ permissions: ['accounts:read'], rate_limit: { requests_per_minute: 5, burst_limit: 2 } })).body.api_key;
    const responses = [
      await holding(key).rest('GET', '/accounts'),
      await holding(key).rest('GET', '/accounts'),
      await holding(key).rest('GET', '/accounts'),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(responses[0]?.headers.get('x-ratelimit-burst')).toBe('2');
  });

  test('an API key can have a burst limit without a limit of requests per minute', async () => {
    const { body, status } = await create({ permissions: ['accounts:read'], rate_limit: { burst_limit: 2 } });
    expect([status, body.api_key.rate_limit]).toEqual([201, { requests_per_minute: null, burst_limit: 2 }]);
    const statuses: number[] = [];
    for (let count = 0; count < 4; count++) statuses.push((await holding(body.api_key.key).rest('GET', '/accounts')).status);
    expect(statuses).toEqual([200, 200, 429, 403]);
  });

  test('a request from an address outside the IP whitelist of an API key returns 403 IP_NOT_ALLOWED', async () => {
    const { key } = (await create({ restrictions: { ip_whitelist: ['203.0.113.0/24'] } })).body.api_key;
    const { status, body } = await holding(key).rest('GET', '/accounts');
    expect(status).toBe(403);
    expect(body.error).toMatchObject({ code: 'IP_NOT_ALLOWED', details: { ip: expect.stringMatching(/127\.0\.0\.1|::1/) } });
  });
});

describe('API key creation', () => {
  test.each([
    ['name', { name: undefined }],
    ['name', { name: ' ' }],
    ['name', { name: 'x'.repeat(101) }],
    ['permissions', { permissions: undefined }],
    ['permissions', { permissions: [] }],
    ['permissions', { permissions: ['services'] }],
    ['permissions', { permissions: ['connectivity:read'] }],
    ['permissions', { permissions: ['*:read'] }],
    ['permissions', { permissions: ['services:read', 'services:fly'] }],
    ['rate_limit.requests_per_minute', { rate_limit: {} }],
    ['rate_limit.requests_per_minute', { rate_limit: { requests_per_minute: 0 } }],
    ['rate_limit.requests_per_minute', { rate_limit: { requests_per_minute: 1.5 } }],
    ['rate_limit.requests_per_minute', { rate_limit: { requests_per_minute: null, burst_limit: null } }],
    ['rate_limit.burst_limit', { rate_limit: { burst_limit: 0 } }],
    ['rate_limit.burst_limit', { rate_limit: { requests_per_minute: 60, burst_limit: -1 } }],
    ['restrictions.ip_whitelist', { restrictions: { ip_whitelist: ['10.0.0.0/33'] } }],
    ['restrictions.ip_whitelist', { restrictions: { ip_whitelist: ['example.com'] } }],
    ['restrictions.expires_at', { restrictions: { expires_at: 'tomorrow' } }],
    ['restrictions.expires_at', { restrictions: { expires_at: '2020-01-01T00:00:00Z' } }],
    ['restrictions.time_windows.0.days', { restrictions: { time_windows: [{ ...HOURS, days: [] }] } }],
    ['restrictions.time_windows.0.days', { restrictions: { time_windows: [{ ...HOURS, days: ['monday'] }] } }],
    ['restrictions.time_windows.0.from', { restrictions: { time_windows: [{ ...HOURS, from: '8:00' }] } }],
    ['restrictions.time_windows.0.to', { restrictions: { time_windows: [{ ...HOURS, to: '24:01' }] } }],
    ['restrictions.time_windows.0.timezone', { restrictions: { time_windows: [{ ...HOURS, timezone: 'Mars/Olympus' }] } }],
    ['restrictions.time_windows.0.timezone', { restrictions: { time_windows: [{ ...HOURS, timezone: '+02:00' }] } }],
    ['restrictions.countries', { restrictions: { countries: ['XX'] } }],
    // this platform has no database that maps IP addresses to countries
    ['restrictions.countries', { restrictions: { countries: ['DE'] } }],
    ['require_signature', { require_signature: 'yes' }],
    ['signing_secret', { signing_secret: 'mine' }],
    ['restrictions.ip_whitlist', { restrictions: { ip_whitlist: [] } }],
    ['key', { key: `sk_live_${'a'.repeat(64)}` }],
    ['usage_count', { usage_count: 5 }],
    ['expires_at', { expires_at: inDays(1) }],
  ])('creating an API key with an invalid %s returns 400 INVALID_PARAMETERS: %j', async (field, wrong) => {
    const { status, body } = await create(wrong);
    expect(status, JSON.stringify(body)).toBe(400);
    expect(body.error.code).toBe('INVALID_PARAMETERS');
    expect(body.error.details.field.replace(/\.\d+$/, '')).toBe(field);
    expect((await tenant.rest('GET', '/auth/api-keys')).body.data).toHaveLength(1);
  });

  test('a permission that is sent twice in the creation of an API key is stored once', async () => {
    expect((await create({ permissions: ['services:read', 'billing:*', 'services:read'] })).body.api_key.permissions).toEqual([
      'services:read',
      'billing:*',
    ]);
  });

  test.each([
    ['services:write', ['credentials:create', 'services:read']],
    ['services:*', ['credentials:create', 'services:write']],
    ['*:*', ['credentials:create', 'services:*']],
    ['credentials:read', ['credentials:create']],
  ] as const)(
    'creating an API key with the permission %s returns 403 if the caller does not have this permission itself',
    async (beyond, held) => {
      const limited = await tenant.limitedTo(...held);
      const { status, body } = await create({ permissions: [held[0], beyond] }, limited);
      expect(status).toBe(403);
      expect(body.error).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', details: { required: beyond } });
    },
  );

  test('a caller with a wildcard permission can create API keys with the permissions that this wildcard includes', async () => {
    const limited = await tenant.limitedTo('credentials:create', 'services:*');
    expect((await create({ permissions: ['services:write', 'services:*'] }, limited)).status).toBe(201);
  });

  test('creating an API key without credentials:create, or listing keys without credentials:read, returns 403 with the missing permission', async () => {
    const limited = await tenant.limitedTo('services:read');
    expect((await create({}, limited)).body.error.details.required).toBe('credentials:create');
    expect((await limited.rest('GET', '/auth/api-keys')).body.error.details.required).toBe('credentials:read');
  });
});

describe('API key list', () => {
  test("the API key list shows only keys of the caller's organization, newest first and without key values", async () => {
    await create({ name: 'First' });
    await create({ name: 'Second' });
    await create({ name: 'Elsewhere' }, await (await rig()).organization());
    const { status, body } = await tenant.rest('GET', '/auth/api-keys');
    expect(status).toBe(200);
    expect(body.data.map(({ name }: Json) => name)).toEqual(['Second', 'First', 'Administrator']);
    expect(body.data.every(({ key }: Json) => key === null)).toBe(true);
    expect(body.pagination).toMatchObject({ page: 1, per_page: 50, total: 3, pages: 1 });
  });

  test('the API key list can be sorted by name and paged by page number', async () => {
    for (const name of ['b', 'a', 'c']) await create({ name });
    const { body } = await tenant.rest('GET', '/auth/api-keys?sort=name:desc&per_page=2&page=1');
    expect(body.data.map(({ name }: Json) => name)).toEqual(['c', 'b']);
    expect(body.pagination).toMatchObject({ total: 4, pages: 2 });
    expect((await tenant.rest('GET', '/auth/api-keys?sort=hash')).body.error.details.field).toBe('sort');
  });
});
