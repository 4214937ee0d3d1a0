import pg from 'pg';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { billedTenant, createAccount, orderService } from '../billing.setup.ts';
import { logsRequest, sendOtlp } from '../otlp.setup.ts';
import { clock, eventually, type Rig, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import { type Json, Tenant } from '../tenant.ts';
import { type Followed, follow } from './live.setup.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const TAIL = `subscription ($query: String, $levels: [LogLevel!], $serviceIds: [ID!], $after: String) {
  logTail(query: $query, levels: $levels, serviceIds: $serviceIds, after: $after) { entries { message level serviceId } dropped gapSince position }
}`;

const write = async (by: Tenant, entries: readonly Json[]): Promise<void> => {
  const { body } = await by.rest('POST', '/monitoring/logs', { body: { entries } });
  expect(body.data, JSON.stringify(body)).toMatchObject({ refused: [] });
};
const messages = (followed: Followed): string[] =>
  followed.of('logTail').flatMap(({ entries }) => entries.map(({ message }: Json) => message));
const droppedBy = (followed: Followed): number => followed.of('logTail').reduce((sum, { dropped }) => sum + dropped, 0);
const until = (followed: Followed, message: string): Promise<unknown> => eventually(() => messages(followed).includes(message));

/** Follows the log from this moment on. Without a position, entries that come before the stream has started would be missed. */
async function tail(by: Tenant, variables: Json = {}): Promise<Followed> {
  const [row] = await (await rows()).query<{ head: string }>('select pg_snapshot_xmin(pg_current_snapshot())::text as "head"', []);
  return follow(by, TAIL, { after: `${row?.head}-${clock.now().getTime()}`, ...variables });
}

test('logTail sends new entries that match, as a search does: words, fields, levels and services', async () => {
  const { tenant, serviceId } = await billedTenant();
  const [all, refused, errors, ofService] = await Promise.all([
    tail(tenant, { query: 'source:ingest' }),
    tail(tenant, { query: '"order refused" port:3 -again' }),
    tail(tenant, { query: 'source:ingest', levels: ['ERROR'] }),
    tail(tenant, { query: 'source:ingest', serviceIds: [serviceId] }),
  ]);
  await write(tenant, [
    { message: 'Order refused', attributes: { port: 3 } },
    { message: 'Order refused again', attributes: { port: 3 }, level: 'error' },
    { message: 'late', at: new Date(clock.now().getTime() - 20 * 3_600_000).toISOString() },
    { message: 'of a service', service_id: serviceId },
  ]);
  await sendOtlp(
    tenant,
    'logs',
    logsRequest([{ body: { stringValue: 'last' }, severityNumber: 17 }], { 'platform.service_id': serviceId }),
  );
  for (const one of [all, errors, ofService]) await until(one, 'last');
  expect(messages(all).toSorted()).toEqual(['Order refused', 'Order refused again', 'last', 'late', 'of a service']);
  expect(messages(refused)).toEqual(['Order refused']);
  expect(messages(errors)).toEqual(['Order refused again', 'last']);
  expect(messages(ofService)).toEqual(['of a service', 'last']);
  for (const one of [all, refused, errors, ofService]) expect([one.errors(), droppedBy(one)]).toEqual([[], 0]);
});

test('logTail sends nothing of other organizations, and to a limited caller only entries about the services of its accounts', async () => {
  const { tenant, serviceId, accountId } = await billedTenant();
  const other = await platform.organization();
  const { service: hidden } = await orderService(tenant, (await createAccount(tenant, 'Other')).id);
  const { body } = await tenant.rest('POST', '/auth/api-keys', {
    body: { name: 'limited', permissions: ['monitoring:read'], accounts: [accountId] },
  });
  const limited = new Tenant(tenant.origin, tenant.organizationId, body.api_key.key);
  const [all, own, narrowed, foreign] = await Promise.all([
    tail(tenant, { query: 'source:ingest' }),
    tail(limited, { query: 'source:ingest' }),
    tail(limited, { query: 'source:ingest', serviceIds: [hidden.id] }),
    tail(other, { query: 'source:ingest' }),
  ]);
  await write(other, [{ message: 'foreign' }]);
  await write(tenant, [{ message: 'none' }, { message: 'hidden', service_id: hidden.id }, { message: 'own', service_id: serviceId }]);
  await Promise.all([until(all, 'own'), until(own, 'own'), until(foreign, 'foreign')]);
  expect(messages(all).toSorted()).toEqual(['hidden', 'none', 'own']);
  expect([messages(own), messages(narrowed), messages(foreign)]).toEqual([['own'], [], ['foreign']]);
});

test('a burst is cut to the newest 50 entries of a message, which states how many are left out', async () => {
  const tenant = await platform.organization();
  const followed = await tail(tenant, { query: 'source:ingest' });
  const start = clock.now().getTime();
  await write(
    tenant,
    Array.from({ length: 180 }, (_, n) => ({ message: `entry ${n}`, at: new Date(start - 1000 + n).toISOString() })),
  );
  await until(followed, 'entry 179');
  expect(messages(followed).at(-1)).toBe('entry 179');
  expect(messages(followed).length + droppedBy(followed)).toBe(180);
  expect(Math.max(...followed.of('logTail').map(({ entries }) => entries.length))).toBe(50);
});

test('a subscription continues after the position of a message, and refuses another text as a position', async () => {
  const tenant = await platform.organization();
  const first = await tail(tenant, { query: 'source:ingest' });
  await write(tenant, [{ message: 'one' }]);
  await until(first, 'one');
  const { position: after } = first.of('logTail').at(-1) as Json;
  first.leave();
  await write(tenant, [{ message: 'two' }]);
  const second = await tail(tenant, { query: 'source:ingest', after });
  await write(tenant, [{ message: 'three' }]);
  await until(second, 'three');
  expect(messages(second)).toEqual(['two', 'three']);
  expect(second.of('logTail')[0]?.gapSince).toBeNull();
  await platform.advance(16 * 60_000);
  const third = await tail(tenant, { query: 'source:ingest', after });
  await eventually(async () => {
    await write(tenant, [{ message: 'four' }]);
    return messages(third).length > 0;
  });
  expect(new Set(messages(third))).toEqual(new Set(['four']));
  expect(third.of('logTail')[0]?.gapSince).toEqual(expect.any(String));
  for (const wrong of ['sheep', '5', '-1-1', '99999999999999-1']) {
    const refused = follow(tenant, TAIL, { after: wrong });
    await eventually(() => refused.isDone() && refused.errors().length > 0);
    expect(refused.errors(), wrong).toMatchObject([{ extensions: { code: 'INVALID_PARAMETERS' } }]);
  }
});

test('without a position, a subscription has only entries that come after it has started', async () => {
  const tenant = await platform.organization();
  await write(tenant, [{ message: 'before' }]);
  const followed = follow(tenant, TAIL, { query: 'source:ingest' });
  await eventually(async () => {
    await write(tenant, [{ message: 'after' }]);
    return messages(followed).length > 0;
  });
  expect(new Set(messages(followed))).toEqual(new Set(['after']));
});

test.runIf(process.env.TEST_DATABASE_URL)(
  'a subscription without a position leaves out earlier entries that an open transaction has kept from other subscribers',
  async () => {
    const tenant = await platform.organization();
    const other = new pg.Client(platform.databaseUrl);
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('begin; select pg_current_xact_id()');
    const early = await tail(tenant, { query: 'source:ingest' });
    await write(tenant, [{ message: 'before' }]);
    const late = follow(tenant, TAIL, { query: 'source:ingest' });
    // the time in which the subscription starts
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await write(tenant, [{ message: 'after' }]);
    expect(messages(early)).toEqual([]);
    await other.query('commit');
    await Promise.all([until(early, 'after'), until(late, 'after')]);
    expect([messages(early), messages(late)]).toEqual([['before', 'after'], ['after']]);
  },
);

test('logTail refuses a wrong query when the stream starts, and a caller without monitoring:read', async () => {
  const tenant = await platform.organization();
  const wrong = follow(tenant, TAIL, { query: 'a "b' });
  const refused = follow(await tenant.limitedTo('monitoring:write'), TAIL);
  await eventually(() => wrong.isDone() && refused.isDone());
  expect(wrong.errors()).toMatchObject([{ extensions: { code: 'INVALID_PARAMETERS', details: { field: 'query' } } }]);
  expect(refused.errors()).toMatchObject([{ extensions: { code: 'INSUFFICIENT_PERMISSIONS' } }]);
});
