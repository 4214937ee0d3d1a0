import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { createMetrics } from '../../kernel/metrics/metrics.ts';
import { SseClient } from '../events/sse.client.ts';
import { openTicket, withSlack } from '../integrations/integrations.setup.ts';
import { eventually, type Rig, start } from '../rig.ts';
import { ownDatabase } from '../support/own-database.ts';
import { slackServer } from '../support/slack.server.ts';

const onServer = Boolean(process.env.TEST_DATABASE_URL);

let platform: Rig;
let databaseUrl: string | undefined;
beforeAll(async () => {
  databaseUrl = await ownDatabase();
  platform = await start({ DATABASE_URL: databaseUrl });
  return () => platform.close();
});

const read = async (): Promise<string> => (await fetch(`${platform.origin}/metrics`)).text();

/** The value of a time series such as `jobs_running{queue="support.slack"}`, or undefined if it does not exist. */
async function valueIn(series: string): Promise<number | undefined> {
  const line = (await read()).split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}

/** Waits until a time series has the expected value. Values that need a SQL statement can be ten seconds old. */
const becomes = (series: string, isSo: (value: number) => boolean): Promise<boolean> =>
  eventually(async () => isSo((await valueIn(series)) ?? Number.NaN), 40_000);

test('/metrics contains the numbers of completed, failed and waiting jobs of a queue, and the age of the oldest waiting job', async () => {
  const tenant = await platform.organization();
  const address = 'metrics@example.com';
  platform.mailFailures.set(address, [new Error('The mail server is unavailable.')]);
  const account = (await tenant.rest('POST', '/accounts', { body: { name: 'Metrics', email: 'it@example.com' } })).body.data;
  const body = { email: address, name: 'Grace', role: 'member' };
  const invited = await tenant.rest('POST', `/accounts/${account.id}/users`, { body });
  expect(invited.status).toBe(201);

  await becomes('job_duration_seconds_count{queue="identity.mail",outcome="failed"}', (count) => count === 1);
  await becomes('job_duration_seconds_count{queue="identity.mail",outcome="completed"}', (count) => count === 1);
  expect(await valueIn('message_send_duration_seconds_count{kind="mail",outcome="failed"}')).toBe(1);
  expect(await valueIn('message_send_duration_seconds_count{kind="mail",outcome="sent"}')).toBe(1);
  expect(await valueIn('jobs_running{queue="identity.mail"}')).toBe(0);
  for (const gauge of ['jobs_waiting', 'jobs_oldest_waiting_seconds', 'jobs_failed'])
    expect(await valueIn(`${gauge}{queue="identity.mail"}`)).toBeGreaterThanOrEqual(0);
});

test('/metrics counts the requests that are running, and neither open event streams nor requests that were aborted', async () => {
  const tenant = await platform.organization();
  await SseClient.open(tenant);
  const aborted = Array.from({ length: 5 }, () => {
    const stop = new AbortController();
    const sent = fetch(`${platform.origin}/v1/services`, { headers: tenant.credentials, signal: stop.signal }).catch(() => undefined);
    stop.abort();
    return sent;
  });
  await Promise.all([...aborted, fetch(`${platform.origin}/v1/services`), fetch(`${platform.origin}/unknown`)]);
  // the request for the metrics itself is running
  await becomes('http_requests_running', (count) => count === 1);
  // a client can keep requests open whose body does not arrive, without any work for the platform
  const headers = { ...tenant.credentials, 'content-type': 'application/json', 'content-length': 100 };
  const waiting = request(`${platform.origin}/v1/support/tickets`, { method: 'POST', headers, agent: false }).on('error', () => undefined);
  waiting.flushHeaders();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await valueIn('http_requests_running')).toBe(1);
  waiting.destroy();
});

test('/metrics contains the number and age of deliveries that wait for an unreachable Slack', async () => {
  const [tenant, slack] = [await platform.organization(), await slackServer()];
  await withSlack(tenant, slack);
  slack.next(...Array.from({ length: 50 }, () => [503, 'unavailable'] as const));
  await openTicket(tenant);
  await becomes('integration_attempt_duration_seconds_count{provider="slack",outcome="later"}', (count) => count >= 1);
  await becomes('integration_deliveries_waiting{provider="slack"}', (count) => count >= 1);
  await becomes('integration_deliveries_oldest_waiting_seconds{provider="slack"}', (age) => age > 0);
  await becomes('jobs_waiting{queue="support.slack"}', (count) => count >= 1);
  expect(await valueIn('integration_deliveries_waiting{provider="jira"}')).toBe(0);
});

test.runIf(onServer)(
  '/metrics contains the number of requests that wait for a database connection, and needs no database connection itself',
  async () => {
    const tenant = await platform.organization();
    expect(await valueIn('database_pool_waiting{pool="support"}')).toBe(0);
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query('begin; lock table "support"."ticket" in access exclusive mode');
    const lists = Array.from({ length: 3 }, () => tenant.rest('GET', '/support/tickets?status=open&priority=high'));
    await becomes('database_pool_waiting{pool="support"}', (waiting) => waiting > 0);
    expect(await valueIn('database_pool_connections{pool="support",state="busy"}')).toBe(1);
    await client.query('commit');
    await client.end();
    for (const { status } of await Promise.all(lists)) expect(status).toBe(200);
    await becomes('database_pool_waiting{pool="support"}', (waiting) => waiting === 0);
  },
);

test('docs/operations.md describes every metric of the platform', async () => {
  const text = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
  const names = [...(await createMetrics().text()).matchAll(/^# HELP (\S+)/gm)].map(([, name = '']) => name);
  const own = names.filter((name) => !/^(process|nodejs)_/.test(name));
  expect(own.length).toBeGreaterThan(10);
  expect(own.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});
