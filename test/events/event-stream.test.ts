import { beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Rig, rig } from '../rig.ts';
import { Tenant } from '../tenant.ts';
import { receiver } from './receiver.ts';
import { SseClient } from './sse.client.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const openTicket = async (tenant: Tenant, title = 'Line is down'): Promise<string> =>
  (await tenant.rest('POST', '/support/tickets', { body: { title, description: 'Dead.' } })).body.ticket.number;
const numbersOf = ({ frames }: SseClient): string[] => frames.map(({ data }) => JSON.parse(data).data.ticket.number);
const refusal = async (...args: Parameters<typeof SseClient.open>): Promise<unknown> =>
  SseClient.open(...args).then(
    () => expect.unreachable('it was opened'),
    (error: unknown) => error,
  );

describe('event stream', () => {
  test('the event stream sends each event with its id, its name and the same JSON text as a webhook', async () => {
    const tenant = await platform.organization();
    const hook = await receiver();
    await tenant.rest('POST', '/webhooks', { body: { url: hook.url, events: ['ticket.*'] } });
    const stream = await SseClient.open(tenant, '?events=ticket.*');
    expect(stream.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-request-id': expect.stringMatching(/^req_/),
      'x-ratelimit-limit': '100000',
    });
    await openTicket(tenant, 'Ünïcode "title" \u2028\n');
    const frame = await eventually(() => stream.frames[0]);
    const arrival = await eventually(() => hook.arrivals.find(({ headers }) => headers['webhook-id'] === frame.id));
    expect(frame.event).toBe('ticket.created');
    expect(arrival.text.replace(/,"signature":"sha256=[0-9a-f]{64}"}$/, '}')).toBe(frame.data);
    expect(stream.retry).toBeGreaterThan(0);
  });

  test('the event stream resumes after the event in Last-Event-ID or in the parameter "after" without lost or repeated events', async () => {
    const tenant = await platform.organization();
    const first = await SseClient.open(tenant);
    const numbers = [await openTicket(tenant)];
    const start = await eventually(() => first.lastEventId);
    numbers.push(await openTicket(tenant));
    await eventually(() => first.frames.length === 2);
    first.drop();
    for (let index = 0; index < 3; index += 1) numbers.push(await openTicket(tenant));

    const back = await SseClient.open(tenant, `?after=${start}`, { 'last-event-id': first.lastEventId });
    await eventually(() => back.frames.length === 3);
    numbers.push(await openTicket(tenant));
    await eventually(() => back.frames.length === 4);
    expect([...numbersOf(first), ...numbersOf(back)]).toEqual(numbers);

    const byQuery = await SseClient.open(tenant, `?after=${start}`);
    await eventually(() => byQuery.frames.length === 5);
    expect(numbersOf(byQuery)).toEqual(numbers.slice(1));
  });

  test('the event stream can be filtered by event patterns, subject and account', async () => {
    const tenant = await platform.organization();
    const all = await SseClient.open(tenant);
    const number = await openTicket(tenant);
    const after = await eventually(() => all.lastEventId);
    const { id } = JSON.parse(all.frames[0]?.data ?? '').data.ticket;
    const queries = [
      'events=ticket.updated,invoice.*',
      'events=ticket.updated&events=invoice.*',
      `subject_id=${id}`,
      'account_id=acc_none',
    ];
    const streams = await Promise.all(queries.map((query) => SseClient.open(tenant, `?${query}&after=${after}`)));
    await openTicket(tenant);
    await tenant.rest('PUT', `/support/tickets/${id}`, { body: { status: 'in_progress' } });
    await eventually(() => all.frames.length === 3);
    await eventually(() => streams.slice(0, 3).every(({ frames }) => frames.length === 1));
    expect(streams.map((stream) => stream.frames.map(({ event }) => event))).toEqual([
      ['ticket.updated'],
      ['ticket.updated'],
      ['ticket.updated'],
      [],
    ]);
    expect(streams.slice(0, 3).flatMap(numbersOf)).toEqual([number, number, number]);
  });

  test.each([
    ['?events=ticket.*,ticket.exploded', {}, 400, { code: 'INVALID_PARAMETERS', details: { field: 'events.1', value: 'ticket.exploded' } }],
    ['?after=evt_unknown', {}, 400, { code: 'INVALID_PARAMETERS', details: { field: 'after', value: 'evt_unknown' } }],
    ['', { 'last-event-id': 'evt_unknown' }, 400, { code: 'INVALID_PARAMETERS', details: { field: 'after', value: 'evt_unknown' } }],
    ['?event=ticket.*', {}, 400, { code: 'INVALID_PARAMETERS', details: { field: 'event' } }],
    ['', { accept: 'application/json' }, 400, { code: 'INVALID_PARAMETERS', details: { field: 'Accept' } }],
    ['', { 'api-version': '1999-01-01' }, 400, { code: 'UNSUPPORTED_VERSION' }],
    ['', { authorization: 'Bearer sk_live_none' }, 401, { code: 'INVALID_CREDENTIALS' }],
  ])('an invalid event stream request returns a JSON error instead of a stream: %s %j', async (query, headers, status, error) => {
    expect(await refusal(await platform.organization(), query, headers)).toMatchObject({ status, body: { error } });
  });

  test('the event stream requires webhooks:read and sends only events that the caller may read', async () => {
    const tenant = await platform.organization();
    expect(await refusal(await tenant.limitedTo('support:read'))).toMatchObject({
      status: 403,
      body: { error: { code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'webhooks:read' } } },
    });
    const limited = await SseClient.open(await tenant.limitedTo('webhooks:read', 'billing:read'));
    const other = await SseClient.open(await platform.organization());
    const all = await SseClient.open(tenant);
    await openTicket(tenant);
    await eventually(() => all.frames.length === 1);
    expect([limited.frames, other.frames]).toEqual([[], []]);
  });

  test('the event stream path responds to HEAD and OPTIONS, and POST returns 405', async () => {
    const tenant = await platform.organization();
    const head = await tenant.rest('HEAD', '/events/stream');
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    expect((await tenant.rest('OPTIONS', '/events/stream')).headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect((await tenant.rest('POST', '/events/stream', { body: {} })).status).toBe(405);
  });
});

describe('open event streams', () => {
  test('an open event stream is closed when its API key is deleted', async () => {
    const tenant = await platform.organization();
    const { body } = await tenant.rest('POST', '/auth/api-keys', { body: { name: 'Dashboard', permissions: ['webhooks:read'] } });
    const stream = await SseClient.open(new Tenant(tenant.origin, tenant.organizationId, body.api_key.key));
    expect((await tenant.rest('DELETE', `/auth/api-keys/${body.api_key.id}`)).status).toBe(200);
    await eventually(() => stream.isClosed);
  });

  test('an open event stream is closed when its API key loses one of its read permissions', async () => {
    const tenant = await platform.organization();
    const permissions = ['webhooks:read', 'support:read', 'billing:read'];
    const { body } = await tenant.rest('POST', '/auth/api-keys', { body: { name: 'Dashboard', permissions } });
    const stream = await SseClient.open(new Tenant(tenant.origin, tenant.organizationId, body.api_key.key));
    await openTicket(tenant);
    await eventually(() => stream.frames.length === 1);
    const change = { permissions: ['webhooks:read', 'billing:read'] };
    expect((await tenant.rest('PUT', `/auth/api-keys/${body.api_key.id}`, { body: change })).status).toBe(200);
    // the change applies to open connections shortly after its response
    await eventually(async () => {
      await openTicket(tenant);
      return stream.isClosed;
    });
  });

  test("an event stream counts as a live connection until its client disconnects, and a stream beyond the plan's limit returns 429", async () => {
    const tenant = await platform.organization({ plan: 'developer' });
    const { concurrent, liveConnections } = { concurrent: 10, liveConnections: 10 };
    const streams = await Promise.all(Array.from({ length: liveConnections }, () => SseClient.open(tenant)));
    expect(streams.length).toBe(concurrent);
    // if streams used slots, no slot of the plan would be free
    expect((await tenant.rest('GET', '/support/tickets')).status).toBe(200);
    expect(await refusal(tenant)).toMatchObject({
      status: 429,
      body: { error: { code: 'RATE_LIMIT_EXCEEDED', details: { window: 'live_connections', limit: liveConnections } } },
    });
    streams[0]?.drop();
    await eventually(() => SseClient.open(tenant).catch(() => undefined));
  });
});
