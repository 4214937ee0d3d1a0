import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { OrdersQuestion } from './orders.server.ts';
import { onScratch } from './scratch-database.ts';

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
/** Orders before the measurement. The code of a process is compiled for speed only after it has run for some time. */
const WARM_UP = 1000;
/** A rate limit allows an organization 50 orders in an hour. */
const ORDERS_EACH = 50;

/**
 * Measurement (k): many clients order services at the same time. Measures how fast the platform accepts the orders, and
 * how fast all ordered services get their first invoice. The clients are in another process than the platform.
 */
export const measureOrders = (): Promise<OrdersRow[]> =>
  onScratch('bench_orders', async (env) => {
    const server = fork(fileURLToPath(new URL('./orders.server.js', import.meta.url)), {
      env,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const [origin] = (await once(server, 'message')) as [string];
    const run = (organizations: number, count: number, name: string): Promise<OrdersRow> =>
      order({ server, origin }, organizations, count, name);
    try {
      await run(WARM_UP / ORDERS_EACH, WARM_UP, 'warm-up');
      return [await run(1, 50, '50 orders of one organization'), await run(20, 500, '500 orders of 20 organizations')];
    } finally {
      server.disconnect();
      await once(server, 'exit');
    }
  });

interface Target {
  server: ChildProcess;
  origin: string;
}

async function order({ server, origin }: Target, organizations: number, count: number, name: string): Promise<OrdersRow> {
  const body = JSON.stringify({
    service_type: 'fiber',
    bandwidth: '1000mbps',
    location: { address: '350 Fifth Avenue', city: 'New York', state: 'NY', zip: '10118' },
  });
  const keys = await ask<string[]>(server, { organizations });
  const invoicesBefore = await ask<number>(server, 'invoices');
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
  await until(async () => (await ask<number>(server, 'invoices')) >= invoicesBefore + count);
  const invoiced = seconds();
  await until(async () => (await ask<number>(server, 'waiting')) === 0);
  return {
    name,
    acceptedPerSecond: Math.round(count / accepted),
    invoicedPerSecond: Math.round(count / invoiced),
    emptyAfterSeconds: Number((seconds() - accepted).toFixed(1)),
  };
}

async function ask<T>(server: ChildProcess, question: OrdersQuestion): Promise<T> {
  const answered = once(server, 'message');
  server.send(question);
  const [answer] = (await answered) as [T];
  return answer;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}
