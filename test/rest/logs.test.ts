import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { createAccount, orderService } from '../billing.setup.ts';
import { eventually, type Rig, rig } from '../rig.ts';
import { type Json, Tenant } from '../tenant.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const MINUTE_MS = 60_000;
const at = (ageMs: number): string => new Date(platform.clock.now().getTime() - ageMs).toISOString();
const send = async (tenant: Tenant, entries: readonly unknown[]): Promise<Json> => {
  const { status, body } = await tenant.rest('POST', '/monitoring/logs', { body: { entries } });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data;
};
const search = async (tenant: Tenant, body: object = {}): Promise<Json> => {
  const response = await tenant.rest('POST', '/monitoring/logs/search', { body });
  expect(response.status, JSON.stringify(response.body)).toBe(200);
  return response.body;
};
const messages = ({ data }: Json): string[] => data.map(({ message }: Json) => message);
const newService = async (tenant: Tenant, accountId?: string): Promise<Json> =>
  (await orderService(tenant, accountId ?? (await createAccount(tenant)).id)).service;
/** Creates a key of the same organization that is limited to these accounts. */
const limitedTo = async (tenant: Tenant, ...accounts: string[]): Promise<Tenant> => {
  const { body } = await tenant.rest('POST', '/auth/api-keys', { body: { name: 'limited', permissions: ['*:*'], accounts } });
  return new Tenant(tenant.origin, tenant.organizationId, body.api_key.key);
};
/** Waits for log entries that the platform itself writes, and returns them. */
const written = (tenant: Tenant, query: string): Promise<Json[]> =>
  eventually(async () => {
    const { data } = await search(tenant, { query });
    return data.length > 0 && data;
  });

describe('sent log entries', () => {
  test('a log entry that was sent is found with all of its fields', async () => {
    const tenant = await platform.organization();
    const entry = {
      message: 'Link lost on port 3',
      level: 'error',
      at: at(MINUTE_MS),
      attributes: { port: 3, site: { name: 'HQ' } },
      trace_id: 'a1',
    };
    expect(await send(tenant, [entry])).toEqual({ accepted: 1, duplicates: 0, refused: [], refused_total: 0 });
    const { data, pagination } = (await tenant.rest('GET', '/monitoring/logs')).body;
    expect(data).toEqual([
      { ...entry, id: expect.stringMatching(/^log_[0-9A-Z]{26}$/), source: 'ingest', service_id: null, request_id: null },
    ]);
    expect(pagination).toEqual({
      ...{ page: 1, per_page: 50, total: 1, is_total_exact: true, pages: 1 },
      ...{ has_more: false, next_cursor: null, scanned_until: null },
    });
  });

  test('each log entry that cannot be stored is refused with a reason, and the other entries are stored', async () => {
    const tenant = await platform.organization();
    const other = await platform.organization();
    const service = await newService(other);
    const result = await send(tenant, [
      { message: 'good' },
      { message: '' },
      { message: 'x', level: 'loud' },
      { message: 'x', at: at(25 * 60 * MINUTE_MS) },
      { message: 'x', at: at(-6 * MINUTE_MS) },
      { message: 'x', service_id: service.id },
      { message: 'ä'.repeat(5000) },
      { message: 'x', attributes: { a: 'b'.repeat(17_000) } },
      { message: 'x', extra: 1 },
      { message: 'x', id: 'one' },
      { message: 'x\u0000' },
      'x',
    ]);
    expect(result).toMatchObject({ accepted: 1, duplicates: 0, refused_total: 11 });
    expect(result.refused.map(({ index, code }: Json) => [index, code])).toEqual([
      [1, 'invalid_entry'],
      [2, 'invalid_entry'],
      [3, 'too_old'],
      [4, 'in_future'],
      [5, 'service_not_found'],
      [6, 'too_large'],
      [7, 'too_large'],
      [8, 'invalid_entry'],
      [9, 'invalid_entry'],
      [10, 'invalid_entry'],
      [11, 'invalid_entry'],
    ]);
    expect(messages(await search(tenant))).toEqual(['good']);
  });

  test('a log entry that is sent again with the same id is stored once, and other organizations can use the same id', async () => {
    const [tenant, other] = [await platform.organization(), await platform.organization()];
    const entries = [
      { message: 'once', id: 'a-1', at: at(MINUTE_MS) },
      { message: 'two', id: 'a-2', at: at(MINUTE_MS) },
    ];
    expect(await send(tenant, entries)).toMatchObject({ accepted: 2, duplicates: 0 });
    expect(await send(tenant, [...entries, { message: 'three' }])).toMatchObject({ accepted: 1, duplicates: 2 });
    expect(await send(other, entries)).toMatchObject({ accepted: 2, duplicates: 0 });
  });

  test('a compressed request body with log entries is accepted, and a body without a list of entries is refused', async () => {
    const tenant = await platform.organization();
    const response = await fetch(`${tenant.origin}/v1/monitoring/logs`, {
      method: 'POST',
      headers: { ...tenant.credentials, 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync(JSON.stringify({ entries: [{ message: 'compressed' }] })),
    });
    expect(response.status).toBe(200);
    for (const body of [{}, { entries: [] }, { entries: 'x' }, [], { entries: Array.from({ length: 1001 }, () => ({ message: 'x' })) }])
      expect((await tenant.rest('POST', '/monitoring/logs', { body })).body.error).toMatchObject({
        code: 'INVALID_PARAMETERS',
        details: { field: 'entries' },
      });
    expect(
      (await tenant.rest('POST', '/monitoring/logs', { body: { entries: [{ message: 'x' }], more: 1 } })).body.error.details.field,
    ).toBe('more');
  });

  test('sending log entries requires monitoring:write, and reading them requires monitoring:read', async () => {
    const tenant = await platform.organization();
    const [reader, writer] = [await tenant.limitedTo('monitoring:read'), await tenant.limitedTo('monitoring:write')];
    expect((await reader.rest('POST', '/monitoring/logs', { body: { entries: [{ message: 'x' }] } })).status).toBe(403);
    expect((await writer.rest('POST', '/monitoring/logs', { body: { entries: [{ message: 'x' }] } })).status).toBe(200);
    expect((await writer.rest('GET', '/monitoring/logs')).status).toBe(403);
    expect((await reader.rest('GET', '/monitoring/logs')).status).toBe(200);
    expect((await new Tenant(tenant.origin, '', '').rest('POST', '/monitoring/logs', { body: {} })).status).toBe(401);
  });

  test('a plan limits the number of log entries per minute, and a request beyond the limit stores nothing', async () => {
    const tenant = await platform.organization({ plan: 'developer' });
    const entries = Array.from({ length: 990 }, (_, index) => ({ message: `entry ${index}` }));
    expect((await send(tenant, entries)).accepted).toBe(990);
    const { status, body, headers } = await tenant.rest('POST', '/monitoring/logs', { body: { entries: entries.slice(0, 20) } });
    expect([status, body.error.code, body.error.details.window]).toEqual([429, 'RATE_LIMIT_EXCEEDED', 'log_entries']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('secrets are removed from a log entry before it is stored', async () => {
    const tenant = await platform.organization();
    await send(tenant, [
      {
        message: `login with ${tenant.apiKey} and card 4242 4242 4242 4242`,
        attributes: { password: 'hunter2', headers: { Authorization: 'Bearer abc', accept: '*/*' }, note: 'whsec_0123456789abcdef' },
      },
    ]);
    const [entry] = (await search(tenant)).data;
    expect(entry).toMatchObject({
      message: 'login with [redacted] and card [redacted]',
      attributes: { password: '[redacted]', headers: { Authorization: '[redacted]', accept: '*/*' }, note: '[redacted]' },
    });
    const key = tenant.apiKey.slice(8, 30);
    expect((await search(tenant, { query: key })).data).toEqual([]);
    expect((await search(tenant, { query: 'password:hunter2' })).data).toEqual([]);
  });
});

describe('log search', () => {
  test('a log search can combine words, phrases, fields, negation and levels', async () => {
    const tenant = await platform.organization();
    await send(tenant, [
      { message: 'Order refused by the carrier', level: 'error', at: at(5 * MINUTE_MS), attributes: { http: { status: 503 } } },
      { message: 'Order refused: by the Carrier, again', level: 'warn', at: at(4 * MINUTE_MS), attributes: { retry: true } },
      { message: 'The carrier refused', level: 'info', at: at(3 * MINUTE_MS), request_id: 'req_1' },
    ]);
    const [first, second, third] = ['Order refused by the carrier', 'Order refused: by the Carrier, again', 'The carrier refused'];
    for (const [query, found] of [
      ['REFUSED', [third, second, first]],
      ['"by the carrier"', [second, first]],
      ['"the carrier refused"', [third]],
      ['refused -again', [third, first]],
      ['-"by the carrier"', [third]],
      ['http.status:503', [first]],
      ['refused -retry:true', [third, first]],
      ['request_id:req_1', [third]],
      ['source:ingest again', [second]],
      ['nothing', []],
    ] as const)
      expect(messages(await search(tenant, { query })), query).toEqual(found);
    expect(messages(await search(tenant, { query: 'refused', levels: ['error', 'info'] }))).toEqual([third, first]);
    expect(messages(await search(tenant, { request_id: 'req_1' }))).toEqual([third]);
    expect(messages(await search(tenant, { from: at(4.5 * MINUTE_MS), to: at(3.5 * MINUTE_MS) }))).toEqual([second]);
    const { body } = await tenant.rest('GET', '/monitoring/logs?query=%22by%20the%20carrier%22&levels=warn,error&limit=1');
    expect([messages(body), body.pagination.has_more]).toEqual([[second], true]);
  });

  test('an error in a log query states its position', async () => {
    const tenant = await platform.organization();
    for (const [query, reason] of [
      ['a "b', 'has a quotation mark without an end at position 3'],
      ['status:', 'needs a value after status: at position 1'],
      ['x '.repeat(600), 'must have at most 1000 characters'],
    ]) {
      const { status, body } = await tenant.rest('POST', '/monitoring/logs/search', { body: { query } });
      expect([status, body.error.details.field, body.error.details.reason]).toEqual([400, 'query', reason]);
    }
  });

  test('a log search has a total, and reading it by page or by cursor returns the same entries', async () => {
    const tenant = await platform.organization();
    const service = await newService(tenant);
    const sent = Array.from({ length: 60 }, (_, n) => ({ message: `entry ${n}`, at: at(n * 20 * MINUTE_MS), service_id: service.id }));
    await send(tenant, [...sent, { message: 'no service' }]);
    const list = async (query: Json): Promise<Json> =>
      (await tenant.rest('GET', `/monitoring/logs/${service.id}?${new URLSearchParams({ query: 'entry', per_page: '25', ...query })}`))
        .body;
    const pages = await Promise.all([1, 2, 3, 4].map((page) => list({ page })));
    expect(pages.flatMap(messages)).toEqual(sent.map(({ message }) => message));
    expect(pages.map(({ pagination }) => [pagination.page, pagination.total, pagination.pages, pagination.has_more])).toEqual([
      [1, 60, 3, true],
      [2, 60, 3, true],
      [3, 60, 3, false],
      [4, 60, 3, false],
    ]);
    const rest = await list({ cursor: pages[1].pagination.next_cursor });
    expect([messages(rest), rest.pagination.total, rest.pagination.page]).toEqual([messages(pages[2]), 60, 1]);
    const { pagination } = (await tenant.rest('GET', '/monitoring/logs?per_page=1&query="no service"')).body;
    expect(pagination).toMatchObject({ page: 1, per_page: 1, total: 1, is_total_exact: true, pages: 1, has_more: false });
  });

  test('log entries are counted up to 10,000, and page numbers end at this count', async () => {
    const tenant = await platform.organization({ plan: 'enterprise' });
    for (let batch = 0; batch < 11; batch += 1)
      await send(
        tenant,
        Array.from({ length: batch < 10 ? 1000 : 5 }, (_, n) => ({ message: 'x', at: at(batch * 30 * MINUTE_MS + n) })),
      );
    const { pagination } = (await tenant.rest('GET', '/monitoring/logs')).body;
    expect(pagination).toMatchObject({ total: 10_000, is_total_exact: false, pages: 200, has_more: true });
    const last = (await tenant.rest('GET', '/monitoring/logs?page=200')).body;
    expect([last.data.length, last.pagination.has_more]).toEqual([50, true]);
    for (const [query, field] of [
      ['page=201', 'page'],
      ['page=0', 'page'],
      ['page=2&cursor=x', 'page'],
      ['per_page=5&limit=6', 'limit'],
      ['per_page=201', 'per_page'],
    ]) {
      const { status, body } = await tenant.rest('GET', `/monitoring/logs?${query}`);
      expect([status, body.error.details.errors.map((one: Json) => one.field)], query).toEqual([400, [field]]);
    }
  });

  test('a log search over more than 31 days, with an end before the start, or with the cursor of another search is refused', async () => {
    const tenant = await platform.organization();
    await send(tenant, [{ message: 'one' }, { message: 'two' }]);
    const { pagination } = await search(tenant, { limit: 1 });
    const DAY_MS = 24 * 60 * MINUTE_MS;
    for (const [body, field] of [
      [{ from: at(32 * DAY_MS) }, 'from'],
      [{ from: at(0), to: at(DAY_MS) }, 'from'],
      [{ limit: 1, cursor: pagination.next_cursor, query: 'one' }, 'cursor'],
      [{ cursor: 'x' }, 'cursor'],
      [{ limit: 201 }, 'limit'],
      [{ levels: ['loud'] }, 'levels.0'],
      [{ service_ids: Array.from({ length: 51 }, () => 'svc_x') }, 'service_ids'],
      [{ unknown: 1 }, 'unknown'],
    ] as const) {
      const response = await tenant.rest('POST', '/monitoring/logs/search', { body });
      expect([response.status, response.body.error?.details.field], JSON.stringify(body)).toEqual([400, field]);
    }
  });

  test('an organization never sees log entries of another organization', async () => {
    const [tenant, other] = [await platform.organization(), await platform.organization()];
    await send(tenant, [{ message: 'private words' }]);
    expect((await search(other, { query: 'private' })).data).toEqual([]);
    expect((await search(other, {})).data).toEqual([]);
  });

  test('the log of a service is found by its id, and the log of a service of another organization returns 404', async () => {
    const [tenant, other] = [await platform.organization(), await platform.organization()];
    const service = await newService(tenant);
    await send(tenant, [{ message: 'about it', service_id: service.id }, { message: 'about nothing' }]);
    const { status, body } = await tenant.rest('GET', `/monitoring/logs/${service.id}?query=about`);
    expect([status, messages(body)]).toEqual([200, ['about it']]);
    for (const [caller, id] of [
      [other, service.id],
      [tenant, 'svc_unknown'],
    ] as const) {
      const missing = await caller.rest('GET', `/monitoring/logs/${id}`);
      expect([missing.status, missing.body.error.details.resource]).toEqual([404, 'service']);
    }
    expect((await search(other, { service_ids: [service.id] })).data).toEqual([]);
  });

  test('a caller who is limited to accounts sees only log entries about services of these accounts', async () => {
    const tenant = await platform.organization();
    const [one, two] = [await createAccount(tenant, 'One'), await createAccount(tenant, 'Two')];
    const [mine, theirs] = [await newService(tenant, one.id), await newService(tenant, two.id)];
    await send(tenant, [{ message: 'mine', service_id: mine.id }, { message: 'theirs', service_id: theirs.id }, { message: 'nobody' }]);
    const limited = await limitedTo(tenant, one.id);
    expect(messages(await search(limited, { query: 'source:ingest' }))).toEqual(['mine']);
    expect((await limited.rest('GET', `/monitoring/logs/${theirs.id}`)).status).toBe(404);
    expect((await limited.rest('GET', `/monitoring/logs/${mine.id}`)).status).toBe(200);
    const result = await send(limited, [{ message: 'x', service_id: mine.id }, { message: 'x', service_id: theirs.id }, { message: 'x' }]);
    expect(result).toMatchObject({
      accepted: 1,
      refused: [
        { index: 1, code: 'service_not_found' },
        { index: 2, code: 'service_not_found' },
      ],
    });
  });

  test('a log search over GraphQL returns the same entries as over REST', async () => {
    const tenant = await platform.organization();
    await send(tenant, [{ message: 'for GraphQL', level: 'warn' }]);
    const { data, errors } = await tenant.graphql(
      '{ logs(query: "graphql", levels: [WARN], limit: 5) { nodes { message level attributes } pageInfo { hasMore scannedUntil } } }',
    );
    expect(errors).toBeUndefined();
    expect(data.logs).toEqual({
      nodes: [{ message: 'for GraphQL', level: 'WARN', attributes: {} }],
      pageInfo: { hasMore: false, scannedUntil: null },
    });
  });
});

describe('log entries of the platform', () => {
  test('a refused request is in the log of the organization with its code, its request id and its caller', async () => {
    const tenant = await platform.organization();
    const refused = await tenant.rest('POST', '/support/tickets?token=secret', { body: { title: '' } });
    expect(refused.status).toBe(400);
    const [entry] = await written(tenant, 'source:request');
    expect(entry).toMatchObject({
      level: 'warn',
      source: 'request',
      message: expect.stringMatching(/^POST \/v1\/support\/tickets 400 INVALID_PARAMETERS: /),
      request_id: refused.body.error.request_id,
      attributes: { method: 'POST', path: '/v1/support/tickets', status: 400, code: 'INVALID_PARAMETERS', caller: { type: 'api_key' } },
    });
    expect(JSON.stringify(entry)).not.toContain('secret');
    expect(messages(await search(tenant, { request_id: entry?.request_id }))).toHaveLength(1);
  });

  test('a GraphQL request with an error is in the log of the organization, although its status is 200', async () => {
    const tenant = await platform.organization();
    const limited = await tenant.limitedTo('monitoring:read');
    await limited.graphql('{ tickets { nodes { id } } }');
    const [entry] = await written(tenant, 'path:/graphql');
    expect(entry).toMatchObject({ level: 'warn', attributes: { status: 200, code: 'INSUFFICIENT_PERMISSIONS' } });
  });

  test('a request about a service is in the log of the service, and a request without credentials is in no log', async () => {
    const tenant = await platform.organization();
    const service = await newService(tenant);
    expect((await tenant.rest('PUT', `/services/${service.id}`, { body: { nonsense: true } })).status).toBe(400);
    const entries = await eventually(async () => {
      const { body } = await tenant.rest('GET', `/monitoring/logs/${service.id}?query=source:request`);
      return body.data.length > 0 && body.data;
    });
    expect(entries[0]).toMatchObject({ service_id: service.id, message: expect.stringContaining(`PUT /v1/services/${service.id} 400`) });
  });

  test('changes of the status of a service are in its log', async () => {
    const tenant = await platform.organization();
    const service = await newService(tenant);
    const entries = await eventually(async () => {
      const { body } = await tenant.rest('GET', `/monitoring/logs/${service.id}?query=to:operational`);
      return body.data.length > 0 && body.data;
    });
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({
      source: 'service',
      level: 'info',
      service_id: service.id,
      attributes: { event: 'service.status_changed', to: 'operational' },
    });
  });

  test('a failed delivery to a webhook is in the log of the organization', async () => {
    const tenant = await platform.organization();
    const { body } = await tenant.rest('POST', '/webhooks', { body: { url: 'http://127.0.0.1:9/hook', events: ['ticket.*'] } });
    expect(body.data ?? body.webhook, JSON.stringify(body)).toBeDefined();
    await tenant.rest('POST', '/support/tickets', {
      body: { title: 'Down', description: 'No light', category: 'voice', priority: 'high' },
    });
    const [entry] = await written(tenant, 'source:webhook event:ticket.created');
    expect(entry).toMatchObject({ level: 'warn', message: expect.stringContaining('failed in attempt 1'), attributes: { attempt: 1 } });
  });

  test('if an organization sends refused requests in a loop, log entries are dropped, and the log states the number of dropped entries', async () => {
    const tenant = await platform.organization();
    const { organizationLog } = platform.assembly;
    for (let index = 0; index < 2_000; index += 1)
      organizationLog.write({ organizationId: tenant.organizationId, level: 'info', source: 'job', message: `loop ${index}` });
    const [entry] = await written(tenant, 'source:log');
    // the minute may end meanwhile
    expect(entry?.attributes.missing).toBeGreaterThanOrEqual(800);
    const { data, pagination } = await search(tenant, { query: 'loop', limit: 200 });
    expect([data.length, pagination.has_more]).toEqual([200, true]);
  });
});
