import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { BenchOrganization } from './monitoring.server.ts';
import { type MonitoringProcess, monitoringProcess, postgresCpu } from './monitoring-process.ts';
import { onScratch } from './scratch-database.ts';

export interface AlertsRow {
  name: string;
  /** Number of evaluations in a minute. */
  evaluationsPerMinute: number;
  /** Processor cores that the platform used. */
  platformCores: number;
  /** Processor cores that PostgreSQL used. */
  databaseCores: number;
  /** Longest time by which the evaluation of an alert was late, in seconds. */
  lateSeconds: number;
}

const ORGANIZATIONS = 20;
const ALERTS = 500;
const MINUTES = 2;

/**
 * Measurement (v): evaluates 10,000 alerts of 20 organizations each minute. Each alert has a series of its own, which gets a sample each
 * minute. One in a hundred alerts changes its state each minute. The same samples are sent before the alerts exist, for comparison.
 */
export const measureAlerts = (): Promise<AlertsRow[]> =>
  onScratch('bench_alerts', async (env) => {
    const platform = await monitoringProcess(env);
    const client = new pg.Client({ connectionString: env.BENCH_DATABASE_URL });
    await client.connect();
    const organizations = await platform.organizations(ORGANIZATIONS);
    await send(platform, organizations, 0);
    const without = await measure(platform, client, organizations, 'samples without alerts');
    for (const { id, apiKey } of organizations) {
      const body = {
        name: 'Load',
        metric: 'load',
        labels: ['host=0'],
        aggregation: 'avg',
        condition: 'above',
        threshold: 10,
        window_seconds: 60,
      };
      const response = await fetch(`${platform.origin}/v1/monitoring/alerts`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (response.status !== 201) throw new Error(await response.text());
      await client.query(COPIES, [id, ALERTS]);
    }
    await client.query('vacuum analyze');
    await delay(60_000);
    const measured = await measure(platform, client, organizations, '10,000 alerts each minute');
    await client.end();
    await platform.stop();
    return [without, measured];
  });

/** Copies the alert of an organization, each for another series. The copies are due at different times of a minute. */
const COPIES = `
  insert into "monitoring"."alert"
  select (a).* from (
    select jsonb_populate_record(a, jsonb_build_object('id', a."id" || 'X' || n, 'labels', jsonb_build_array('host=' || n),
      'due_at', now() + n * interval '60 seconds' / $2::int)) as a
    from "monitoring"."alert" a, generate_series(1, $2::int - 1) n where a."organization_id" = $1
  ) c`;

/** Sends a sample for each series. The values of one series in a hundred alternate above and below the limit of its alert. */
async function send(platform: MonitoringProcess, organizations: readonly BenchOrganization[], minute: number): Promise<void> {
  const at = new Date().toISOString();
  const samples = Array.from({ length: ALERTS }, (_, host) => ({
    metric: 'load',
    labels: { host: String(host) },
    at,
    value: host % 100 === 0 && minute % 2 === 1 ? 20 : 5,
  }));
  for (const { apiKey } of organizations) {
    const response = await fetch(`${platform.origin}/v1/monitoring/samples`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ samples }),
    });
    if (response.status !== 200) throw new Error(await response.text());
    await response.arrayBuffer();
  }
}

async function measure(
  platform: MonitoringProcess,
  client: pg.Client,
  organizations: readonly BenchOrganization[],
  name: string,
): Promise<AlertsRow> {
  const [node, database, started] = [await platform.cpu(), postgresCpu(), performance.now()];
  const seen = new Map<string, number>();
  let [evaluations, late] = [0, 0];
  for (let minute = 0; minute < MINUTES; minute += 1) {
    await send(platform, organizations, minute);
    while (performance.now() - started < (minute + 1) * 60_000) {
      const { rows } = await client.query<{ id: string; at: number; late: number }>(EVALUATED);
      for (const { id, at, late: its } of rows) {
        if (seen.has(id) && seen.get(id) !== at) evaluations += 1;
        seen.set(id, at);
        late = Math.max(late, its);
      }
      await delay(10_000);
    }
  }
  const seconds = (performance.now() - started) / 1000;
  return {
    name,
    evaluationsPerMinute: Math.round((evaluations * 60) / seconds),
    platformCores: Number((((await platform.cpu()) - node) / seconds).toFixed(2)),
    databaseCores: Number(((postgresCpu() - database) / seconds).toFixed(2)),
    lateSeconds: Number(late.toFixed(1)),
  };
}

const EVALUATED = `select "id", extract(epoch from "evaluated_at")::float8 as at, greatest(0, extract(epoch from now() - "due_at"))::float8 as late
  from "monitoring"."alert" where "evaluated_at" is not null`;
