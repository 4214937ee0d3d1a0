import autocannon from 'autocannon';
import pg from 'pg';
import { type MonitoringProcess, monitoringProcess } from './monitoring-process.ts';
import { onScratch } from './scratch-database.ts';

export interface ReadRow {
  name: string;
  p50Ms: number;
  p99Ms: number;
}

const CONNECTIONS = 2;
const REQUESTS = 200;
const SERIES = 20;
const DAY_MS = 86_400_000;

/** Measures requests of one organization, after the same number of requests that fill the caches. */
async function measure(platform: MonitoringProcess, apiKey: string, name: string, path: (turn: number) => string): Promise<ReadRow> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const load = async (): Promise<autocannon.Result> => {
    let turn = 0;
    const setupRequest = (request: autocannon.Request): autocannon.Request => ({
      ...request,
      path: `/v1/monitoring${path(turn++)}`,
      headers,
    });
    const result = await autocannon({ url: platform.origin, connections: CONNECTIONS, amount: REQUESTS, requests: [{ setupRequest }] });
    if (result.non2xx > 0 || result.errors > 0) throw new Error(`${path(0)}: ${result.non2xx} refusals, ${result.errors} failures.`);
    return result;
  };
  await load();
  const { latency } = await load();
  return { name, p50Ms: latency.p50, p99Ms: latency.p99 };
}

/**
 * Measurement (u): reads charts of one series. The database has 20 series with 1-minute rollups of 30 days and 15-minute rollups of a year,
 * each with 15 samples a minute.
 */
export const measureCharts = (): Promise<ReadRow[]> =>
  onScratch('bench_charts', async (env) => {
    const platform = await monitoringProcess(env);
    const client = new pg.Client({ connectionString: env.BENCH_DATABASE_URL });
    await client.connect();
    const [{ apiKey } = { apiKey: '' }] = await platform.organizations(1);
    const samples = Array.from({ length: SERIES }, (_, index) => ({ metric: `bench.metric_${index}`, at: new Date(), value: 1 }));
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    await fetch(`${platform.origin}/v1/monitoring/samples`, { method: 'POST', headers, body: JSON.stringify({ samples }) });
    await platform.partitions('minutes', 31);
    await platform.partitions('quarters', 366);
    await client.query(rollups('rollup_1m', '1 minute', '30 days', 15));
    await client.query(rollups('rollup_15m', '15 minutes', '365 days', 225));
    await client.query('vacuum analyze');
    const metric = (turn: number): string => `/metrics/bench.metric_${turn % SERIES}`;
    const from = (days: number): string => new Date(Date.now() - days * DAY_MS + DAY_MS / 24).toISOString();
    const rows = [
      await measure(platform, apiKey, '30 days by hour, average', (turn) => `${metric(turn)}?from=${from(30)}&step=1h&aggregation=avg`),
      await measure(
        platform,
        apiKey,
        '30 days by hour, 95th percentile',
        (turn) => `${metric(turn)}?from=${from(30)}&step=1h&aggregation=p95`,
      ),
      await measure(
        platform,
        apiKey,
        'a year by day in New York, average',
        (turn) => `${metric(turn)}?from=${from(365)}&step=1d&timezone=America/New_York&aggregation=avg`,
      ),
      await measure(
        platform,
        apiKey,
        'a year by day in New York, 95th percentile',
        (turn) => `${metric(turn)}?from=${from(365)}&step=1d&timezone=America/New_York&aggregation=p95`,
      ),
    ];
    await client.end();
    await platform.stop();
    return rows;
  });

const rollups = (table: string, step: string, range: string, count: number): string => `
  insert into "monitoring"."${table}" ("series_id", "at", "samples", "sum", "min", "max", "first", "last", "increase", "sketch_index", "sketch_amount")
  select s."id", "at", ${count}, ${count} * 50, 10, 90, 20, 80, null, array[150, 170, 190, 200, 210]::smallint[],
    array[${count / 5}, ${count / 5}, ${count / 5}, ${count / 5}, ${count / 5}]::bigint[]
  from "monitoring"."series" s,
    generate_series(date_trunc('day', now() - interval '${range}'), date_trunc('hour', now()) - interval '1 hour', interval '${step}') "at"
  where s."organization_id" in (select "id" from "identity"."organization" where "name" = 'Bench')
  on conflict do nothing`;

const OWN_LINES = 1_000_000;
const OTHER_LINES = 10_000_000;
const LINE_DAYS = 7;

/** Measurement (w): searches 1 million log entries of an organization beside 10 million of ten others. */
export const measureLogs = (): Promise<ReadRow[]> =>
  onScratch('bench_logs', async (env) => {
    const platform = await monitoringProcess(env);
    const client = new pg.Client({ connectionString: env.BENCH_DATABASE_URL });
    await client.connect();
    const [own, ...others] = await platform.organizations(11);
    if (!own) throw new Error('There are no organizations.');
    await platform.partitions('logs', LINE_DAYS + 1);
    // the index is built once at the end, which takes a fraction of the time
    await client.query('drop index "monitoring"."log_entry_organization_id_words_index"');
    await client.query(LINES, [own.id, OWN_LINES]);
    for (const { id } of others) await client.query(LINES, [id, OTHER_LINES / others.length]);
    await client.query("set maintenance_work_mem = '1GB'");
    await client.query(
      'create index "log_entry_organization_id_words_index" on "monitoring"."log_entry" using gin ("organization_id", "words")',
    );
    await client.query('vacuum analyze "monitoring"."log_entry"');
    const search = (name: string, path: (turn: number) => string): Promise<ReadRow> => measure(platform, own.apiKey, name, path);
    const query = (text: string): string => `/logs?limit=50&query=${encodeURIComponent(text)}`;
    const day = new Date(Date.now() - 2 * DAY_MS).toISOString();
    const rows = [
      await search('the newest entries', () => '/logs?limit=50'),
      await search('a word that one entry in 1,000 has', (turn) => query(`customer${turn % 1000}`)),
      await search('two words, one of which every tenth entry has', (turn) => query(`checkout customer${turn % 1000}`)),
      await search('a word that every tenth entry has', () => query('checkout')),
      await search('a phrase', (turn) => query(`"failed after ${turn % 30} seconds"`)),
      await search('a field', (turn) => query(`region:eu-${turn % 50}`)),
      await search('a word that no entry has', (turn) => query(`missing${turn}`)),
      await search('errors of a day with a word', () => `${query('payment')}&levels=error&from=${day}`),
    ];
    await client.end();
    await platform.stop();
    return rows;
  });

/** SQL that inserts `$2` entries of the organization `$1`, evenly over a week. The words are those that the platform stores. */
const LINES = `
  insert into "monitoring"."log_entry" ("organization_id", "at", "id", "level", "source", "message", "attributes", "words")
  select $1::text, "at", 'log_' || substr(md5($1::text || n), 1, 26), (array[9, 9, 9, 9, 9, 9, 9, 13, 13, 17])[1 + n % 10], 'bench', "message",
    jsonb_build_object('region', 'eu-' || n % 50), to_tsvector('simple', "message") || array_to_tsvector(array[':source:bench', ':region:eu-' || n % 50])
  from (
    select n, now() - (n + 1) * (interval '${LINE_DAYS} days' / $2::int) as "at",
      (array['checkout', 'payment', 'login', 'search', 'cart', 'profile', 'invoice', 'upload', 'export', 'mail'])[1 + n % 10] || ' of customer'
      || abs(hashint4(n)) % 1000 || ' failed after ' || abs(hashint4(n + 1)) % 30 || ' seconds with code E' || n as "message"
    from generate_series(0, $2::int - 1) n
  ) lines`;
