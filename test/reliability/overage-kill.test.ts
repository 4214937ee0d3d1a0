import { expect, test } from 'vitest';
import { eventually } from '../rig.ts';
import { keptDatabase } from '../support/kept-database.ts';
import { originOf, type RunningProcess, runPlatform } from '../support/process.ts';
import { type Json, Tenant } from '../tenant.ts';

const KEY = `sk_live_${'Test'.repeat(16)}`;
const SETTINGS = { BOOTSTRAP_API_KEY: KEY, SECRET_KEY: 'a secret for tests that is long enough' };
const ACCOUNTS = 12;
const EVENTS_EACH = 10;
/** Delays between the start of a process and its kill. At this time, some events are handled, some are in progress, and others wait. */
const KILLS_AFTER_MS = [100, 500];

test('overage counts once if the platform is killed repeatedly while it handles the events', async () => {
  const { settings, sql } = await keptDatabase(SETTINGS);
  const { DATA_DIR = '', DATABASE_URL = '' } = settings;
  const begin = async (): Promise<{ process: RunningProcess; tenant: Tenant }> => {
    const process = runPlatform(['--data', DATA_DIR, '--port', '0'], { ...SETTINGS, ...(DATABASE_URL && { DATABASE_URL }) });
    return { process, tenant: new Tenant(await originOf(process), '', KEY) };
  };
  let { process, tenant } = await begin();
  const ids: string[] = [];
  for (let count = 0; count < ACCOUNTS; count += 1) {
    const { body } = await tenant.rest('POST', '/accounts', { body: { name: `Customer ${count}`, email: 'it@acme.example.com' } });
    ids.push(body.data.id);
  }
  process.kill('SIGTERM');
  await process.exited;
  await sql(
    `insert into "identity"."outbox" ("id", "organization_id", "event", "subject_type", "subject_id", "account_id", "occurred_at", "payload")
     select e."id", a."organization_id", 'overage.recorded', 'Organization', 'org_' || a."id", a."id", now(), json_build_object(
       'id', e."id", 'event', 'overage.recorded', 'timestamp', now(), 'organization_id', a."organization_id",
       'data', json_build_object('account_id', a."id", 'metric', 'api_calls', 'quantity', 100 + n, 'unit_price', '0.0008', 'currency', 'USD',
         'used_at', to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'source', a."id" || '/' || n))::text
     from "identity"."account" a, generate_series(1, ${EVENTS_EACH}) n, lateral (select 'evt_' || a."id" || n as "id") e
     where not a."own"`,
  );
  for (const ms of KILLS_AFTER_MS) {
    ({ process, tenant } = await begin());
    await new Promise((resolve) => setTimeout(resolve, ms));
    process.kill('SIGKILL');
    await process.exited;
  }
  ({ process, tenant } = await begin());
  const calls = EVENTS_EACH * 100 + (EVENTS_EACH * (EVENTS_EACH + 1)) / 2;
  const report = async (): Promise<Json> => (await tenant.rest('GET', '/billing/usage?limit=200')).body.data;
  await eventually(async () => (await report()).total_usage.api_calls === ACCOUNTS * calls, 90_000);
  const { services, usage_cost: cost } = await report();
  expect(services.map(({ service_id, usage }: Json) => [service_id, usage])).toEqual(ids.toSorted().map((id) => [id, calls]));
  expect(cost).toBe(Math.round(ACCOUNTS * calls * 0.08) / 100);
  const { data: subscriptions } = await eventually(async () => {
    const { body } = await tenant.rest('GET', '/billing/subscriptions?limit=200');
    return body.data.length === ACCOUNTS && body;
  });
  const billed = subscriptions.flatMap((one: Json) => one.services.map(({ service_id }: Json) => [one.account_id, service_id]));
  expect(billed.toSorted()).toEqual(ids.toSorted().map((id) => [id, id]));
}, 240_000);
