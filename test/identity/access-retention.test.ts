import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIdentityRig, type IdentityRig } from '../security/identity-rig.ts';

const HOUR_MS = 3_600_000;

let rig: IdentityRig;
beforeAll(async () => {
  rig = await createIdentityRig();
});
afterAll(() => rig.close());

const execute = <R>(sql: string, values: unknown[] = []): Promise<R[]> => rig.orm.em.getConnection().execute<R[]>(sql, values, 'all');

/**
 * Creates rows of logins, request signatures and revoked tokens with this id. At the time `at`, the session ended, the
 * counters started, and the other rows expire.
 */
const createRows = async (id: string, at: Date): Promise<void> => {
  await execute(
    `insert into identity.session (id, organization_id, user_id, method, created_at, last_used_at, expires_at, ended_at)
     values (?, 'org_1', 'user_1', 'password', ?, ?, ?, ?)`,
    [id, at, at, new Date(at.getTime() + 30 * 24 * HOUR_MS), at],
  );
  await execute('insert into identity.refresh_token (hash, session_id, created_at, expires_at) values (?, ?, ?, ?)', [id, id, at, at]);
  await execute('insert into identity.elevation (id, user_id, until) values (?, ?, ?)', [id, 'user_1', at]);
  await execute('insert into identity.mfa_counter (key, count, first_at) values (?, 1, ?)', [id, at]);
  await execute('insert into identity.login_attempt (key, failures, first_at) values (?, 1, ?)', [id, at]);
  await execute(
    `insert into identity.one_time_token (hash, purpose, user_id, created_at, expires_at) values (?, 'password_reset', 'user_1', ?, ?)`,
    [id, at, at],
  );
  await execute('insert into identity.request_signature (digest, expires_at) values (?, ?)', [id, at]);
  await execute('insert into identity.revoked_token (id, revoked_at, expires_at) values (?, ?, ?)', [id, at, at]);
};

test('the retention task deletes expired rows of logins, request signatures and revoked tokens, and keeps the other rows', async () => {
  const now = rig.clock.now().getTime();
  await createRows('old', new Date(now - 25 * HOUR_MS));
  await createRows('young', new Date(now + HOUR_MS));
  await execute(`insert into identity.change (subject_id, changed_at) values ('old', clock_timestamp() - interval '2 hours')`);
  await rig.startProcess().core.retentionTask.run();

  for (const [table, key] of [
    ['session', 'id'],
    ['refresh_token', 'hash'],
    ['elevation', 'id'],
    ['mfa_counter', 'key'],
    ['login_attempt', 'key'],
    ['one_time_token', 'hash'],
    ['request_signature', 'digest'],
    ['revoked_token', 'id'],
  ]) {
    const rows = await execute<{ id: string }>(`select "${key}" as "id" from identity."${table}" where "${key}" in ('old', 'young')`);
    expect(rows, table).toEqual([{ id: 'young' }]);
  }
  expect(await execute(`select 1 from identity.change where changed_at < clock_timestamp() - interval '1 hour'`)).toEqual([]);
});

test('the retention task keeps an ended session for one day', async () => {
  await createRows('yesterday', new Date(rig.clock.now().getTime() - 23 * HOUR_MS));
  await rig.startProcess().core.retentionTask.run();
  expect(await execute(`select 1 from identity.session where id = 'yesterday'`)).toHaveLength(1);
});
