import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Principal } from '../../kernel/access/principal.ts';
import { Secrets } from '../../kernel/access/secrets.ts';
import { answerOnce, fingerprintOf, type IdempotencyStore, idempotencyScope } from '../../kernel/idempotency/idempotency.ts';
import { idempotencyMigrations } from '../../kernel/idempotency/migrations.ts';
import { type Row, SqlIdempotencyStore } from '../../kernel/idempotency/store.ts';
import { eventually } from '../rig.ts';
import { startToyApp, type ToyApp } from './fixtures/toy.app.ts';

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

describe('a POST with an Idempotency-Key', () => {
  test('acts once and replays its first answer to the byte, saying so', async () => {
    const before = toy.desk.tickets.length;
    const [first, again] = [await create(order()), await create(order())];
    expect([first.statusCode, again.statusCode, toy.desk.tickets.length - before]).toEqual([201, 201, 1]);
    expect(again.body).toBe(first.body);
    expect([first.headers['idempotent-replayed'], again.headers['idempotent-replayed']]).toEqual([undefined, 'true']);
    expect(again.headers['content-type']).toBe(first.headers['content-type']);
  });

  test('a replayed envelope still bears the request id of its header', async () => {
    await create({ label: 'L', description: 'D' }, { url: '/v1/toys' });
    const again = await create({ label: 'L', description: 'D' }, { url: '/v1/toys' });
    expect(again.json()).toMatchObject({ metadata: { request_id: again.headers['x-request-id'] } });
  });

  test('with another body or on another path is 409', async () => {
    await create(order());
    for (const other of [await create(order('other')), await create({ label: 'T', description: 'D' }, { url: '/v1/toys' })]) {
      expect(other.statusCode).toBe(409);
      expect(other.json()).toMatchObject({ error: { code: 'IDEMPOTENCY_CONFLICT' } });
    }
  });

  test('with another value deep within the body is 409', async () => {
    const of = (email: string) => ({ ...order(), contact: { name: 'Ada', email }, metadata: { site: { floor: 1 } } });
    expect((await create(of('ada@example.com'))).statusCode).toBe(201);
    expect((await create(of('ada@example.org'))).statusCode).toBe(409);
    expect((await create({ ...of('ada@example.com'), metadata: { site: { floor: 2 } } })).statusCode).toBe(409);
    expect((await create(of('ada@example.com'))).headers['idempotent-replayed']).toBe('true');
  });

  test('keys belong to their caller', async () => {
    const first = await create(order());
    const other = await create(order('mine'), { as: 'ak_2' });
    expect([other.statusCode, other.headers['idempotent-replayed']]).toEqual([201, undefined]);
    expect(other.body).not.toBe(first.body);
  });

  test('while the first is worked on is 409 and says so; of many at once one acts', async () => {
    const before = toy.desk.tickets.length;
    let open = () => {};
    toy.desk.gate = new Promise((resolve) => (open = resolve));
    let refused = 0;
    const sent = Array.from({ length: 5 }, async () => {
      const answer = await create(order());
      refused += 1;
      if (refused === 4) open();
      return answer;
    });
    const answers = await Promise.all(sent);
    toy.desk.gate = Promise.resolve();
    expect(answers.filter(({ statusCode }) => statusCode === 201).length).toBe(1);
    expect(toy.desk.tickets.length - before).toBe(1);
    const waiting = answers.find(({ statusCode }) => statusCode === 409);
    expect(waiting?.json()).toMatchObject({
      error: { code: 'IDEMPOTENCY_CONFLICT', message: expect.stringContaining('still being worked on') as string },
    });
  });

  test('a failure of ours frees the key, so that the request can be tried again', async () => {
    expect([(await create(order('breaks'))).statusCode, (await create(order('breaks'))).statusCode]).toEqual([500, 500]);
    expect((await create(order('works'))).statusCode).toBe(201);
  });

  test('a failure of ours after the change was made is the answer: the change is not made again', async () => {
    const before = toy.desk.tickets.length;
    const [first, again] = [await create(order('breaks later')), await create(order('breaks later'))];
    expect([first.statusCode, again.statusCode, again.headers['idempotent-replayed']]).toEqual([500, 500, 'true']);
    expect(toy.desk.tickets.length - before).toBe(1);
  });

  test('bad input is not kept: the corrected request may use the same key', async () => {
    expect((await create({ title: 'T' })).statusCode).toBe(400);
    expect((await create(order())).statusCode).toBe(201);
  });

  test('a refusal by the state of the record is an answer and is replayed', async () => {
    const [first, again] = [await create(order('refused')), await create(order('refused'))];
    expect([first.statusCode, again.statusCode, again.headers['idempotent-replayed']]).toEqual([409, 409, 'true']);
    expect(again.json()).toMatchObject({ error: { code: 'INVALID_STATE', request_id: again.headers['x-request-id'] } });
    expect(again.body).toBe(first.body);
  });

  test('a key is free again after 24 hours', async () => {
    const first = await create(order());
    await later('23 hours 59 minutes');
    expect((await create(order())).body).toBe(first.body);
    await later('2 minutes');
    const fresh = await create(order('other'));
    expect([fresh.statusCode, fresh.headers['idempotent-replayed']]).toEqual([201, undefined]);
  });

  test('a key is 1 to 255 printable characters', async () => {
    for (const sent of ['', 'x'.repeat(256), 'tab\there']) {
      expect((await create(order(), { sent })).json()).toMatchObject({
        error: { code: 'INVALID_PARAMETERS', details: { field: 'Idempotency-Key' } },
      });
    }
    expect((await create(order(), { sent: `${'x'.repeat(250)}${number}` })).statusCode).toBe(201);
  });

  test("callers of a public operation do not see each other's answers", async () => {
    const [first, other] = [await create(order(), { url: '/v1/public/toys' }), await create(order(), { url: '/v1/public/toys' })];
    expect([first.statusCode, other.statusCode, other.headers['idempotent-replayed']]).toEqual([201, 201, undefined]);
  });

  test('a query by POST takes no notice of a key', async () => {
    for (const status of ['open', 'resolved'])
      expect((await create({ filters: { status: [status] } }, { url: '/v1/support/tickets/search' })).statusCode).toBe(200);
  });
});

test('a store that fails after the operation ran takes nothing from the caller, and is logged', async () => {
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
  expect(other.logged.map(({ msg }) => msg)).toEqual(['idempotent answer not kept', 'idempotent answer not kept', 'request failed']);
  await other.app.close();
});

test('a request extends its lease for as long as it takes, and no longer', async () => {
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
  await answerOnce(claim, slow, () => ({ status: 500, body: '', headers: {} }));
  const count = extended.length;
  expect(new Set(extended).size).toBe(1);
  expect(extended[0]).toMatch(key);
  await answerOnce({ ...claim, key: `${key}-next` }, slow, () => ({ status: 500, body: '', headers: {} }));
  expect(extended.filter((one) => one.startsWith(`${key} `))).toHaveLength(count);
});

describe('the store', () => {
  const scope = { organizationId: 'org_1', callerId: 'ak_9' };
  const answer = { status: 201, body: '{}', headers: { a: 'b' } };

  test('keeps a key claimed beyond 60 seconds where its lease is extended', async () => {
    const begun = await store.begin(scope, key, 'one');
    if (begun.state !== 'new') throw new Error('not claimed');
    await later('50 seconds');
    await store.extend(scope, key, begun.lease);
    await later('50 seconds');
    expect(await store.begin(scope, key, 'one')).toEqual({ state: 'running' });
    await later('11 seconds');
    expect(await store.begin(scope, key, 'one')).toMatchObject({ state: 'new' });
  });

  test('a lease that a crashed process left is taken over after 60 seconds by the same request alone', async () => {
    expect(await store.begin(scope, key, 'one')).toMatchObject({ state: 'new' });
    await later('59 seconds');
    expect(await store.begin(scope, key, 'one')).toEqual({ state: 'running' });
    await later('2 seconds');
    expect(await store.begin(scope, key, 'other')).toEqual({ state: 'conflict' });
    expect(await store.begin(scope, key, 'one')).toMatchObject({ state: 'new' });
  });

  test('who lost the lease neither completes nor frees the key', async () => {
    const lost = await store.begin(scope, key, 'one');
    await later('61 seconds');
    const held = await store.begin(scope, key, 'one');
    if (lost.state !== 'new' || held.state !== 'new') throw new Error('not claimed');
    await store.complete(scope, key, lost.lease, answer);
    await store.abandon(scope, key, lost.lease);
    expect(await store.begin(scope, key, 'one')).toEqual({ state: 'running' });
    await store.complete(scope, key, held.lease, answer);
    expect(await store.begin(scope, key, 'one')).toEqual({ state: 'replay', ...answer });
  });

  test('purge deletes what is older than 24 hours', async () => {
    await store.begin(scope, key, 'one');
    await later('25 hours');
    await store.retained.delete();
    expect((await database.query('select 1 from bridge.idempotency_key where key = $1', [key])).rows).toEqual([]);
  });
});

describe('a user for whom OAuth clients act', () => {
  const user = { kind: 'user', id: 'user_1', organizationId: 'org_1', plan: 'business', grants: [] } as const;
  const by = (clientId?: string, sessionId?: string) => idempotencyScope(new Principal({ ...user, clientId, sessionId }));
  const answer = { status: 201, body: '{"n":1}', headers: {} };
  /** What the previous release takes for the scope. */
  const former = { organizationId: 'org_1', callerId: 'user_1' };

  test('has keys of their own with each client, whatever the session', async () => {
    expect(by('client_1', 'sess_1')).toEqual(by('client_1', 'sess_2'));
    expect(by(undefined, 'sess_1')).toEqual({ organizationId: 'org_1', callerId: 'user_1' });
    const first = await store.begin(by('client_1'), key, 'one');
    const other = await store.begin(by('client_2'), key, 'one');
    expect([first.state, other.state]).toEqual(['new', 'new']);
    if (first.state === 'new') await store.complete(by('client_1'), key, first.lease, answer);
    expect(await store.begin(by('client_1'), key, 'one')).toEqual({ state: 'replay', ...answer });
    expect((await store.begin(by('client_2'), key, 'one')).state).toBe('running');
    expect((await store.begin(by('client_1'), key, 'two')).state).toBe('conflict');
  });

  test('gets what the previous release has kept, and waits for what it works on', async () => {
    const begun = await store.begin(former, key, 'one');
    expect((await store.begin(by('client_1'), key, 'one')).state).toBe('running');
    if (begun.state === 'new') await store.complete(former, key, begun.lease, answer);
    expect(await store.begin(by('client_1'), key, 'one')).toEqual({ state: 'replay', ...answer });
    // of another client, as far as anybody can tell
    expect((await store.begin(by('client_1'), key, 'two')).state).toBe('new');
  });

  test('is not served twice where a process of the previous release gets the repeated request', async () => {
    const begun = await store.begin(by('client_1'), key, 'one');
    expect((await store.begin(former, key, 'one')).state).toBe('running');
    if (begun.state === 'new') await store.complete(by('client_1'), key, begun.lease, answer);
    expect(await store.begin(former, key, 'one')).toEqual({ state: 'replay', ...answer });
  });

  test('may try again after a failure, in both releases', async () => {
    const begun = await store.begin(by('client_1'), key, 'one');
    if (begun.state === 'new') await store.abandon(by('client_1'), key, begun.lease);
    expect((await store.begin(former, key, 'one')).state).toBe('new');
  });
});

test('what a request is recognized by is keyed: the body, which may hold a password, cannot be guessed from it', async () => {
  await create(order());
  const { rows } = await database.query<{ fingerprint: string }>('select fingerprint from bridge.idempotency_key where key = $1', [key]);
  expect(rows).toHaveLength(1);
  expect(rows[0]?.fingerprint).not.toBe(fingerprintOf('POST', '/v1/support/tickets', order()));
  expect((await create(order())).headers['idempotent-replayed']).toBe('true');
});
