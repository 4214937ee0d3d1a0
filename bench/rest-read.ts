import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import type { BenchTarget } from './rest-read.server.ts';

export interface RateRow {
  name: string;
  /** Median of the rounds. */
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Against the hand-written handler. */
  ratio: number;
}

const ROUNDS = 3;
const SECONDS = 4;
const CONNECTIONS = 32;

/** (a), (c): operations through the whole stack against hand-written handlers in the same process, on the same database. */
export async function measureRest(): Promise<{ read: RateRow[]; ticket: RateRow[]; order: RateRow[] }> {
  const { child, target } = await startServer();
  const headers = { authorization: `Bearer ${target.apiKey}` };
  const ids = target.ticketIds;
  let turn = 0;
  const nextId = () => ids[turn++ % ids.length] as string;
  try {
    return {
      read: await compare([
        {
          name: 'hand-written Fastify handler',
          load: {
            url: target.handOrigin,
            requests: [{ setupRequest: (request) => ({ ...request, path: `/tickets/${nextId()}`, headers }) }],
          },
        },
        {
          name: 'GET /v1/support/tickets/{id}',
          load: {
            url: target.origin,
            requests: [{ setupRequest: (request) => ({ ...request, path: `/v1/support/tickets/${nextId()}`, headers }) }],
          },
        },
      ]),
      ticket: await compare([
        {
          name: 'hand-written Fastify handler',
          load: {
            url: `${target.handOrigin}/tickets`,
            method: 'POST',
            headers: { ...headers, 'content-type': 'application/json' },
            body: JSON.stringify(target.ticket),
          },
        },
        {
          name: 'POST /v1/support/tickets',
          load: {
            url: `${target.origin}/v1/support/tickets`,
            method: 'POST',
            headers: { ...headers, 'content-type': 'application/json' },
            body: JSON.stringify(target.ticket),
          },
        },
      ]),
      order: [await orderOnce(target)],
    };
  } finally {
    child.disconnect();
    await once(child, 'exit');
  }
}

async function startServer(): Promise<{ child: ChildProcess; target: BenchTarget }> {
  const child = fork(fileURLToPath(new URL('./rest-read.server.js', import.meta.url)), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [target] = (await once(child, 'message')) as [BenchTarget];
  return { child, target };
}

interface Contender {
  name: string;
  load: autocannon.Options;
}

/** Rounds are interleaved, so that all contenders see the same machine. */
async function compare(contenders: readonly Contender[]): Promise<RateRow[]> {
  const results = contenders.map((): autocannon.Result[] => []);
  for (const { load } of contenders) await run(load, 1);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, { load }] of contenders.entries()) results[index]?.push(await run(load, SECONDS));
  }
  const rates = results.map((all) => median(all.map(({ requests }) => requests.average)));
  return contenders.map(({ name }, index) => ({
    name,
    perSecond: Math.round(rates[index] ?? 0),
    p50Ms: median((results[index] ?? []).map(({ latency }) => latency.p50)),
    p99Ms: median((results[index] ?? []).map(({ latency }) => latency.p99)),
    ratio: Number(((rates[index] ?? 0) / (rates[0] ?? 1)).toFixed(2)),
  }));
}

const ORDERS_EACH = 45;

/** A bounded number of orders: the plan's limits hold for benchmarks too. */
async function orderOnce({ origin, orders }: BenchTarget): Promise<RateRow> {
  let turn = 0;
  const setupRequest = (request: autocannon.Request): autocannon.Request => {
    const { apiKey, body } = orders[turn++ % orders.length] as BenchTarget['orders'][number];
    return {
      ...request,
      method: 'POST',
      path: '/v1/connectivity/internet',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body,
    };
  };
  const { requests, latency, non2xx } = await autocannon({
    url: origin,
    connections: CONNECTIONS,
    amount: orders.length * ORDERS_EACH,
    requests: [{ setupRequest }],
  });
  if (non2xx > 0) throw new Error(`${non2xx} orders were refused.`);
  return {
    name: 'POST /v1/connectivity/internet',
    perSecond: Math.round(requests.average),
    p50Ms: latency.p50,
    p99Ms: latency.p99,
    ratio: 1,
  };
}

async function run(load: autocannon.Options, duration: number): Promise<autocannon.Result> {
  const result = await autocannon({ ...load, connections: CONNECTIONS, duration });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${load.url}: ${result.non2xx} answers were refusals, ${result.errors} failed.`);
  return result;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
