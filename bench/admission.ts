import { scratchFolder } from './scratch-folder.ts';
import 'reflect-metadata';
import { hash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { assemble } from '../apps/platform/assemble.ts';
import { createLogger } from '../kernel/log/log.ts';
import { createMetrics } from '../kernel/metrics/metrics.ts';
import { loadConfig } from '../kernel/settings/config.ts';
import { Edge } from '../router/edge/edge.ts';
import { MemoryCounters } from '../router/edge/memory-counters.ts';

export interface AdmissionRow {
  name: string;
  /** Typical time of a request, in microseconds. Each round has a median; this is the median of these medians. */
  medianUs: number;
  p99Us: number;
  /** `medianUs` divided by the `medianUs` of the first row of the results. */
  ratio: number;
}

const ROUNDS = 5;
const REQUESTS = 20_000;
const WARM_UP = 20_000;

/**
 * Measurement (e): the time that a request spends in the edge before its handler starts. The edge reads the credentials, verifies an API
 * key that is cached, counts the request towards the hourly and burst limits, takes a slot for concurrent requests, writes the rate limit
 * headers, and releases the slot. The edge is compared with a minimal version of this work: hashing the key and counting in a map.
 */
export async function measureAdmission(): Promise<AdmissionRow[]> {
  const { admit, close } = await edgeOfPlatform();
  const contenders = [
    { name: 'a hash and a map', run: bareCount() },
    { name: 'the edge', run: admit },
  ];
  const medians = contenders.map((): number[] => []);
  const tails = contenders.map((): number[] => []);
  for (const { run } of contenders) await time(run, WARM_UP);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, { run }] of contenders.entries()) {
      const times = (await time(run, REQUESTS)).sort((a, b) => a - b);
      medians[index]?.push(times[times.length >> 1] ?? 0);
      tails[index]?.push(times[Math.floor(times.length * 0.99)] ?? 0);
    }
  }
  await close();
  const [base = 1] = medians.map(middle);
  return contenders.map(({ name }, index) => ({
    name,
    medianUs: rounded(middle(medians[index] ?? [])),
    p99Us: rounded(middle(tails[index] ?? [])),
    ratio: rounded(middle(medians[index] ?? []) / base),
  }));
}

const middle = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
const rounded = (value: number): number => Number(value.toFixed(1));

async function time(run: () => Promise<void> | void, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const started = performance.now();
    await run();
    times.push((performance.now() - started) * 1000);
  }
  return times;
}

const KEY = `sk_live_${'k'.repeat(64)}`;

function bareCount(): () => Promise<void> {
  const counts = new Map<string, number>();
  return async () => {
    const digest = hash('sha256', KEY, 'hex');
    counts.set(digest, (counts.get(digest) ?? 0) + 1);
  };
}

/**
 * Time between two requests. It is long enough that no request reaches a limit of the plan, although all limits are
 * active.
 */
const APART_MS = 60;

/**
 * Creates the edge with the platform's authenticator, and an organization whose plan has limits. `admit` sends a request
 * with the API key of that organization.
 */
async function edgeOfPlatform(): Promise<{ admit(): Promise<void>; close(): Promise<void> }> {
  const log = createLogger({ level: 'silent' });
  const config = loadConfig({ SECRET_KEY: SECRET, DATA_DIR: scratchFolder() });
  let nowMs = Date.now();
  const clock = { now: () => new Date(nowMs) };
  const foundation = {
    config,
    secretKeys: [SECRET] as const,
    origin: 'http://127.0.0.1',
    clock,
    log,
    metrics: createMetrics(),
    redis: undefined,
  };
  const assembly = await assemble(foundation);
  // the cache needs change notifications to keep its entries as long as it does in production
  await assembly.domains.identity.start();
  const { apiKey } = await assembly.domains.identity.createOrganization({ name: 'Bench', plan: 'enterprise' });
  const { usage } = assembly;
  const edge = new Edge({
    ...foundation,
    ...(usage && { usage }),
    authenticate: (credentials) => assembly.authenticate(credentials),
    isFamiliar: (credentials) => assembly.isFamiliar(credentials),
    counters: new MemoryCounters(),
    anonymous: { perHour: 1000, burst: 100 },
    slotWaitMs: 5_000,
  });
  const request = new BenchRequest({ authorization: `Bearer ${apiKey}`, 'user-agent': 'bench' });
  return {
    async admit() {
      nowMs += APART_MS;
      const reply = new BenchReply();
      await edge.receive(request as unknown as FastifyRequest, reply as unknown as FastifyReply);
      reply.raw.emit('close');
    },
    close: () => assembly.close(),
  };
}

const SECRET = 'a secret for benchmarks, long enough';

/** Stands in for a Fastify request. It has only the properties that the edge reads. */
class BenchRequest {
  readonly id = 'req_bench';
  readonly ip = '127.0.0.1';
  readonly method = 'GET';
  readonly is404 = false;
  readonly routeOptions = { config: {} };

  constructor(readonly headers: Record<string, string>) {}
}

class BenchReply {
  readonly raw = new EventEmitter();
  readonly sent: Record<string, unknown> = {};

  header(name: string, value: unknown): this {
    this.sent[name] = value;
    return this;
  }

  headers(all: Record<string, unknown>): this {
    for (const name in all) this.sent[name] = all[name];
    return this;
  }
}
