import { beforeAll, expect, test } from 'vitest';
import { eventually, type Rig, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';
import { invited, login, userOf } from '../users.setup.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const records = async (tenant: Tenant, query = ''): Promise<Json[]> => (await tenant.rest('GET', `/auth/audit?${query}`)).body.data;

test('the audit log records a login, a failed login and a logout with all fields of the specification', async () => {
  const tenant = await platform.organization();
  const user = await userOf(tenant, 'billing');
  await login(tenant, user.email, 'a wrong password');
  await user.rest('POST', '/auth/logout');
  const found = await eventually(async () => {
    const all = await records(tenant, `user_id=${user.id}`);
    return all.some(({ event_type }) => event_type === 'session_ended') ? all : undefined;
  });
  const success = found.find(
    ({ event_type, authentication_method }) => event_type === 'authentication_success' && authentication_method === 'password',
  );
  expect(success).toEqual({
    id: expect.stringMatching(/^aud_/),
    timestamp: expect.stringMatching(/Z$/),
    event_type: 'authentication_success',
    user_id: user.id,
    client_id: null,
    ip_address: '127.0.0.1',
    user_agent: expect.any(String),
    authentication_method: 'password',
    token_type: 'access_token',
    scopes: expect.arrayContaining(['billing.*']),
    session_id: user.tokens.session_id,
    reason: null,
  });
  expect(found).toContainEqual(
    expect.objectContaining({ event_type: 'authentication_failure', authentication_method: 'password', reason: 'wrong password' }),
  );
  expect(JSON.stringify(found)).not.toMatch(/wrong password at|a wrong password|eyJ|rt_/);
});

test('the audit log records the use of an API key once for each User-Agent, not once for each request', async () => {
  const tenant = await platform.organization();
  const from = (agent: string) => tenant.rest('GET', '/auth/verify', { headers: { 'user-agent': agent } });
  for (const agent of ['one', 'one', 'two', 'one']) await from(agent);
  const keyUses = async () =>
    (await records(tenant, 'authentication_method=api_key')).filter(({ user_agent }) => ['one', 'two'].includes(user_agent));
  await eventually(async () => (await keyUses()).length === 2);
  expect((await keyUses()).map(({ user_agent, scopes, token_type }) => [user_agent, scopes, token_type]).toSorted()).toEqual([
    ['one', ['*.*'], 'api_key'],
    ['two', ['*.*'], 'api_key'],
  ]);
});

test('audit records of invitations, OAuth clients and restrictions contain the caller and the changed record', async () => {
  const tenant = await platform.organization();
  const keyId = (await tenant.rest('GET', '/auth/verify')).body.data.id;
  const owner = await userOf(tenant);
  const { user } = await invited(tenant, 'billing');
  const body = { name: 'Portal', redirect_uris: ['https://example.com/callback'], scopes: ['services.read'] };
  const client = (await owner.rest('POST', '/auth/oauth-clients', { body })).body.data;
  await tenant.rest('PUT', '/auth/restrictions', { body: { ip_whitelist: [] } });
  const about = async (type: string, query = ''): Promise<Json[]> =>
    (await records(tenant, `event_type=${type}&${query}`)).map(({ user_id, client_id, reason }) => [user_id, client_id, reason]);
  expect(await about('user_invited', `user_id=${user.id}`)).toEqual([[user.id, keyId, `by api_key ${keyId}; role billing`]]);
  expect(await about('oauth_client_created')).toEqual([[owner.id, client.id, `by user ${owner.id}`]]);
  expect(await about('user_restrictions_updated')).toEqual([[null, keyId, `by api_key ${keyId}`]]);
});

test("the audit log contains only records of the caller's organization and returns 403 without credentials:admin", async () => {
  const [tenant, other] = [await platform.organization(), await platform.organization()];
  await userOf(tenant);
  expect(await records(tenant)).not.toEqual([]);
  expect((await (await tenant.limitedTo('credentials:read')).rest('GET', '/auth/audit')).status).toBe(403);
  const text = JSON.stringify(await records(other));
  for (const { id } of await records(tenant)) expect(text).not.toContain(id);
});

test('the database rejects updates and deletions of audit records', async () => {
  const tenant = await platform.organization();
  await userOf(tenant);
  const database = await rows();
  for (const statement of ['update identity.audit_record set reason = null', 'delete from identity.audit_record']) {
    await expect(database.query(statement, [])).rejects.toThrow('Audit records are not changed');
  }
});
