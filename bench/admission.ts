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
  /** Median of the rounds' medians. */
  medianUs: number;
  p99Us: number;
  /** Against the first row. */
  ratio: number;
}

const ROUNDS = 5;
const REQUESTS = 20_000;
const WARM_UP = 20_000;

/**
 * (e): what the edge does for a request before its handler: read the credentials, verify a key that is cached, count the
 * request in hour and burst, take a slot, write the rate headers, and give the slot back. Beside the least that any such
 * thing must do: hash the key and count in a map.
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

/** So much time goes by between two requests that the limits of the plan, which are all in force, are never reached. */
const APART_MS = 60;

/** The edge with the platform's authenticator behind it, for a key of a plan that has limits. */
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
  // so that the cache hears of changes, and is trusted for as long
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

/** What the edge reads of a request, without the server around it. */
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
