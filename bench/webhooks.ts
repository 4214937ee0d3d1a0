import '../apps/production.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { envelopeOf } from '../kernel/events/events.ts';
import { signatureHeaders, signedBody } from '../subgraphs/events/dispatch/delivery-signature.ts';
import { generateSecret } from '../subgraphs/events/webhooks/webhook-secret.ts';
import { BenchPlatform, Receiver, ticketEvent } from './webhooks-platform.ts';

export interface DeliveryRow {
  name: string;
  perSecond: number;
  /** `perSecond` divided by the rate of the plain HTTP client undici with the same number of connections. */
  ratio: number;
}

export interface LatencyRow {
  name: string;
  p50Ms: number;
  p99Ms: number;
}

const ROUNDS = 3;
const DELIVERIES = 12_800;
const WEBHOOKS = [1, 16];
const BATCH = 500;
const POLL_MS = 5;
const EVENTS_PER_SECOND = 100;
const LATENCY_EVENTS = 500;

/** Measurement (g): measures the rate of signed and recorded deliveries to a receiver in another process, and the latency of an event. */
export async function measureWebhooks(): Promise<{ throughput: DeliveryRow[]; latency: LatencyRow[] }> {
  await using stack = new AsyncDisposableStack();
  const receiver = stack.adopt(await Receiver.start(), (one) => one.stop());
  const platform = stack.adopt(await BenchPlatform.start(), (one) => one.stop());
  const throughput: DeliveryRow[] = [];
  for (const webhooks of WEBHOOKS) throughput.push(...(await compare(platform, receiver, webhooks)));
  return { throughput, latency: [await latencyOf(platform, receiver)] };
}

/** Measures both contenders in each round, so that both run under the same conditions. */
async function compare(platform: BenchPlatform, receiver: Receiver, webhooks: number): Promise<DeliveryRow[]> {
  const [bare, ours]: [number[], number[]] = [[], []];
  await platform.subscribe(receiver.url, webhooks);
  for (let round = -1; round < ROUNDS; round += 1) {
    const one = await bareRate(receiver, webhooks);
    const other = await platformRate(platform, receiver, webhooks);
    // the first round is a warm-up
    if (round >= 0) {
      bare.push(one);
      ours.push(other);
    }
  }
  await platform.unsubscribe();
  const [base, rate] = [median(bare), median(ours)];
  const to = webhooks === 1 ? '1 webhook' : `${webhooks} webhooks`;
  return [
    { name: `bare undici, ${to.replace('webhook', 'connection')}`, perSecond: Math.round(base), ratio: 1 },
    { name: `deliveries to ${to}`, perSecond: Math.round(rate), ratio: Number((rate / base).toFixed(2)) },
  ];
}

/**
 * Returns the rate of plain POST requests with a webhook body. Each connection sends its requests one after the other.
 */
async function bareRate({ url }: Receiver, connections: number): Promise<number> {
  const { id, payload } = envelopeOf(ticketEvent('org_bench'));
  const secret = generateSecret();
  const body = signedBody(payload, secret);
  const headers = { 'content-type': 'application/json', ...signatureHeaders({ id, at: new Date(), body, secrets: [secret] }) };
  const dispatcher = new Agent({ connections });
  const started = performance.now();
  let left = DELIVERIES;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (left-- > 0) await (await request(url, { method: 'POST', headers, body, dispatcher })).body.dump();
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  await dispatcher.close();
  return DELIVERIES / seconds;
}

/**
 * Returns the number of deliveries per second. The time includes reading, signing and sending a delivery and storing
 * its result. It does not include planning the deliveries, which `latencyOf` includes.
 */
async function platformRate(platform: BenchPlatform, receiver: Receiver, webhooks: number): Promise<number> {
  await receiver.taken();
  const count = DELIVERIES / webhooks;
  for (let from = 0; from < count; from += BATCH) await platform.append(Math.min(BATCH, count - from));
  while (await platform.isPlanning()) await delay(POLL_MS);
  const left = DELIVERIES - (await receiver.taken()).length;
  const started = performance.now();
  await receiver.taken(left);
  while (await platform.isDelivering()) await delay(POLL_MS);
  return left / ((performance.now() - started) / 1000);
}

/** Measures the time from the commit of an event in the outbox to its receipt, at a steady rate of events. */
async function latencyOf(platform: BenchPlatform, receiver: Receiver): Promise<LatencyRow> {
  await platform.subscribe(receiver.url, 1);
  await receiver.taken();
  const committed: Promise<number>[] = [];
  const started = performance.now();
  for (let index = 0; index < LATENCY_EVENTS; index += 1) {
    await delay(Math.max(0, started + (index * 1000) / EVENTS_PER_SECOND - performance.now()));
    committed.push(platform.record());
  }
  const commits = await Promise.all(committed);
  const arrivals = await receiver.taken(LATENCY_EVENTS);
  // commits and receipts have the same order, because one producer records all events
  const receipts = arrivals.map(([, at]) => at).sort((one, other) => one - other);
  const sorted = [...commits].sort((one, other) => one - other);
  const latencies = receipts.map((at, index) => at - (sorted[index] ?? 0)).sort((one, other) => one - other);
  const at = (share: number): number => Number((latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(1));
  return { name: `${EVENTS_PER_SECOND} events/s to one webhook`, p50Ms: at(0.5), p99Ms: at(0.99) };
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
