import { randomUUID } from 'node:crypto';
import type { Rows } from '../kernel/database/database.ts';
import { platformOn } from './platform.ts';
import { onScratch } from './scratch-database.ts';
import { scratchFolder } from './scratch-folder.ts';

export interface OrdersRow {
  name: string;
  acceptedPerSecond: number;
  /**
   * Number of ordered services divided by the seconds from the first order until all of them have their first invoice.
   */
  invoicedPerSecond: number;
  /**
   * Seconds from the response to the last order until the services domain has no due or running jobs and an empty
   * outbox.
   */
  emptyAfterSeconds: number;
}

const CLIENTS = 16;
const POLL_MS = 50;

/**
 * Measurement (k): many clients order services at the same time. Measures how fast the platform accepts the orders, and
 * how fast all ordered services get their first invoice.
 */
export const measureOrders = (): Promise<OrdersRow[]> =>
  onScratch('bench_orders', async ({ BENCH_DATABASE_URL }) => {
    const { platform, domains, rows } = await platformOn(BENCH_DATABASE_URL, scratchFolder());
    const newKey = async (): Promise<string> => (await domains.identity.createOrganization({ name: 'Bench', plan: 'custom' })).apiKey;
    const keys = (count: number): Promise<string[]> => Promise.all(Array.from({ length: count }, newKey));
    await run(platform.origin, rows, await keys(4), 100, 'warm-up');
    const measured = [
      await run(platform.origin, rows, await keys(1), 50, '50 orders of one organization'),
      await run(platform.origin, rows, await keys(20), 500, '500 orders of 20 organizations'),
    ];
    await platform.close();
    return measured;
  });

async function run(origin: string, rows: Rows, keys: readonly string[], count: number, name: string): Promise<OrdersRow> {
  const body = JSON.stringify({
    service_type: 'fiber',
    bandwidth: '1000mbps',
    location: { address: '350 Fifth Avenue', city: 'New York', state: 'NY', zip: '10118' },
  });
  const invoicesBefore = await countOf(rows, 'select count(*)::int as count from "billing"."invoice"');
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1000;
  let next = 0;
  const client = async (): Promise<void> => {
    for (let turn = next++; turn < count; turn = next++) {
      const headers = {
        authorization: `Bearer ${keys[turn % keys.length]}`,
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
      };
      const response = await fetch(`${origin}/v1/connectivity/internet`, { method: 'POST', headers, body });
      if (response.status !== 201) throw new Error(await response.text());
      await response.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const accepted = seconds();
  await until(async () => (await countOf(rows, 'select count(*)::int as count from "billing"."invoice"')) >= invoicesBefore + count);
  const invoiced = seconds();
  await until(async () => (await countOf(rows, WAITING)) === 0);
  return {
    name,
    acceptedPerSecond: Math.round(count / accepted),
    invoicedPerSecond: Math.round(count / invoiced),
    emptyAfterSeconds: Number((seconds() - accepted).toFixed(1)),
  };
}

/** Counts the jobs of the services domain that are due or running, and the events in its outbox. */
const WAITING = `select (select count(*) from "pgboss"."job" where "state" in ('created', 'retry', 'active') and "start_after" <= now()
    and "name" like 'services.%')::int + (select count(*) from "services"."outbox")::int as count`;

const countOf = async (rows: Rows, sql: string): Promise<number> => (await rows.query<{ count: number }>(sql, []))[0]?.count ?? 0;

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}
