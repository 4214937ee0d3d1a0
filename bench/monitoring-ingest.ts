import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type MonitoringProcess, monitoringProcess, percentile, postgresCpu } from './monitoring-process.ts';
import { onScratch } from './scratch-database.ts';

export interface IngestRow {
  name: string;
  series: number;
  samplesPerSecond: number;
  /** 99th percentile of the response times of batches. At a fixed rate, the time begins when the batch was due. */
  p99Ms: number;
  /** Longest time by which the 1-minute rollups were behind the last full minute. */
  rollupsBehindSeconds: number;
  /** Processor cores that the platform and PostgreSQL used. */
  cores: number;
  /** Rate, divided by the rate of the hand-written handler. */
  ratio: number | '';
}

const BATCH = 1000;
const CLIENTS = 4;
const METRICS = 20;
const RATE = 20_000;
const SERIES = 20_000;
const MANY_SERIES = 200_000;
const EMBEDDED_SERIES = 2_000;
const ROUNDS = 3;

/** Builds batches of samples. Each batch contains the next series in turn, so that all series have the same rate. */
class Batches {
  readonly #heads: string[] = [];
  #next = 0;

  constructor(readonly series: number) {
    for (let one = 0; one < series; one += 1)
      this.#heads.push(`{"metric":"bench.metric_${one % METRICS}","labels":{"host":"host-${Math.floor(one / METRICS)}"},"value":`);
  }

  next(): string {
    const at = new Date().toISOString();
    const samples: string[] = [];
    for (let index = 0; index < BATCH; index += 1) {
      const head = this.#heads[(this.#next + index) % this.series];
      samples.push(`${head}${Math.round(Math.random() * 100_000) / 1000},"at":"${at}"}`);
    }
    this.#next += BATCH;
    return `{"samples":[${samples.join(',')}]}`;
  }
}

interface Load {
  url: string;
  apiKey: string;
  batches: Batches;
  seconds: number;
  /** Samples per second. Null if each client sends its next batch after the response. */
  rate: number | null;
}

/** Sends batches, and returns the response times in milliseconds. */
async function send({ url, apiKey, batches, seconds, rate }: Load): Promise<{ times: number[]; seconds: number }> {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const times: number[] = [];
  const one = async (since: number): Promise<void> => {
    const response = await fetch(url, { method: 'POST', headers, body: batches.next() });
    const { data } = (await response.json()) as { data?: { accepted: number } };
    if (data?.accepted !== BATCH) throw new Error(JSON.stringify(data).slice(0, 500));
    times.push(performance.now() - since);
  };
  const started = performance.now();
  if (rate === null) {
    const client = async (): Promise<void> => {
      while (performance.now() - started < seconds * 1000) await one(performance.now());
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
  } else {
    const running = new Set<Promise<void>>();
    for (let batch = 0; batch < (seconds * rate) / BATCH; batch += 1) {
      const due = started + (batch * BATCH * 1000) / rate;
      const early = due - performance.now();
      if (early > 0) await delay(early);
      const request: Promise<void> = one(due).finally(() => running.delete(request));
      running.add(request);
    }
    await Promise.all(running);
  }
  return { times, seconds: (performance.now() - started) / 1000 };
}

/** Measures a load, and how far the rollups are behind meanwhile. */
async function measure(platform: MonitoringProcess, client: pg.Client | undefined, name: string, load: Load): Promise<IngestRow> {
  let behind = 0;
  let isOver = false;
  const watch = async (): Promise<void> => {
    while (!isOver && client) {
      const { rows } = await client.query<{ behind: number }>(BEHIND);
      behind = Math.max(behind, rows[0]?.behind ?? 0);
      await delay(1000);
    }
  };
  const watching = watch();
  const cpu = async (): Promise<number> => (await platform.cpu()) + (client ? postgresCpu() : 0);
  const before = await cpu();
  const { times, seconds } = await send(load);
  const used = (await cpu()) - before;
  isOver = true;
  await watching;
  return {
    name,
    series: load.batches.series,
    samplesPerSecond: Math.round((times.length * BATCH) / seconds),
    p99Ms: percentile(times, 0.99),
    rollupsBehindSeconds: Math.round(behind),
    cores: Number((used / seconds).toFixed(2)),
    ratio: '',
  };
}

const BEHIND = `select extract(epoch from date_trunc('minute', now()) - "minutes_until")::float8 as behind from "monitoring"."rollup_state"`;

/** Creates the series, which is not measured, and waits until the rollups are up to date. */
async function prepared(load: Omit<Load, 'seconds'>, client: pg.Client | undefined): Promise<void> {
  const headers = { authorization: `Bearer ${load.apiKey}`, 'content-type': 'application/json' };
  for (let sent = 0; sent < load.batches.series; sent += BATCH)
    await (await fetch(load.url, { method: 'POST', headers, body: load.batches.next() })).arrayBuffer();
  await client?.query('vacuum analyze');
}

/**
 * Measurement (t): stores samples over REST, for `seconds` at the rate of 20,000 per second, then as fast as possible in turns with a
 * hand-written handler, then with ten times as many series, and at last with the embedded database.
 */
export async function measureIngest(seconds: number): Promise<IngestRow[]> {
  const short = Math.max(5, Math.min(20, seconds / 10));
  return [...(await onServer(seconds, short)), await embedded(short)];
}

const onServer = (seconds: number, short: number): Promise<IngestRow[]> =>
  onScratch('bench_ingest', async (env) => {
    const platform = await monitoringProcess(env);
    const client = new pg.Client({ connectionString: env.BENCH_DATABASE_URL });
    await client.connect();
    const load = await loadOf(platform, SERIES, short);
    await prepared(load, client);
    await send({ ...load, rate: RATE, seconds: 70 });
    const steady = await measure(platform, client, `${RATE} per second, for ${seconds} seconds`, { ...load, seconds, rate: RATE });
    await platform.readSeries();
    const [ours, hand]: [IngestRow[], IngestRow[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      hand.push(await measure(platform, client, 'hand-written', { ...load, url: `${platform.handOrigin}/samples` }));
      ours.push(await measure(platform, client, 'as fast as possible', load));
    }
    const many = await loadOf(platform, MANY_SERIES, short * ROUNDS);
    await prepared(many, client);
    const wide = await measure(platform, client, 'as fast as possible', many);
    await client.end();
    await platform.stop();
    const [byHand, fast] = [middle(hand), middle(ours)];
    const ratio = Number((fast.samplesPerSecond / byHand.samplesPerSecond).toFixed(2));
    return [steady, { ...byHand, ratio: 1 }, { ...fast, ratio }, wide];
  });

async function embedded(seconds: number): Promise<IngestRow> {
  const { BENCH_DATABASE_URL: _, ...env } = process.env;
  const platform = await monitoringProcess(env);
  const load = await loadOf(platform, EMBEDDED_SERIES, seconds);
  await prepared(load, undefined);
  const row = await measure(platform, undefined, 'as fast as possible, with the embedded database', load);
  await platform.stop();
  return row;
}

async function loadOf(platform: MonitoringProcess, series: number, seconds: number): Promise<Load> {
  const [organization] = await platform.organizations(1);
  const url = `${platform.origin}/v1/monitoring/samples`;
  return { url, apiKey: organization?.apiKey ?? '', batches: new Batches(series), seconds, rate: null };
}

const middle = (rows: readonly IngestRow[]): IngestRow =>
  rows.toSorted((one, other) => one.samplesPerSecond - other.samplesPerSecond)[rows.length >> 1] as IngestRow;
