import { beforeAll, describe, expect, test } from 'vitest';
import type { Grant } from '../../kernel/access/principal.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';
import { receiver, respondWith } from './receiver.ts';

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization();
});

const valid = { url: 'https://example.com/hooks', events: ['ticket.*'] };
const create = (body: object, path = '/webhooks', by = tenant) => by.rest('POST', path, { body });

async function created(body: object = valid, path = '/webhooks', by = tenant): Promise<Json> {
  const response = await create(body, path, by);
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return response.body.data;
}

describe('webhooks', () => {
  test('a webhook secret is only in the response that creates the webhook and is null in later responses', async () => {
    const webhook = await created({ ...valid, description: 'Service desk' });
    expect(webhook).toEqual({
      id: expect.stringMatching(/^wh_/),
      url: valid.url,
      events: ['ticket.*'],
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      active: true,
      family: null,
      filters: null,
      description: 'Service desk',
      disabled_at: null,
      disabled_reason: null,
      failing_since: null,
      previous_secret_until: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const read = await tenant.rest('GET', `/webhooks/${webhook.id}`);
    expect(read.body.data).toEqual({ ...webhook, secret: null });
    expect((await tenant.rest('GET', '/webhooks')).body.data).toContainEqual({ ...webhook, secret: null });
  });

  test('a webhook can be created as inactive and with a secret that the caller chooses', async () => {
    expect(await created({ ...valid, secret: 'a secret of our own', active: false })).toMatchObject({
      secret: 'a secret of our own',
      active: false,
    });
  });

  test('a webhook created with a repeated event pattern contains the pattern once', async () => {
    expect((await created({ ...valid, events: ['ticket.*', 'ticket.*', '*'] })).events).toEqual(['ticket.*', '*']);
  });

  test('a webhook accepts every event name and pattern of the specification', async () => {
    const events = [
      'service.*',
      'billing.invoice.*',
      'comment.added',
      'sla.breach',
      'payment.successful',
      'usage.threshold',
      'service.down',
    ];
    expect((await created({ ...valid, events })).events).toEqual(events);
  });

  test('updating a webhook changes only the fields that are sent, and null clears optional fields', async () => {
    const { id } = await created({ ...valid, description: 'A', filters: { priorities: ['high'], customer_ids: ['cust_1'] } });
    const changed = await tenant.rest('PUT', `/webhooks/${id}`, { body: { events: ['comment.added'], active: false } });
    expect(changed.body.data).toMatchObject({
      events: ['comment.added'],
      active: false,
      url: valid.url,
      description: 'A',
      secret: null,
      filters: { priorities: ['high'], customer_ids: ['cust_1'] },
    });
    const cleared = await tenant.rest('PUT', `/webhooks/${id}`, { body: { description: null, filters: null } });
    expect(cleared.body.data).toMatchObject({ description: null, filters: null, active: false });
    expect((await tenant.rest('GET', `/webhooks/${id}`)).body.data).toEqual(cleared.body.data);
  });

  test('deleting a webhook returns the deleted webhook, and later operations on this webhook return 404', async () => {
    const { id } = await created();
    const deleted = await tenant.rest('DELETE', `/webhooks/${id}`);
    expect(deleted.status).toBe(200);
    expect(deleted.body.data).toMatchObject({ id, url: valid.url, secret: null });
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['PUT', ''],
      ['GET', '/deliveries'],
      ['POST', '/test'],
    ] as const) {
      const response = await tenant.rest(method, `/webhooks/${id}${path}`, method === 'PUT' ? { body: {} } : {});
      expect([method, path, response.status, response.body.error?.code]).toEqual([method, path, 404, 'RESOURCE_NOT_FOUND']);
    }
  });

  test('every operation on a webhook of another organization returns 404', async () => {
    const { id } = await created();
    const other = await platform.organization();
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['PUT', ''],
      ['GET', '/deliveries'],
      ['POST', '/test'],
    ] as const) {
      expect((await other.rest(method, `/webhooks/${id}${path}`, method === 'PUT' ? { body: { active: false } } : {})).status).toBe(404);
    }
    expect((await other.rest('GET', '/webhooks')).body.data).toEqual([]);
    expect((await tenant.rest('GET', `/webhooks/${id}`)).body.data.active).toBe(true);
  });
});

describe('invalid webhooks', () => {
  test.each([
    ['url', { url: 'not a url' }, 'must be a URL'],
    ['url', { url: 'ftp://example.com/' }, 'must be an https URL'],
    ['url', { url: 'https://user:pass@example.com/' }, 'user name or password'],
    ['url', { url: `https://example.com/${'x'.repeat(2048)}` }, '2048'],
    ['url', { url: undefined }, 'is required'],
    ['events', { events: [] }, 'at least one'],
    ['events', { events: undefined }, 'is required'],
    ['events.1', { events: ['ticket.*', 'ticket.exploded'] }, 'does not match any event'],
    ['events.0', { events: [''] }, 'does not match any event'],
    ['events', { events: Array.from({ length: 51 }, () => '*') }, 'at most 50'],
    ['secret', { secret: 'short' }, '16 to 255'],
    ['secret', { secret: 'sécret of sixteen chars' }, 'ASCII'],
    ['secret', { secret: 'whsec_but this is not base64' }, 'base64'],
    ['active', { active: 'yes' }, ''],
    ['filters.priorities.0', { filters: { priorities: ['urgent'] } }, 'must be one of'],
    ['filters.customer_ids', { filters: { customer_ids: ['acc_1'] } }, 'cust_'],
    ['filters.customers', { filters: { customers: [] } }, ''],
    ['description', { description: 'x'.repeat(501) }, '500'],
    ['evnets', { evnets: ['*'] }, ''],
    ['family', { family: 'support' }, ''],
  ])('creating a webhook with an invalid value of the field %s returns 400: %j', async (field, members, reason) => {
    const { status, body } = await create({ ...valid, ...members });
    expect([status, body.error?.code, body.error?.details.field], JSON.stringify(body)).toEqual([400, 'INVALID_PARAMETERS', field]);
    expect(body.error.details.reason).toContain(reason);
    expect(JSON.stringify(body)).not.toContain('sécret');
  });

  test('updating a webhook with null for a required field or an invalid value returns 400', async () => {
    const { id } = await created();
    for (const member of ['url', 'events', 'secret', 'active']) {
      const { status, body } = await tenant.rest('PUT', `/webhooks/${id}`, { body: { [member]: null } });
      expect([status, body.error?.details.field], JSON.stringify(body)).toEqual([400, member]);
    }
    expect((await tenant.rest('PUT', `/webhooks/${id}`, { body: { events: ['nothing.*'] } })).body.error.details.field).toBe('events.0');
    expect((await tenant.rest('GET', `/webhooks/${id}`)).body.data.events).toEqual(valid.events);
  });

  test('listing deliveries with invalid parameters returns 400', async () => {
    const { id } = await created();
    for (const [query, field] of [
      ['status=lost', 'status'],
      ['event=nothing.*', 'event.0'],
      ['per_page=201', 'per_page'],
      ['sort=x', 'sort'],
    ]) {
      const { status, body } = await tenant.rest('GET', `/webhooks/${id}/deliveries?${query}`);
      expect([status, body.error?.details.field], JSON.stringify(body)).toEqual([400, field]);
    }
  });
});

describe('webhook families', () => {
  test.each([
    ['/services/webhooks', 'service', ['service.*']],
    ['/billing/webhooks', 'billing', ['billing.invoice.*', 'payment.successful']],
    ['/support/webhooks', 'support', ['ticket.escalated', 'sla.breach']],
  ])('a webhook created by %s has the family %s and can be read by GET /webhooks/{id}', async (path, family, events) => {
    const webhook = await created({ ...valid, events }, path);
    expect(webhook).toMatchObject({ family, events });
    expect((await tenant.rest('GET', `/webhooks/${webhook.id}`)).body.data.family).toBe(family);
  });

  test('creating or updating a billing webhook with events of other families returns 400', async () => {
    const { status, body } = await create({ ...valid, events: ['invoice.created', 'ticket.*', 'service.down'] }, '/billing/webhooks');
    expect(status).toBe(400);
    expect(body.error.details.errors.map(({ value }: Json) => value)).toEqual(['ticket.*', 'service.down']);
    const { id } = await created({ ...valid, events: ['*'] }, '/billing/webhooks');
    expect((await tenant.rest('PUT', `/webhooks/${id}`, { body: { events: ['ticket.*'] } })).status).toBe(400);
  });

  test('a billing or support webhook with the pattern * receives only events of its family', async () => {
    const own = await platform.organization();
    const [billing, support] = [await receiver(), await receiver()];
    await created({ url: billing.url, events: ['*'] }, '/billing/webhooks', own);
    await created({ url: support.url, events: ['*'] }, '/support/webhooks', own);
    await own.rest('POST', '/support/tickets', { body: { title: 'A', description: 'B' } });
    await eventually(() => support.arrivals[0]);
    expect(billing.arrivals).toEqual([]);
  });

  test('webhooks of the support family accept the field "filters", and webhooks of the services family reject it', async () => {
    const filters = { customer_ids: ['cust_1'], priorities: ['high', 'critical'] };
    expect((await created({ ...valid, filters }, '/support/webhooks')).filters).toEqual(filters);
    expect((await create({ ...valid, events: ['service.*'], filters }, '/services/webhooks')).body.error.details.field).toBe('filters');
    const { id } = await created({ ...valid, events: ['service.*'] }, '/services/webhooks');
    expect((await tenant.rest('PUT', `/webhooks/${id}`, { body: { filters } })).body.error.details.field).toBe('filters');
  });
});

describe('webhook permissions', () => {
  test.each<[string, string, Grant[], number]>([
    ['GET', '/webhooks', ['webhooks:read'], 200],
    ['GET', '/webhooks', ['support:*'], 403],
    ['GET', '/webhooks/events', ['webhooks:read'], 200],
    ['GET', '/webhooks/events', ['webhooks:write'], 403],
    ['POST', '/webhooks', ['webhooks:create', 'support:read'], 201],
    ['POST', '/webhooks', ['webhooks:read', 'support:read'], 403],
    ['POST', '/webhooks', ['webhooks:*'], 403],
  ])('%s %s with the permissions %j returns %i', async (method, path, grants, expected) => {
    const limited = await tenant.limitedTo(...grants);
    const { status, body } = await limited.rest(method, path, method === 'POST' ? { body: valid } : {});
    expect(status, JSON.stringify(body)).toBe(expected);
  });

  test('creating or updating a webhook with events that the caller may not read returns 403', async () => {
    const limited = await tenant.limitedTo('webhooks:*', 'support:read');
    for (const events of [['*'], ['ticket.*', 'invoice.*'], ['billing.*']]) {
      const { status, body } = await create({ ...valid, events }, '/webhooks', limited);
      expect([status, body.error.code, body.error.details.required]).toEqual([
        403,
        'INSUFFICIENT_PERMISSIONS',
        expect.stringMatching(/^(accounts|services|billing):read$/),
      ]);
    }
    const { id } = await created(valid, '/webhooks', limited);
    expect((await limited.rest('PUT', `/webhooks/${id}`, { body: { events: ['*'] } })).status).toBe(403);
  });

  test.each<[string, Json]>([
    ['the URL', { url: 'https://attacker.example.com/hooks' }],
    ['the secret', { secret: 'a secret of somebody else' }],
    ['the state', { active: true }],
    ['the filters', { filters: null }],
    ['the description', { description: 'Mine' }],
    ['no field', {}],
  ])('updating %s of a webhook returns 403 to a caller who may not read all of its events', async (_, body) => {
    const webhook = await created({ ...valid, events: ['ticket.*', 'billing.*'], active: false, description: 'Theirs' });
    const limited = await tenant.limitedTo('webhooks:*', 'support:read');
    const response = await limited.rest('PUT', `/webhooks/${webhook.id}`, { body });
    expect(response).toMatchObject({
      status: 403,
      body: { error: { code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'billing:read' } } },
    });
    const read = await tenant.rest('GET', `/webhooks/${webhook.id}`);
    expect(read.body.data).toEqual({ ...webhook, secret: null });
  });

  test('a caller who may not read all current events of a webhook gets 403 when replacing the events, even with a new URL', async () => {
    const { id, url } = await created({ ...valid, events: ['*'] });
    const limited = await tenant.limitedTo('webhooks:*', 'support:read');
    for (const body of [{ events: ['ticket.*'], url: 'https://attacker.example.com/hooks' }, { events: ['ticket.*'] }])
      expect((await limited.rest('PUT', `/webhooks/${id}`, { body })).status).toBe(403);
    expect((await tenant.rest('GET', `/webhooks/${id}`)).body.data).toMatchObject({ url, events: ['*'] });
  });

  test('updating, testing or deleting a webhook returns 403 to a caller with only webhooks:read', async () => {
    const { id } = await created();
    const reader = await tenant.limitedTo('webhooks:read', 'support:read');
    for (const [method, path] of [
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/test'],
    ] as const) {
      expect((await reader.rest(method, `/webhooks/${id}${path}`, method === 'PUT' ? { body: {} } : {})).status).toBe(403);
    }
  });
});

describe('webhook test deliveries', () => {
  test('POST /webhooks/{id}/test sends a signed event and returns the delivery result, even for an inactive webhook', async () => {
    const hook = await receiver(respondWith(201, {}, 'thanks'));
    const webhook = await created({ url: hook.url, events: ['ticket.*'], active: false });
    const { status, body } = await tenant.rest('POST', `/webhooks/${webhook.id}/test`);
    expect(status, JSON.stringify(body)).toBe(201);
    expect(body.data).toMatchObject({
      webhook_id: webhook.id,
      event: 'webhook.test',
      attempt: 1,
      status: 'delivered',
      response_status: 201,
      response_body: 'thanks',
      next_attempt_at: null,
    });
    expect(hook.names()).toEqual(['webhook.test']);
    expect(hook.arrivals[0]?.event).toMatchObject({
      id: body.data.event_id,
      organization_id: tenant.organizationId,
      data: { webhook: { id: webhook.id, url: hook.url } },
      signature: expect.stringMatching(/^sha256=/),
    });
    expect((await tenant.rest('GET', `/webhooks/${webhook.id}/deliveries`)).body.data).toEqual([body.data]);
  });

  test('a failed webhook test is not retried', async () => {
    const hook = await receiver(respondWith(500));
    const webhook = await created({ url: hook.url, events: ['ticket.*'] });
    const { body } = await tenant.rest('POST', `/webhooks/${webhook.id}/test`);
    expect(body.data).toMatchObject({ status: 'failed', response_status: 500, next_attempt_at: null });
    await platform.advance(60_000);
    const other = await receiver();
    await created({ url: other.url, events: ['ticket.*'] });
    await tenant.rest('POST', '/support/tickets', { body: { title: 'A', description: 'B' } });
    await eventually(() => other.arrivals[0] && hook.arrivals.length === 2);
    expect(hook.names()).toEqual(['webhook.test', 'ticket.created']);
  });
});

test('every event type in GET /webhooks/events has a schema and an example with the same fields', async () => {
  const { body } = await tenant.rest('GET', '/webhooks/events');
  const created = body.data.find(({ name }: Json) => name === 'ticket.created');
  expect(created).toMatchObject({
    family: 'support',
    description: expect.any(String),
    example: { event: 'ticket.created', data: { ticket: { priority: 'high' } } },
    schema: { type: 'object' },
  });
  expect(created.schema.required).toEqual(['id', 'event', 'timestamp', 'organization_id', 'data', 'signature']);
  for (const { example, schema } of body.data) expect(Object.keys(example)).toEqual(Object.keys(schema.properties));
  const names = body.data.map(({ name }: Json) => name);
  expect(names).toEqual([...names].sort());
});

test('webhooks and deliveries are listed in pages, newest first', async () => {
  const own = await platform.organization();
  const hook = await receiver(respondWith(200));
  const ids: string[] = [];
  for (let index = 0; index < 5; index += 1)
    ids.unshift((await created({ url: hook.url, events: ['comment.added'] }, '/webhooks', own)).id);
  const first = await own.rest('GET', '/webhooks?per_page=2');
  expect(first.body.data.map(({ id }: Json) => id)).toEqual(ids.slice(0, 2));
  expect(first.body.pagination).toMatchObject({ page: 1, per_page: 2, total: 5, pages: 3 });
  const next = await own.rest('GET', '/webhooks?per_page=2&page=2');
  expect(next.body.data.map(({ id }: Json) => id)).toEqual(ids.slice(2, 4));

  for (let index = 0; index < 3; index += 1) await own.rest('POST', `/webhooks/${ids[0]}/test`);
  hook.respond(respondWith(500));
  await own.rest('POST', `/webhooks/${ids[0]}/test`);
  const deliveries = await own.rest('GET', `/webhooks/${ids[0]}/deliveries?limit=2`);
  expect(deliveries.body.data.map(({ status }: Json) => status)).toEqual(['failed', 'delivered']);
  const rest = await own.rest('GET', `/webhooks/${ids[0]}/deliveries?limit=2&cursor=${deliveries.body.pagination.next_cursor}`);
  expect(rest.body.data.map(({ status }: Json) => status)).toEqual(['delivered', 'delivered']);
  expect((await own.rest('GET', `/webhooks/${ids[0]}/deliveries?status=failed`)).body.data).toHaveLength(1);
  expect((await own.rest('GET', `/webhooks/${ids[0]}/deliveries?event=ticket.*`)).body.data).toEqual([]);
});
