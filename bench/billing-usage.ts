import { randomUUID } from 'node:crypto';
import { platformOn } from './platform.ts';
import { onScratch } from './scratch-database.ts';
import { scratchFolder } from './scratch-folder.ts';

export interface UsageRow {
  name: string;
  eventsPerSecond: number;
  /** 99th percentile of the response time for requests with `BATCH` events. */
  p99Ms: number;
  /** True if the daily sums contained all events immediately after the last response. */
  sumsAreExact: boolean;
}

const BATCH = 1_000;
const CLIENTS = 4;
const SERVICES = 20;
const SECONDS = 20;

/** Measurement (n): records usage over REST in batches, for services of one organization. */
export const measureUsage = (): Promise<UsageRow[]> =>
  onScratch('bench_usage', async ({ BENCH_DATABASE_URL }) => {
    const { platform, domains, rows } = await platformOn(BENCH_DATABASE_URL, scratchFolder());
    const { organization, apiKey } = await domains.identity.createOrganization({ name: 'Bench', plan: 'custom' });
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const call = async (path: string, body: object): Promise<Answer> => {
      const response = await fetch(`${platform.origin}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return (await response.json()) as Answer;
    };
    const services: string[] = [];
    for (let made = 0; made < SERVICES; made += 1) services.push((await call('/connectivity/internet', ORDER)).data.id);

    const times: number[] = [];
    let sent = 0;
    const send = async (): Promise<void> => {
      const started = performance.now();
      const { accepted } = (await call('/billing/usage', { events: batchOf(services) })).data;
      if (accepted !== BATCH) throw new Error(`${accepted} of ${BATCH} events were accepted.`);
      sent += BATCH;
      times.push(performance.now() - started);
    };
    // not measured: it fills caches
    for (let turn = 0; turn < CLIENTS; turn += 1) await send();
    times.length = 0;
    const before = sent;
    const started = performance.now();
    const client = async (): Promise<void> => {
      while (performance.now() - started < SECONDS * 1000) await send();
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    const seconds = (performance.now() - started) / 1000;
    const [sums] = await rows.query<{ events: number }>(
      'select sum("events")::int as events from "billing"."usage_day" where "organization_id" = $1 and "quantity" = "events" * 1.5',
      [organization.id],
    );
    await platform.close();
    const sorted = times.sort((one, other) => one - other);
    return [
      {
        name: `batches of ${BATCH} by ${CLIENTS} clients, ${SECONDS} s`,
        eventsPerSecond: Math.round((sent - before) / seconds),
        p99Ms: Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0),
        sumsAreExact: sums?.events === sent,
      },
    ];
  });

interface Answer {
  data: { id: string; accepted: number };
}

const ORDER = {
  service_type: 'fiber',
  bandwidth: '1000mbps',
  location: { address: '350 Fifth Avenue', city: 'New York', state: 'NY', zip: '10118' },
};

const batchOf = (services: readonly string[]): object[] => {
  const timestamp = new Date().toISOString();
  return Array.from({ length: BATCH }, (_, index) => ({
    ...{ id: randomUUID(), service_id: services[index % services.length], metric: 'voice_minutes', quantity: 1.5, timestamp },
  }));
};
