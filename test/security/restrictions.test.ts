import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { assemble } from '../../apps/platform/assemble.ts';
import { startPlatform } from '../../apps/platform/platform.ts';
import { scratchFolder } from '../../bench/scratch-folder.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { loadConfig } from '../../kernel/settings/config.ts';
import { type Rig, rig, start } from '../rig.ts';
import { countryDatabase } from '../support/mmdb.ts';
import { type Json, type RestResponse, Tenant } from '../tenant.ts';
import { login, type TestUser, userOf } from '../users.setup.ts';

const keyOf = async (tenant: Tenant, restrictions: object): Promise<RestResponse> =>
  tenant.rest('POST', '/auth/api-keys', { body: { name: 'Restricted', permissions: ['accounts:read'], restrictions } });
const holding = (tenant: Tenant, { body }: RestResponse): Tenant => new Tenant(tenant.origin, tenant.organizationId, body.api_key.key);
const errorOf = ({ status, body }: RestResponse): Json => [status, body.error?.code, body.error?.details];

/**
 * A weekly time window of whole days in UTC: the days of `now` and the day after it, or only the weekday of `daysAgo`
 * days ago.
 */
function hoursAround(now: Date, daysAgo = 0): object {
  const day = new Date(now.getTime() - daysAgo * 86_400_000);
  const next = new Date(day.getTime() + 86_400_000);
  const nameOf = (date: Date) => date.toLocaleDateString('en-US', { weekday: 'short', timeZone: 'UTC' }).toLowerCase();
  // a test that runs over midnight stays within the window
  return { days: daysAgo ? [nameOf(day)] : [nameOf(day), nameOf(next)], from: '00:00', to: '24:00', timezone: 'UTC' };
}

describe('time windows of keys', () => {
  test('a key outside its time windows gets 403 ACCESS_RESTRICTED, and the error does not reveal the windows', async () => {
    const platform = await rig();
    const tenant = await platform.organization();
    const within = holding(tenant, await keyOf(tenant, { time_windows: [hoursAround(platform.clock.now())] }));
    expect((await within.rest('GET', '/accounts')).status).toBe(200);
    const outside = holding(tenant, await keyOf(tenant, { time_windows: [hoursAround(platform.clock.now(), 3)] }));
    const refused = await outside.rest('GET', '/accounts');
    expect(errorOf(refused)).toEqual([403, 'ACCESS_RESTRICTED', { restriction: 'time' }]);
    expect(refused.body.error.message).not.toMatch(/\d\d:\d\d|UTC/);
    expect((await outside.graphql('{ organization { id } }')).errors?.[0].extensions.code).toBe('ACCESS_RESTRICTED');
  });

  test('a key that was used within its time window gets 403 after the end of this window', async () => {
    const platform = await rig();
    const tenant = await platform.organization();
    const key = holding(tenant, await keyOf(tenant, { time_windows: [hoursAround(platform.clock.now())] }));
    expect((await key.rest('GET', '/accounts')).status).toBe(200);
    platform.clock.advance(2 * 86_400_000);
    expect((await key.rest('GET', '/accounts')).status).toBe(403);
  });
});

describe('country restrictions', () => {
  let behindProxy: Rig;
  let withDatabase: Rig;
  beforeAll(async () => {
    const database = join(scratchFolder(), 'countries.mmdb');
    writeFileSync(database, countryDatabase({ '81.2.69.0/24': 'GB', '2001:4860::/32': 'US', '175.16.199.0/24': 'CN' }));
    behindProxy = await start({ TRUSTED_PROXIES: '127.0.0.0/8', COUNTRY_HEADER: 'CF-IPCountry' });
    withDatabase = await start({ TRUSTED_PROXIES: '127.0.0.0/8', GEOIP_DATABASE: database });
  });
  afterAll(() => Promise.all([behindProxy.close(), withDatabase.close()]));

  test.each([
    ['DE', 200],
    ['de', 200],
    ['US', 403],
    ['XX', 403],
    ['T1', 403],
    ['', 403],
    [undefined, 403],
  ])('a request with the country header "%s" returns %s for a key restricted to DE and AT', async (country, status) => {
    const tenant = await behindProxy.organization();
    const key = holding(tenant, await keyOf(tenant, { countries: ['DE', 'AT'] }));
    const response = await key.rest('GET', '/accounts', { headers: country === undefined ? {} : { 'cf-ipcountry': country } });
    expect(response.status).toBe(status);
    if (status === 403) expect(errorOf(response)).toEqual([403, 'ACCESS_RESTRICTED', { restriction: 'country' }]);
  });

  test.each([
    ['81.2.69.142', 200],
    ['::ffff:81.2.69.142', 200],
    ['2001:4860:4860::8888', 200],
    ['175.16.199.1', 403],
    ['81.2.70.1', 403],
    ['2001:4861::1', 403],
  ])('with a country database, a request from the IP address %s returns %s for a key restricted to GB and US', async (ip, status) => {
    const tenant = await withDatabase.organization();
    const key = holding(tenant, await keyOf(tenant, { countries: ['GB', 'US'] }));
    expect((await key.rest('GET', '/accounts', { headers: { 'x-forwarded-for': ip } })).status).toBe(status);
  });

  test('a country header that the caller sends is ignored, and the request returns 403', async () => {
    const tenant = await withDatabase.organization();
    const key = holding(tenant, await keyOf(tenant, { countries: ['GB'] }));
    const headers = { 'x-forwarded-for': '175.16.199.1', 'cf-ipcountry': 'GB' };
    expect((await key.rest('GET', '/accounts', { headers })).status).toBe(403);
    const untrusting = await start({ TRUSTED_PROXIES: '203.0.113.1', COUNTRY_HEADER: 'CF-IPCountry' });
    const other = await untrusting.organization();
    const restricted = holding(other, await keyOf(other, { countries: ['DE'] }));
    expect((await restricted.rest('GET', '/accounts', { headers: { 'cf-ipcountry': 'DE' } })).status).toBe(403);
    await untrusting.close();
  });

  test('restricting countries without COUNTRY_HEADER or GEOIP_DATABASE returns 400 and names these settings', async () => {
    const tenant = await (await rig()).organization();
    for (const response of [
      await keyOf(tenant, { countries: ['DE'] }),
      await tenant.rest('PUT', '/auth/restrictions', { body: { countries: ['DE'] } }),
    ]) {
      expect(response.status).toBe(400);
      expect(response.body.error.details.reason).toMatch(/COUNTRY_HEADER or GEOIP_DATABASE/);
    }
    expect((await keyOf(tenant, { countries: [] })).status).toBe(201);
  });

  test('startup fails if COUNTRY_HEADER is set without TRUSTED_PROXIES, or if the file of GEOIP_DATABASE cannot be read', async () => {
    expect(() => loadConfig({ COUNTRY_HEADER: 'CF-IPCountry' })).toThrow(/COUNTRY_HEADER needs TRUSTED_PROXIES/);
    const file = join(scratchFolder(), 'none.mmdb');
    writeFileSync(file, 'no database');
    for (const database of [file, `${file}.absent`]) {
      const config = loadConfig({ PORT: '0', DATA_DIR: scratchFolder(), GEOIP_DATABASE: database });
      const log = createLogger({ level: 'silent' });
      const starting = startPlatform(config, (foundation) => assemble(foundation), { log });
      await expect(starting).rejects.toThrow(/GEOIP_DATABASE cannot be read/);
    }
  });
});

describe('restrictions of users', () => {
  const ELSEWHERE = { ip_whitelist: ['203.0.113.0/24'] };
  let tenant: Tenant;
  let user: TestUser;
  beforeEach(async () => {
    tenant = await (await rig()).organization();
    user = await userOf(tenant);
  });
  const restrict = (body: object, by: Tenant = tenant) => by.rest('PUT', '/auth/restrictions', { body });

  test('user restrictions immediately block existing tokens, logins and refreshes with 403, but not API keys', async () => {
    expect((await user.rest('GET', '/accounts')).status).toBe(200);
    const { status, body } = await restrict(ELSEWHERE);
    expect(status).toBe(200);
    expect(body.data).toEqual({ ...ELSEWHERE, time_windows: [], countries: [], updated_at: expect.stringMatching(/Z$/) });
    expect(errorOf(await user.rest('GET', '/accounts')).slice(0, 2)).toEqual([403, 'IP_NOT_ALLOWED']);
    expect((await login(tenant, user.email)).status).toBe(403);
    const refresh = { body: { refresh_token: user.tokens.refresh_token }, headers: { authorization: '' } };
    expect((await tenant.rest('POST', '/auth/refresh', refresh)).status).toBe(403);
    expect((await tenant.rest('GET', '/accounts')).status).toBe(200);

    await restrict({ ip_whitelist: [] });
    expect((await user.rest('GET', '/accounts')).status).toBe(200);
    expect((await tenant.rest('POST', '/auth/refresh', refresh)).status).toBe(200);
  });

  test('a wrong password returns INVALID_CREDENTIALS even if restrictions block the login, and blocked logins are audited', async () => {
    await restrict(ELSEWHERE);
    expect((await login(tenant, user.email, 'not the password')).body.error.code).toBe('INVALID_CREDENTIALS');
    await login(tenant, user.email);
    const { body } = await tenant.rest('GET', `/auth/audit?user_id=${user.id}&event_type=authentication_failure`);
    expect(body.data.map(({ reason }: Json) => reason)).toContain('restricted');
    const changes = await tenant.rest('GET', '/auth/audit?event_type=user_restrictions_updated');
    expect(changes.body.data).toHaveLength(1);
  });

  test('the user restrictions of an organization do not apply to users of another organization', async () => {
    const other = await userOf(await (await rig()).organization());
    await restrict(ELSEWHERE);
    expect((await other.rest('GET', '/accounts')).status).toBe(200);
    expect((await other.rest('GET', '/auth/restrictions')).body.data).toMatchObject({ ip_whitelist: [], updated_at: null });
  });

  test("setting user restrictions that would block the caller's own request returns 400", async () => {
    const { clock } = await rig();
    for (const [field, wrong] of [
      ['ip_whitelist', ELSEWHERE],
      ['time_windows', { time_windows: [hoursAround(clock.now(), 3)] }],
    ] as const) {
      const { status, body } = await restrict(wrong, user);
      expect(status).toBe(400);
      expect(body.error.details.field).toBe(field);
    }
    expect((await user.rest('GET', '/auth/restrictions')).body.data).toMatchObject({ ip_whitelist: [], time_windows: [] });
    expect((await restrict({ ip_whitelist: ['127.0.0.1', '::1'], time_windows: [hoursAround(clock.now())] }, user)).status).toBe(200);
    expect((await user.rest('GET', '/accounts')).status).toBe(200);
  });

  test('updating user restrictions keeps the fields that are not sent and requires accounts:admin', async () => {
    const { clock } = await rig();
    const window = hoursAround(clock.now());
    await restrict({ ip_whitelist: ['127.0.0.0/8', '::/0'] });
    expect((await restrict({ time_windows: [window] })).body.data).toMatchObject({
      ip_whitelist: ['127.0.0.0/8', '::/0'],
      time_windows: [window],
    });
    expect((await restrict({ ip_whitelist: ['here'] })).body.error.details.field).toMatch(/^ip_whitelist/);
    expect((await restrict({ ip_whitelist: null })).status).toBe(400);
    const limited = await tenant.limitedTo('accounts:write');
    expect((await restrict({}, limited)).body.error.details.required).toBe('accounts:admin');
  });
});
