import { beforeEach, describe, expect, test } from 'vitest';
import { rig } from '../rig.ts';
import { type Json, Tenant } from '../tenant.ts';

let tenant: Tenant;
beforeEach(async () => {
  tenant = await (await rig()).organization();
});

const make = async (body: object = {}): Promise<Json> =>
  (await tenant.rest('POST', '/auth/api-keys', { body: { name: 'Monitoring', permissions: ['accounts:read'], ...body } })).body.api_key;
const holding = (key: string): Tenant => new Tenant(tenant.origin, tenant.organizationId, key);
const statusWith = async (key: string): Promise<number> => (await holding(key).rest('GET', '/accounts')).status;
const change = (id: string, body: object, by: Tenant = tenant) => by.rest('PUT', `/auth/api-keys/${id}`, { body });
const rotate = (id: string, body?: object, by: Tenant = tenant) =>
  by.rest('POST', `/auth/api-keys/${id}/rotate`, body === undefined ? {} : { body });
const remove = (id: string, by: Tenant = tenant) => by.rest('DELETE', `/auth/api-keys/${id}`);
const read = async (id: string): Promise<Json> => (await tenant.rest('GET', `/auth/api-keys/${id}`)).body.data;

const tomorrow = async (): Promise<string> => new Date((await rig()).clock.now().getTime() + 86_400_000).toISOString();

describe('API key updates', () => {
  test('updating an API key changes only the fields that are sent', async () => {
    const expiresAt = await tomorrow();
    const made = await make({ description: 'old', restrictions: { ip_whitelist: ['127.0.0.0/8', '::/0'], expires_at: expiresAt } });
    const { status, body } = await change(made.id, {
      name: 'New',
      description: null,
      rate_limit: { requests_per_minute: 60 },
      restrictions: { expires_at: null },
    });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      ...made,
      key: null,
      signing_secret: null,
      name: 'New',
      description: null,
      rate_limit: { requests_per_minute: 60, burst_limit: null },
      restrictions: { ...made.restrictions, expires_at: null },
      expires_at: null,
    });
    expect(await read(made.id)).toEqual(body.data);
    expect((await change(made.id, { rate_limit: null, restrictions: null })).body.data).toMatchObject({
      rate_limit: null,
      restrictions: { ip_whitelist: [], expires_at: null, time_windows: [], countries: [] },
    });
  });

  test('changed permissions and restrictions of an API key apply to the next request with the key, even if it is cached', async () => {
    const { id, key } = await make();
    expect(await statusWith(key)).toBe(200);
    await change(id, { permissions: ['billing:read'] });
    expect(await statusWith(key)).toBe(403);
    await change(id, { permissions: ['accounts:read'], restrictions: { ip_whitelist: ['203.0.113.0/24'] } });
    expect((await holding(key).rest('GET', '/accounts')).body.error.code).toBe('IP_NOT_ALLOWED');
    await change(id, { restrictions: null });
    expect(await statusWith(key)).toBe(200);
  });

  test.each([
    ['name', { name: null }],
    ['name', { name: '' }],
    ['permissions', { permissions: [] }],
    ['permissions', { permissions: null }],
    ['permissions', { permissions: ['services:fly'] }],
    ['rate_limit.requests_per_minute', { rate_limit: { requests_per_minute: 0 } }],
    ['restrictions.expires_at', { restrictions: { expires_at: '2020-01-01T00:00:00Z' } }],
    ['restrictions.ip_whitelist', { restrictions: { ip_whitelist: ['10.0.0.0/33'] } }],
    ['restrictions.countries', { restrictions: { countries: ['DE'] } }],
    ['require_signature', { require_signature: null }],
    ['key', { key: 'mine' }],
  ])('updating an API key with an invalid %s returns 400 and changes nothing: %j', async (field, wrong) => {
    const { id } = await make();
    const before = await read(id);
    const { status, body } = await change(id, { description: 'changed', ...wrong });
    expect(status, JSON.stringify(body)).toBe(400);
    expect(body.error.details.field.replace(/\.\d+$/, '')).toBe(field);
    expect(await read(id)).toEqual(before);
  });

  test('granting an API key a permission that the caller does not have returns 403 and names the missing permission', async () => {
    const { id } = await make({ permissions: ['credentials:write'] });
    const limited = await tenant.limitedTo('credentials:write', 'accounts:read');
    expect((await change(id, { permissions: ['accounts:read'] }, limited)).status).toBe(200);
    const { status, body } = await change(id, { permissions: ['accounts:write'] }, limited);
    expect(status).toBe(403);
    expect(body.error.details.required).toBe('accounts:write');
  });

  test("updating the calling API key to an IP whitelist without the caller's address returns 400", async () => {
    const { id, key } = await make({ permissions: ['credentials:write'] });
    const { status, body } = await change(id, { restrictions: { ip_whitelist: ['203.0.113.9'] } }, holding(key));
    expect(status).toBe(400);
    expect(body.error.details.field).toBe('restrictions.ip_whitelist');
    expect((await read(id)).restrictions.ip_whitelist).toEqual([]);
    expect((await change(id, { restrictions: { ip_whitelist: ['127.0.0.1', '::1'] } }, holding(key))).status).toBe(200);
  });

  test('requiring signed requests for an API key that has no signing secret returns 409 INVALID_STATE', async () => {
    const { body } = await tenant.rest('GET', '/auth/api-keys');
    const [{ id }] = body.data;
    expect((await change(id, { require_signature: true })).body.error.code).toBe('INVALID_STATE');
  });
});

describe('API key rotation', () => {
  test('rotating an API key replaces its key value and signing secret, and the old key value is rejected immediately', async () => {
    const made = await make();
    expect(await statusWith(made.key)).toBe(200);
    const { status, body } = await rotate(made.id);
    expect(status).toBe(200);
    const { data } = body;
    expect(data).toEqual({
      ...made,
      key: expect.stringMatching(/^sk_live_[A-Za-z0-9]{64}$/),
      signing_secret: expect.stringMatching(/^sgn_/),
      last4: data.key.slice(-4),
      last_used: data.last_used,
      usage_count: data.usage_count,
    });
    expect(data.key).not.toBe(made.key);
    expect(data.signing_secret).not.toBe(made.signing_secret);
    expect(await statusWith(data.key)).toBe(200);
    const old = await holding(made.key).rest('GET', '/accounts');
    expect(old.body.error.code).toBe('INVALID_CREDENTIALS');
    expect((await read(made.id)).key).toBeNull();
  });

  test('after a rotation the old value of an API key is accepted until the grace period ends, and then returns TOKEN_EXPIRED', async () => {
    const { clock } = await rig();
    const { id, key } = await make();
    const { body } = await rotate(id, { grace_period: 600 });
    expect(new Date(body.data.previous_expires_at).getTime()).toBeGreaterThan(clock.now().getTime() + 500_000);
    expect([await statusWith(key), await statusWith(body.data.key)]).toEqual([200, 200]);
    clock.advance(600_000);
    const late = await holding(key).rest('GET', '/accounts');
    expect(late.body.error).toMatchObject({ code: 'TOKEN_EXPIRED', details: { expired_at: body.data.previous_expires_at } });
    expect(await statusWith(body.data.key)).toBe(200);
  });

  test('rotating an API key twice rejects the oldest value immediately, even if its grace period has not ended', async () => {
    const first = await make();
    const second = (await rotate(first.id, { grace_period: 600 })).body.data;
    const third = (await rotate(first.id, { grace_period: 600 })).body.data;
    expect([await statusWith(first.key), await statusWith(second.key), await statusWith(third.key)]).toEqual([401, 200, 200]);
    const last = (await rotate(first.id, { grace_period: 0 })).body.data;
    expect([await statusWith(second.key), await statusWith(third.key), await statusWith(last.key)]).toEqual([401, 401, 200]);
  });

  test.each([[-1], [604_801], [1.5], ['1h']])(
    'rotating an API key with a grace period of %s returns 400 and does not change the key',
    async (grace) => {
      const { id, key } = await make();
      const { status, body } = await rotate(id, { grace_period: grace });
      expect(status).toBe(400);
      expect(body.error.details.field).toBe('grace_period');
      expect(await statusWith(key)).toBe(200);
    },
  );

  test('rotating an expired API key returns 409 INVALID_STATE', async () => {
    const platform = await rig();
    const { id } = await make({ restrictions: { expires_at: await tomorrow() } });
    platform.clock.advance(86_400_000);
    expect((await rotate(id)).body.error.code).toBe('INVALID_STATE');
  });

  test('an API key can rotate itself, but changing a key with more permissions than the caller returns 403 INSUFFICIENT_PERMISSIONS', async () => {
    const { id, key } = await make({ permissions: ['credentials:write'] });
    expect((await rotate(id, {}, holding(key))).status).toBe(200);
    const strong = await make({ permissions: ['*:*'] });
    const limited = await tenant.limitedTo('credentials:write');
    for (const refused of [await rotate(strong.id, {}, limited), await change(strong.id, {}, limited), await remove(strong.id, limited)]) {
      expect(refused.status).toBe(403);
      expect(refused.body.error).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', details: { required: '*:*' } });
    }
    expect(await statusWith(strong.key)).toBe(200);
  });
});

describe('API key deletion', () => {
  test('deleting an API key returns its last state, and requests with the deleted key return 401', async () => {
    const made = await make();
    expect(await statusWith(made.key)).toBe(200);
    const { status, body } = await remove(made.id);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ id: made.id, name: 'Monitoring', key: null });
    expect(await statusWith(made.key)).toBe(401);
    expect((await tenant.rest('GET', `/auth/api-keys/${made.id}`)).status).toBe(404);
    expect((await remove(made.id)).body.error.code).toBe('RESOURCE_NOT_FOUND');
  });

  test('deleting a rotated API key also revokes the previous key value that is still in its grace period', async () => {
    const { id, key } = await make();
    await rotate(id, { grace_period: 600 });
    await remove(id);
    expect(await statusWith(key)).toBe(401);
  });

  test('deleting the API key that sends the request returns 409 INVALID_STATE', async () => {
    const { id, key } = await make({ permissions: ['credentials:write'] });
    const { status, body } = await remove(id, holding(key));
    expect(status).toBe(409);
    expect(body.error.code).toBe('INVALID_STATE');
    expect((await read(id)).id).toBe(id);
  });
});

test('changing, rotating or deleting an API key of another organization returns RESOURCE_NOT_FOUND and changes nothing', async () => {
  const { id, key } = await make();
  const other = await (await rig()).organization();
  for (const response of [await change(id, { name: 'x' }, other), await rotate(id, {}, other), await remove(id, other)])
    expect(response.body.error).toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  expect(await statusWith(key)).toBe(200);
});

test('every change of an API key is recorded in the audit log with the calling key and without secrets', async () => {
  const { id, key, signing_secret } = await make();
  await change(id, { name: 'x' });
  const rotated = (await rotate(id)).body.data;
  await remove(id);
  const { body } = await tenant.rest('GET', `/auth/audit?client_id=${id}&sort=timestamp:asc`);
  expect(body.data.map(({ event_type }: Json) => event_type)).toEqual([
    'api_key_created',
    'api_key_updated',
    'api_key_rotated',
    'api_key_deleted',
  ]);
  expect(body.data[0]).toMatchObject({
    scopes: ['accounts.read'],
    token_type: 'api_key',
    reason: expect.stringMatching(/^by api_key ak_/),
  });
  for (const secret of [key, signing_secret, rotated.key, rotated.signing_secret]) expect(JSON.stringify(body)).not.toContain(secret);
});
