import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Principal } from '../../kernel/access/principal.ts';
import { Secrets } from '../../kernel/access/secrets.ts';
import { fingerprintOf, type IdempotencyStore, idempotencyScope, respondOnce } from '../../kernel/idempotency/idempotency.ts';
import { idempotencyMigrations } from '../../kernel/idempotency/migrations.ts';
import { type Row, SqlIdempotencyStore } from '../../kernel/idempotency/store.ts';
import { eventually } from '../rig.ts';
import { startToyApp, type ToyApp } from './fixtures/toy-app.ts';

let database: PGlite;
let store: SqlIdempotencyStore;
let toy: ToyApp;
let number = 0;
let key = '';

beforeAll(async () => {
  database = await PGlite.create();
  store = new SqlIdempotencyStore(
    { query: async (text, params) => (await database.query<Row>(text, [...params])).rows },
    new Secrets(['a secret for tests that is long enough']),
  );
  await database.exec('create schema bridge');
  for (const { statements } of idempotencyMigrations) for (const statement of statements) await database.exec(statement);
  toy = await startToyApp(store);
});
beforeEach(() => {
  number += 1;
  key = `key-${number}`;
});
afterAll(async () => {
  await toy.app.close();
  await database.close();
});

const order = (title = 'T') => ({ title, description: 'D' });
const create = (payload: object, options: { as?: string; url?: string; sent?: string } = {}) =>
  toy.send({
    method: 'POST',
    url: options.url ?? '/v1/support/tickets',
    payload,
    as: options.as,
    headers: { 'idempotency-key': options.sent ?? key },
  });
const later = (age: string) =>
  database.query(
    `update bridge.idempotency_key set created_at = created_at - interval '${age}', leased_until = leased_until - interval '${age}' where key = $1`,
    [key],
  );

describe('POST with an Idempotency-Key', () => {
  test('a repeated POST with the same Idempotency-Key is not run again and returns the first response with the header Idempotent-Replayed', async () => {
    const before = toy.desk.tickets.length;
    const [first, again] = [await create(order()), await create(order())];
    expect([first.statusCode, again.statusCode, toy.desk.tickets.length - before]).toEqual([201, 201, 1]);
    expect(again.body).toBe(first.body);
    expect([first.headers['idempotent-replayed'], again.headers['idempotent-replayed']]).toEqual([undefined, 'true']);
    expect(again.headers['content-type']).toBe(first.headers['content-type']);
  });

  test('the request id in the body of a replayed response equals the X-Request-Id header of this response', async () => {
    await create({ label: 'L', description: 'D' }, { url: '/v1/toys' });
    const again = await create({ label: 'L', description: 'D' }, { url: '/v1/toys' });
    expect(again.json()).toMatchObject({ metadata: { request_id: again.headers['x-request-id'] } });
  });

  test('reusing an Idempotency-Key with another body or path returns 409 IDEMPOTENCY_CONFLICT', async () => {
    await create(order());
    for (const other of [await create(order('other')), await create({ label: 'T', description: 'D' }, { url: '/v1/toys' })]) {
      expect(other.statusCode).toBe(409);
      expect(other.json()).toMatchObject({ error: { code: 'IDEMPOTENCY_CONFLICT' } });
    }
  });

  test('reusing an Idempotency-Key with a body that differs only in a nested value returns 409', async () => {
    const of = (email: string) => ({ ...order(), contact: { name: 'Ada', email }, metadata: { site: { floor: 1 } } });
    expect((await create(of('ada@example.com'))).statusCode).toBe(201);
    expect((await create(of('ada@example.org'))).statusCode).toBe(409);
    expect((await create({ ...of('ada@example.com'), metadata: { site: { floor: 2 } } })).statusCode).toBe(409);
    expect((await create(of('ada@example.com'))).headers['idempotent-replayed']).toBe('true');
  });

  test('two callers can use the same Idempotency-Key for different requests', async () => {
    const first = await create(order());
    const other = await create(order('mine'), { as: 'ak_2' });
    expect([other.statusCode, other.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expect(other.body).not.toBe(first.body);
  });

  test('of five concurrent requests with the same Idempotency-Key, one runs and the others return 409 IDEMPOTENCY_CONFLICT', async () => {
    const before = toy.desk.tickets.length;
    let open = () => {};
    toy.desk.gate = new Promise((resolve) => (open = resolve));
    let refused = 0;
    const sent = Array.from({ length: 5 }, async () => {
      const response = await create(order());
      refused += 1;
      if (refused === 4) open();
      return response;
    });
    const responses = await Promise.all(sent);
    toy.desk.gate = Promise.resolve();
    expect(responses.filter(({ statusCode }) => statusCode === 201).length).toBe(1);
    expect(toy.desk.tickets.length - before).toBe(1);
    const waiting = responses.find(({ statusCode }) => statusCode === 409);
    expect(waiting?.json()).toMatchObject({
      error: { code: 'IDEMPOTENCY_CONFLICT', message: expect.stringContaining('is still running') as string },
    });
  });

  test('after a 500 response, a request with the same Idempotency-Key runs again', async () => {
    expect([(await create(order('breaks'))).statusCode, (await create(order('breaks'))).statusCode]).toEqual([500, 500]);
    expect((await create(order('works'))).statusCode).toBe(201);
  });

  test('repeating a POST that failed with 500 after its commit returns the same 500 response and makes no second change', async () => {
    const before = toy.desk.tickets.length;
    const [first, again] = [await create(order('breaks later')), await create(order('breaks later'))];
    expect([first.statusCode, again.statusCode, again.headers['idempotent-replayed']]).toEqual([500, 500, 'true']);
    expect(toy.desk.tickets.length - before).toBe(1);
  });

  test('an Idempotency-Key can be used again after a request with invalid input', async () => {
    expect((await create({ title: 'T' })).statusCode).toBe(400);
    expect((await create(order())).statusCode).toBe(201);
  });

  test('a 409 INVALID_STATE response is stored, and replayed for a request with the same Idempotency-Key', async () => {
    const [first, again] = [await create(order('refused')), await create(order('refused'))];
    expect([first.statusCode, again.statusCode, again.headers['idempotent-replayed']]).toEqual([409, 409, 'true']);
    expect(again.json()).toMatchObject({ error: { code: 'INVALID_STATE', request_id: again.headers['x-request-id'] } });
    expect(again.body).toBe(first.body);
  });

  test('an Idempotency-Key can be used for a different request after 24 hours', async () => {
    const first = await create(order());
    await later('23 hours 59 minutes');
    expect((await create(order())).body).toBe(first.body);
    await later('2 minutes');
    const fresh = await create(order('other'));
    expect([fresh.statusCode, fresh.headers['idempotent-replayed']]).toEqual([201, undefined]);
  });

  test('an Idempotency-Key that does not have 1 to 255 printable characters returns INVALID_PARAMETERS', async () => {
    for (const sent of ['', 'x'.repeat(256), 'tab\there']) {
      expect((await create(order(), { sent })).json()).toMatchObject({
        error: { code: 'INVALID_PARAMETERS', details: { field: 'Idempotency-Key' } },
      });
    }
    expect((await create(order(), { sent: `${'x'.repeat(250)}${number}` })).statusCode).toBe(201);
  });

  test('two unauthenticated requests to a public operation with the same Idempotency-Key both run', async () => {
    const [first, other] = [await create(order(), { url: '/v1/public/toys' }), await create(order(), { url: '/v1/public/toys' })];
    expect([first.statusCode, other.statusCode, other.headers['idempotent-replayed']]).toEqual([201, 201, undefined]);
  });

  test('a POST that only reads records ignores the Idempotency-Key', async () => {
    for (const status of ['open', 'resolved'])
      expect((await create({ filters: { status: [status] } }, { url: '/v1/support/tickets/search' })).statusCode).toBe(200);
  });
});

test('if storing the idempotent response fails, the caller still gets the response and the failure is logged', async () => {
  const failing = {
    extendEveryMs: 60_000,
    extend: () => Promise.resolve(),
    begin: (...args: Parameters<typeof store.begin>) => store.begin(...args),
    complete: () => Promise.reject(new Error('gone')),
    abandon: () => Promise.reject(new Error('gone')),
  };
  const other = await startToyApp(failing);
  const send = (payload: object, sent: string) =>
    other.send({ method: 'POST', url: '/v1/support/tickets', payload, headers: { 'idempotency-key': sent } });
  expect([(await send(order(), `${key}-a`)).statusCode, (await send(order('breaks'), `${key}-b`)).statusCode]).toEqual([201, 500]);
  const unstored = 'The response for an Idempotency-Key could not be stored';
  expect(other.logged.map(({ msg }) => msg)).toEqual([unstored, unstored, 'request failed']);
  await other.app.close();
});

test('a running request extends its idempotency lease until the request ends', async () => {
  const scope = { organizationId: 'org_1', callerId: 'ak_9' };
  const extended: string[] = [];
  const impatient: IdempotencyStore = {
    extendEveryMs: 1,
    begin: (...args) => store.begin(...args),
    complete: (...args) => store.complete(...args),
    abandon: (...args) => store.abandon(...args),
    extend: async (_, extendedKey, lease) => void extended.push(`${extendedKey} ${lease}`),
  };
  const claim = { store: impatient, scope, key, fingerprint: 'one', lost: () => undefined };
  const slow = async () => {
    await eventually(() => extended.length >= 3);
    return { status: 201, body: '{}', headers: {} };
  };
  await respondOnce(claim, slow, () => ({ status: 500, body: '', headers: {} }));
  const count = extended.length;
  expect(new Set(extended).size).toBe(1);
  expect(extended[0]).toMatch(key);
  await respondOnce({ ...claim, key: `${key}-next` }, slow, () => ({ status: 500, body: '', headers: {} }));
  expect(extended.filter((one) => one.startsWith(`${key} `))).toHaveLength(count);
});

describe('idempotency store', () => {
  const scope = { organizationId: 'org_1', callerId: 'ak_9' };
  const response = { status: 201, body: '{}', headers: { a: 'b' } };

  test('an idempotency lease that is extended after 50 seconds is valid for another 60 seconds', async () => {
    const begun = await store.begin(scope, key, 'one');
    if (begun.state !== 'new') throw new Error('not claimed');
    await later('50 seconds');
    await store.extend(scope, key, begun.lease);
    await later('50 seconds');
    expect(await store.begin(scope, key, 'one')).toEqual({ state: 'running' });
    await later('11 seconds');
    expect(await store.begin(scope, key, 'one')).toMatchObject({ state: 'new' });
  });

  test('the idempotency lease of a crashed process can be acquired after 60 seconds, but only for the same request', async () => {
    expect(await store.begin(scope, key, 'one')).toMatchObject({ state: 'new' });
    await later('59 seconds');
    expect(await store.begin(scope, key, 'one')).toEqual({ state: 'running' });
    await later('2 seconds');
    expect(await store.begin(scope, key, 'other')).toEqual({ state: 'conflict' });
    expect(await store.begin(scope, key, 'one')).toMatchObject({ state: 'new' });
  });

  test('a request whose idempotency lease expired can neither store a response nor release the key', async () => {
    const lost = await store.begin(scope, key, 'one');
    await later('61 seconds');
    const held = await store.begin(scope, key, 'one');
    if (lost.state !== 'new' || held.state !== 'new') throw new Error('not claimed');
    await store.complete(scope, key, lost.lease, response);
    await store.abandon(scope, key, lost.lease);
    expect(await store.begin(scope, key, 'one')).toEqual({ state: 'running' });
    await store.complete(scope, key, held.lease, response);
    expect(await store.begin(scope, key, 'one')).toEqual({ state: 'replay', ...response });
  });

  test('the retention job deletes idempotency keys that are older than 24 hours', async () => {
    await store.begin(scope, key, 'one');
    await later('25 hours');
    await store.retained.delete();
    expect((await database.query('select 1 from bridge.idempotency_key where key = $1', [key])).rows).toEqual([]);
  });
});

describe('idempotency keys of OAuth clients', () => {
  const user = { kind: 'user', id: 'user_1', organizationId: 'org_1', plan: 'business', grants: [] } as const;
  const by = (clientId?: string, sessionId?: string) => idempotencyScope(new Principal({ ...user, clientId, sessionId }));
  const response = { status: 201, body: '{"n":1}', headers: {} };
  /** The scope that the previous release uses for all OAuth clients of a user. */
  const former = { organizationId: 'org_1', callerId: 'user_1' };

  test("a user's idempotency keys are separate for each OAuth client and shared by all sessions of one client", async () => {
    expect(by('client_1', 'sess_1')).toEqual(by('client_1', 'sess_2'));
    expect(by(undefined, 'sess_1')).toEqual({ organizationId: 'org_1', callerId: 'user_1' });
    const first = await store.begin(by('client_1'), key, 'one');
    const other = await store.begin(by('client_2'), key, 'one');
    expect([first.state, other.state]).toEqual(['new', 'new']);
    if (first.state === 'new') await store.complete(by('client_1'), key, first.lease, response);
    expect(await store.begin(by('client_1'), key, 'one')).toEqual({ state: 'replay', ...response });
    expect((await store.begin(by('client_2'), key, 'one')).state).toBe('running');
    expect((await store.begin(by('client_1'), key, 'two')).state).toBe('conflict');
  });

  test('an idempotent request that the previous release is running or has completed is not run again by the current release', async () => {
    const begun = await store.begin(former, key, 'one');
    expect((await store.begin(by('client_1'), key, 'one')).state).toBe('running');
    if (begun.state === 'new') await store.complete(former, key, begun.lease, response);
    expect(await store.begin(by('client_1'), key, 'one')).toEqual({ state: 'replay', ...response });
    // a request with another fingerprint could belong to another OAuth client
    expect((await store.begin(by('client_1'), key, 'two')).state).toBe('new');
  });

  test('an idempotent request that the current release is running or has completed is not run again by the previous release', async () => {
    const begun = await store.begin(by('client_1'), key, 'one');
    expect((await store.begin(former, key, 'one')).state).toBe('running');
    if (begun.state === 'new') await store.complete(by('client_1'), key, begun.lease, response);
    expect(await store.begin(former, key, 'one')).toEqual({ state: 'replay', ...response });
  });

  test('after a request fails, a process of the previous release can use the idempotency key of this request again', async () => {
    const begun = await store.begin(by('client_1'), key, 'one');
    if (begun.state === 'new') await store.abandon(by('client_1'), key, begun.lease);
    expect((await store.begin(former, key, 'one')).state).toBe('new');
  });
});

test('the stored request fingerprint is a keyed hash, so that a password in the body cannot be guessed from it', async () => {
  await create(order());
  const { rows } = await database.query<{ fingerprint: string }>('select fingerprint from bridge.idempotency_key where key = $1', [key]);
  expect(rows).toHaveLength(1);
  expect(rows[0]?.fingerprint).not.toBe(fingerprintOf('POST', '/v1/support/tickets', order()));
  expect((await create(order())).headers['idempotent-replayed']).toBe('true');
});
