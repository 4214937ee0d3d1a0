import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { load } from './load.ts';
import type { BenchTarget } from './rest-read.server.ts';
import { onScratch } from './scratch-database.ts';

export interface RateRow {
  name: string;
  /** Requests per second, median of all rounds. */
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** `perSecond` divided by the rate of the hand-written handler. */
  ratio: number;
}

interface RestRates {
  read?: RateRow[];
  list?: RateRow[];
  ticket?: RateRow[];
  order?: RateRow[];
}

const ROUNDS = 3;
const SECONDS = 4;
/** Duration of the warm-up. The first seconds are not typical, because the code is not compiled yet. */
const WARM_UP_SECONDS = 10;
const CONNECTIONS = 32;

/**
 * Measurements (a) and (c) of bench/results.md: REST operations through the whole stack, compared with hand-written
 * handlers in the same process and database. Measures only the sections in `sections`.
 */
export const measureRest = (sections: ReadonlySet<'a' | 'c'>): Promise<RestRates> =>
  onScratch('bench_rest', (env) => measureOn(env, sections));

async function measureOn(env: NodeJS.ProcessEnv, sections: ReadonlySet<'a' | 'c'>): Promise<RestRates> {
  const { child, target } = await startServer(env);
  const headers = { authorization: `Bearer ${target.apiKey}` };
  const ids = target.ticketIds;
  let turn = 0;
  const nextId = () => ids[turn++ % ids.length] as string;
  const get = (url: string, path: () => string): autocannon.Options => ({
    url,
    requests: [{ setupRequest: (request) => ({ ...request, path: path(), headers }) }],
  });
  const create = (url: string, path: string): autocannon.Options => ({
    url,
    requests: [
      {
        setupRequest: (request) => ({
          ...request,
          method: 'POST',
          path,
          headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
          body: JSON.stringify(target.ticket),
        }),
      },
    ],
  });
  try {
    const reads = sections.has('a') && {
      read: await compare([
        { name: 'hand-written Fastify handler', load: get(target.handOrigin, () => `/tickets/${nextId()}`) },
        { name: 'GET /v1/support/tickets/{id}', load: get(target.origin, () => `/v1/support/tickets/${nextId()}`) },
      ]),
      list: await compare([
        { name: 'hand-written Fastify handler', load: get(target.handOrigin, () => '/tickets?limit=50') },
        { name: 'GET /v1/support/tickets?limit=50', load: get(target.origin, () => '/v1/support/tickets?limit=50') },
      ]),
    };
    const writes = sections.has('c') && {
      ticket: await compare([
        { name: 'hand-written Fastify handler', load: create(target.handOrigin, '/tickets') },
        { name: 'the same with one statement', load: create(target.handOrigin, '/tickets/at-once') },
        { name: 'POST /v1/support/tickets', load: create(target.origin, '/v1/support/tickets') },
      ]),
      order: await compareOrders(target),
    };
    return { ...reads, ...writes };
  } finally {
    child.disconnect();
    await once(child, 'exit');
  }
}

async function startServer(env: NodeJS.ProcessEnv): Promise<{ child: ChildProcess; target: BenchTarget }> {
  const file = fileURLToPath(new URL('./rest-read.server.js', import.meta.url));
  const child = fork(file, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [target] = (await once(child, 'message')) as [BenchTarget];
  return { child, target };
}

interface Contender {
  name: string;
  load: autocannon.Options;
}

/** Measures all contenders in each round, so that all of them run under the same conditions. */
async function compare(contenders: readonly Contender[]): Promise<RateRow[]> {
  const results = contenders.map((): autocannon.Result[] => []);
  for (const { load } of contenders) await run(load, WARM_UP_SECONDS);
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

/** Orders for each organization in the warm-up and in each round. An organization may order at most 50 services per hour. */
const WARM_UP_EACH = 5;
const ORDERS_EACH = 15;

/** Measures how fast a hand-written handler and the platform accept orders for services, in turns. */
async function compareOrders(target: BenchTarget): Promise<RateRow[]> {
  const headers = { authorization: `Bearer ${target.apiKey}` };
  const postponed = await fetch(`${target.handOrigin}/postponed-jobs`, { method: 'POST', headers });
  if (!postponed.ok) throw new Error(await postponed.text());
  const contenders = [
    { name: 'hand-written Fastify handler', url: target.handOrigin, path: '/orders' },
    { name: 'POST /v1/connectivity/internet', url: target.origin, path: '/v1/connectivity/internet' },
  ];
  const results = contenders.map((): OrderRound[] => []);
  for (const { url, path } of contenders) await order(target, url, path, WARM_UP_EACH);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [index, { url, path }] of contenders.entries()) results[index]?.push(await order(target, url, path, ORDERS_EACH));
  const rates = results.map((all) => median(all.map(({ perSecond }) => perSecond)));
  return contenders.map(({ name }, index) => ({
    name,
    perSecond: Math.round(rates[index] ?? 0),
    p50Ms: median((results[index] ?? []).map(({ p50Ms }) => p50Ms)),
    p99Ms: median((results[index] ?? []).map(({ p99Ms }) => p99Ms)),
    ratio: Number(((rates[index] ?? 0) / (rates[0] ?? 1)).toFixed(2)),
  }));
}

type OrderRound = Pick<RateRow, 'perSecond' | 'p50Ms' | 'p99Ms'>;

/** Sends `each` orders for each organization. */
async function order({ orders }: BenchTarget, url: string, path: string, each: number): Promise<OrderRound> {
  let turn = 0;
  const setupRequest = (request: autocannon.Request): autocannon.Request => {
    const { apiKey, body } = orders[turn++ % orders.length] as BenchTarget['orders'][number];
    return {
      ...request,
      method: 'POST',
      path,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body,
    };
  };
  const amount = orders.length * each;
  const { perSecond, result } = await load({ url, connections: CONNECTIONS, amount, requests: [{ setupRequest }] });
  const { latency, non2xx } = result;
  if (non2xx > 0) throw new Error(`${non2xx} orders were refused.`);
  return { perSecond, p50Ms: latency.p50, p99Ms: latency.p99 };
}

async function run(load: autocannon.Options, duration: number): Promise<autocannon.Result> {
  const result = await autocannon({ ...load, connections: CONNECTIONS, duration });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${load.url}: ${result.non2xx} answers were refusals, ${result.errors} failed.`);
  return result;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
