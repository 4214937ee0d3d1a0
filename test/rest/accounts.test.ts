import { beforeEach, describe, expect, test } from 'vitest';
import { rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

let tenant: Tenant;
beforeEach(async () => {
  tenant = await (await rig()).organization();
});

const WHOLE = {
  name: 'Acme Corporation',
  email: 'it@acme.example.com',
  phone: '+1 212 555 0100',
  billing_contact: { name: 'Grace Hopper', email: 'billing@acme.example.com', phone: '+1 212 555 0101' },
  technical_contact: { name: 'Ada Lovelace', email: 'noc@acme.example.com', phone: null },
  billing_address: { street: '350 Fifth Avenue', city: 'New York', state: 'NY', zip: '10118', country: 'US' },
  timezone: 'Asia/Kolkata',
  tier: 'gold',
  metadata: { segment: 'enterprise', seats: 12 },
};

async function create(body: object = {}): Promise<Json> {
  const response = await tenant.rest('POST', '/accounts', { body: { name: 'Acme', email: 'it@acme.example.com', ...body } });
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return response.body.data;
}

const names = ({ body }: { body: Json }): string[] => body.data.map(({ name }: Json) => name);

describe('account creation', () => {
  test('POST /accounts assigns a customer number and returns every field, and a later GET returns the same account', async () => {
    const { status, body } = await tenant.rest('POST', '/accounts', { body: WHOLE });
    expect(status).toBe(201);
    expect(body).toMatchObject({ success: true, metadata: { request_id: expect.stringMatching(/^req_/), version: '1.2.3' } });
    expect(body.data).toEqual({
      ...WHOLE,
      id: expect.stringMatching(/^acc_[0-9A-Z]{26}$/),
      customer_id: expect.stringMatching(/^cust_[0-9A-Z]{26}$/),
      own: false,
      status: 'active',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: body.data.created_at,
    });
    expect((await tenant.rest('GET', `/accounts/${body.data.id}`)).body.data).toEqual(body.data);
  });

  test('an account can be created with only a name and an email address, and optional fields then have their default values', async () => {
    expect(await create()).toMatchObject({
      phone: null,
      billing_contact: null,
      technical_contact: null,
      billing_address: null,
      timezone: 'UTC',
      metadata: {},
    });
  });

  test.each([
    ['name', { name: undefined }],
    ['name', { name: '' }],
    ['name', { name: '   ' }],
    ['name', { name: 'x'.repeat(201) }],
    ['name', { name: 7 }],
    ['email', { email: undefined }],
    ['email', { email: 'acme.example.com' }],
    ['phone', { phone: 'call me' }],
    ['billing_contact.name', { billing_contact: { email: 'a@example.com' } }],
    ['billing_contact.email', { billing_contact: { name: 'A', email: 'a' } }],
    ['technical_contact.phone', { technical_contact: { name: 'A', phone: '!' } }],
    ['billing_address.country', { billing_address: { ...WHOLE.billing_address, country: 'USA' } }],
    ['billing_address.country', { billing_address: { ...WHOLE.billing_address, country: 'ZZ' } }],
    ['billing_address.street', { billing_address: { city: 'New York', country: 'US' } }],
    ['timezone', { timezone: 'Mars/Olympus' }],
    ['timezone', { timezone: '+05:30' }],
    ['metadata', { metadata: 'text' }],
    ['status', { status: 'closed' }],
    ['id', { id: 'acc_mine' }],
    ['customer_id', { customer_id: 'cust_mine' }],
    ['organization_id', { organization_id: 'org_other' }],
    ['emial', { emial: 'it@acme.example.com' }],
  ])('creating an account with an invalid %s returns 400 INVALID_PARAMETERS and creates no account: %j', async (field, wrong) => {
    const { status, body } = await tenant.rest('POST', '/accounts', { body: { ...WHOLE, ...wrong } });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field, reason: expect.any(String) } });
    expect((await tenant.rest('GET', '/accounts')).body.data).toEqual([]);
  });

  test('the error for an account with several invalid fields lists all of them', async () => {
    const { body } = await tenant.rest('POST', '/accounts', { body: { name: '', email: 'x', timezone: 'here' } });
    expect(body.error.details.errors.map(({ field }: Json) => field).sort()).toEqual(['email', 'name', 'timezone']);
  });
});

describe('account updates', () => {
  test('updating an account changes only the fields that are sent, and null clears optional fields', async () => {
    const { id, ...before } = await create(WHOLE);
    const { status, body } = await tenant.rest('PUT', `/accounts/${id}`, {
      body: { name: 'Acme Inc.', phone: null, metadata: { seats: 13 } },
    });
    expect(status).toBe(200);
    expect(body.data).toEqual({ ...before, id, name: 'Acme Inc.', phone: null, metadata: { seats: 13 }, updated_at: expect.any(String) });
    expect(Date.parse(body.data.updated_at)).toBeGreaterThanOrEqual(Date.parse(before.updated_at));
    expect((await tenant.rest('GET', `/accounts/${id}`)).body.data).toEqual(body.data);
  });

  test.each(['name', 'email', 'status', 'timezone', 'metadata'])(
    'setting the field %s of an account to null returns 400 INVALID_PARAMETERS',
    async (field) => {
      const { id } = await create();
      const { status, body } = await tenant.rest('PUT', `/accounts/${id}`, { body: { [field]: null } });
      expect(status).toBe(400);
      expect(body.error).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field } });
    },
  );

  test('changing the id, customer number, organization or creation time of an account returns 400', async () => {
    const { id } = await create();
    for (const field of ['id', 'customer_id', 'organization_id', 'created_at']) {
      const { status, body } = await tenant.rest('PUT', `/accounts/${id}`, { body: { [field]: 'other' } });
      expect([status, body.error.details.field]).toEqual([400, field]);
    }
  });

  test('a status change of an account that is not allowed returns 409 INVALID_STATE with the allowed statuses', async () => {
    const { id } = await create();
    const to = (status: string) => tenant.rest('PUT', `/accounts/${id}`, { body: { status } });
    expect((await to('suspended')).body.data.status).toBe('suspended');
    expect((await to('suspended')).status).toBe(200);
    expect((await to('closed')).body.data.status).toBe('closed');
    const refused = await to('suspended');
    expect(refused.status).toBe(409);
    expect(refused.body.error).toMatchObject({ code: 'INVALID_STATE', details: { from: 'closed', to: 'suspended', allowed: ['active'] } });
    expect((await to('active')).body.data.status).toBe('active');
    expect((await to('gone')).body.error).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field: 'status' } });
  });
});

describe('account list', () => {
  beforeEach(async () => {
    for (const [name, email] of [
      ['Beta', 'hello@beta.example.com'],
      ['alpha', 'office@alpha.example.com'],
      ['Gamma 100%', 'it_team@gamma.example.com'],
    ]) {
      await create({ name, email });
    }
  });

  test('the account list is sorted newest first and has pagination metadata', async () => {
    const { body } = await tenant.rest('GET', '/accounts');
    expect(names({ body })).toEqual(['Gamma 100%', 'alpha', 'Beta']);
    expect(body.pagination).toMatchObject({ page: 1, per_page: 50, total: 3, pages: 1 });
  });

  test('the account list can be filtered by status, by customer number, and by a part of the name or email address', async () => {
    const [gamma, alpha] = (await tenant.rest('GET', '/accounts')).body.data;
    await tenant.rest('PUT', `/accounts/${alpha.id}`, { body: { status: 'suspended' } });
    const list = async (query: string) => names(await tenant.rest('GET', `/accounts?sort=created_at:asc&${query}`));
    expect(await list('status=suspended')).toEqual(['alpha']);
    expect(await list('status=active,suspended')).toEqual(['Beta', 'alpha', 'Gamma 100%']);
    expect(await list(`customer_id=${gamma.customer_id}`)).toEqual(['Gamma 100%']);
    expect(await list('search=ALPHA')).toEqual(['alpha']);
    expect(await list('search=hello@')).toEqual(['Beta']);
  });

  test.each([
    ['100%25', 'Gamma 100%'],
    ['%25', 'Gamma 100%'],
    ['_', 'Gamma 100%'],
    ['%5C', undefined],
  ])('an account search with the URL-encoded text %s finds only accounts that contain this text literally', async (search, found) => {
    expect(names(await tenant.rest('GET', `/accounts?search=${search}`))).toEqual(found ? [found] : []);
  });

  test('the account list can be sorted, and paging by page number or by cursor returns every account exactly once', async () => {
    const sorted = names(await tenant.rest('GET', '/accounts?sort=name:desc'));
    expect(sorted).toHaveLength(3);
    const byNumber = await Promise.all([1, 2, 3].map((page) => tenant.rest('GET', `/accounts?sort=name:desc&per_page=1&page=${page}`)));
    expect(byNumber.flatMap(names)).toEqual(sorted);

    const byCursor: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { body } = await tenant.rest('GET', `/accounts?sort=name:desc&limit=2${cursor ? `&cursor=${cursor}` : ''}`);
      byCursor.push(...names({ body }));
      cursor = body.pagination.next_cursor ?? null;
    }
    expect(byCursor).toEqual(sorted);
  });

  test.each([
    ['status', 'status=gone'],
    ['sort', 'sort=phone'],
    ['sort', 'sort=name:up'],
    ['per_page', 'per_page=0'],
    ['per_page', 'per_page=201'],
    ['cursor', 'cursor=x'],
    ['nmae', 'nmae=x'],
  ])('listing accounts with an invalid parameter %s returns 400 INVALID_PARAMETERS: %s', async (field, query) => {
    const { status, body } = await tenant.rest('GET', `/accounts?${query}`);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'INVALID_PARAMETERS', details: { field } });
  });
});

describe('account deletion', () => {
  test('deleting an account returns its last state, and every later GET or DELETE of the account returns 404 RESOURCE_NOT_FOUND', async () => {
    const account = await create();
    const { status, body } = await tenant.rest('DELETE', `/accounts/${account.id}`);
    expect([status, body.data]).toEqual([200, account]);
    for (const method of ['GET', 'DELETE']) {
      const gone = await tenant.rest(method, `/accounts/${account.id}`);
      expect([gone.status, gone.body.error.code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
    }
    expect((await tenant.rest('GET', '/accounts')).body.data).toEqual([]);
  });

  test('of two concurrent DELETE requests for an account, one returns 200 and the other returns 404', async () => {
    const { id } = await create();
    const responses = await Promise.all([1, 2].map(() => tenant.rest('DELETE', `/accounts/${id}`)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404]);
  });
});

test('reading, updating or deleting an account of another organization returns 404 RESOURCE_NOT_FOUND', async () => {
  const { id, customer_id } = await create();
  const stranger = await (await rig()).organization();
  for (const [method, body] of [['GET'], ['PUT', { name: 'Mine' }], ['DELETE'], ['PUT', { status: 'closed' }]] as const) {
    const response = await stranger.rest(method, `/accounts/${id}`, { body });
    expect([response.status, response.body.error.code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
  }
  for (const query of ['', `?customer_id=${customer_id}`, '?search=acme'])
    expect((await stranger.rest('GET', `/accounts${query}`)).body.data).toEqual([]);
  expect((await tenant.rest('GET', `/accounts/${id}`)).body.data).toMatchObject({ name: 'Acme', status: 'active' });
});

test.each([
  ['GET', '/accounts', 'accounts:read'],
  ['GET', '/accounts/acc_x', 'accounts:read'],
  ['POST', '/accounts', 'accounts:create'],
  ['PUT', '/accounts/acc_x', 'accounts:write'],
  ['DELETE', '/accounts/acc_x', 'accounts:write'],
] as const)('%s %s without the permission %s returns 403 INSUFFICIENT_PERMISSIONS', async (method, path, required) => {
  const limited = await tenant.limitedTo('services:*', required === 'accounts:read' ? 'accounts:create' : 'accounts:read');
  const body = method === 'POST' || method === 'PUT' ? { name: 'Acme', email: 'it@acme.example.com' } : undefined;
  const response = await limited.rest(method, path, { body });
  expect(response.status).toBe(403);
  expect(response.body.error).toMatchObject({ code: 'INSUFFICIENT_PERMISSIONS', details: { required } });
});
