import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LiveCommand, LiveTarget, Memory, Sent } from './live.server.ts';
import type { ClientsCommand, Receipts } from './live-clients.ts';
import { onScratch } from './scratch-database.ts';

export interface FanOutRow {
  name: string;
  sockets: number;
  /** Number of sockets divided by the time from the commit to the last receipt. Median of all rounds. */
  deliveriesPerSecond: number;
  /** 99th percentile of the time from the commit to a receipt, over all rounds. */
  p99Ms: number;
  /** `deliveriesPerSecond` divided by the rate of a plain broadcast to the same number of sockets. */
  ratio: number;
}

export interface MemoryRow {
  name: string;
  kibPerSocket: number;
}

const SOCKETS = [100, 1_000, 5_000];
const MOST = SOCKETS.at(-1) ?? 0;
const PROCESSES = 2;
const WARM_UP = 3;
const ROUNDS = 15;
const SUBSCRIPTIONS = {
  'events { id event timestamp payload }': 'subscription { events(patterns: ["ticket.created"]) { id event timestamp payload } }',
  'with the ticket’s number and status':
    'subscription { events(patterns: ["ticket.created"]) { id event timestamp subject { ... on Ticket { number status } } } }',
};

/** Measures the delivery of one event to many sockets with a subscription each, and the memory of an idle socket. */
export const measureLive = (): Promise<{ fanOut: FanOutRow[]; memory: MemoryRow[] }> => onScratch('bench_live', measureOn);

async function measureOn(env: NodeJS.ProcessEnv): Promise<{ fanOut: FanOutRow[]; memory: MemoryRow[] }> {
  const server = start('./live.server.js', { env, execArgv: ['--expose-gc'] });
  const target = await answerOf<LiveTarget>(server);
  const clients = Array.from({ length: PROCESSES }, () => start('./live-clients.js'));
  const bench = new LiveBench(server, clients, target);
  try {
    return await bench.run();
  } finally {
    for (const child of [server, ...clients]) child.disconnect();
    await Promise.all([server, ...clients].map((child) => once(child, 'exit')));
  }
}

class LiveBench {
  constructor(
    private readonly server: ChildProcess,
    private readonly clients: readonly ChildProcess[],
    private readonly target: LiveTarget,
  ) {}

  async run(): Promise<{ fanOut: FanOutRow[]; memory: MemoryRow[] }> {
    const { url, bareUrl, apiKey } = this.target;
    const fanOut: FanOutRow[] = [];
    let memory: MemoryRow[] = [];
    for (const sockets of SOCKETS) {
      const measured: { name: string; rounds: Round[] }[] = [];
      for (const [name, query] of Object.entries(SUBSCRIPTIONS)) {
        const before = await this.#ask<Memory>({ do: 'memory' });
        await this.#open({ url, count: sockets / PROCESSES, operation: { apiKey, query } });
        if (sockets === MOST && memory.length === 0) memory = rowsOf(before, await this.#ask<Memory>({ do: 'memory' }), sockets);
        measured.push({ name, rounds: await this.#rounds({ do: 'event' }) });
        await this.#close();
      }
      const text = measured[0]?.rounds[0]?.sample ?? '';
      await this.#open({ url: bareUrl, count: sockets / PROCESSES, operation: null });
      const bare = rowOf('bare ws broadcast of the same bytes', sockets, await this.#rounds({ do: 'broadcast', text }), undefined);
      await this.#close();
      fanOut.push(bare, ...measured.map(({ name, rounds }) => rowOf(name, sockets, rounds, bare)));
    }
    return { fanOut, memory };
  }

  /**
   * Runs the rounds of a measurement. Each round starts after every socket has received the message of the previous
   * round.
   */
  async #rounds(command: LiveCommand): Promise<Round[]> {
    const rounds: Round[] = [];
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      const receipts = this.clients.map((client) => answerOf<Receipts>(client));
      const { sentAt } = await this.#ask<Sent>(command);
      const all = await Promise.all(receipts);
      const latencies = all.flatMap(({ receivedAt }) => receivedAt.map((at) => at - sentAt));
      if (round >= WARM_UP) rounds.push({ latencies, sample: all[0]?.sample ?? '' });
    }
    return rounds;
  }

  async #open(command: ClientsCommand): Promise<void> {
    await Promise.all(this.clients.map((client) => asked(client, command)));
  }

  async #close(): Promise<void> {
    await Promise.all(this.clients.map((client) => asked(client, 'close')));
  }

  #ask<T>(command: LiveCommand): Promise<T> {
    return asked<T>(this.server, command);
  }
}

interface Round {
  latencies: number[];
  sample: string;
}

function rowOf(name: string, sockets: number, rounds: readonly Round[], bare: FanOutRow | undefined): FanOutRow {
  const rates = rounds.map(({ latencies }) => (sockets * 1000) / Math.max(1, ...latencies)).sort((a, b) => a - b);
  const deliveriesPerSecond = Math.round(rates[rates.length >> 1] ?? 0);
  const all = rounds.flatMap(({ latencies }) => latencies).sort((a, b) => a - b);
  const ratio = bare ? Number((deliveriesPerSecond / bare.deliveriesPerSecond).toFixed(2)) : 1;
  return { name, sockets, deliveriesPerSecond, p99Ms: all[Math.floor(all.length * 0.99)] ?? 0, ratio };
}

const rowsOf = (before: Memory, after: Memory, sockets: number): MemoryRow[] => [
  { name: 'resident (rss)', kibPerSocket: kib(after.rss - before.rss, sockets) },
  { name: 'heap and external, in use', kibPerSocket: kib(after.used - before.used, sockets) },
];
const kib = (bytes: number, sockets: number): number => Number((bytes / 1024 / sockets).toFixed(1));

const start = (file: string, options: ForkOptions = {}): ChildProcess =>
  fork(fileURLToPath(new URL(file, import.meta.url)), { ...options, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });

/** Returns the next message of a child process. A child sends a message only after a command. */
async function answerOf<T>(child: ChildProcess): Promise<T> {
  const [answer] = (await once(child, 'message')) as [T];
  return answer;
}

function asked<T>(child: ChildProcess, command: object | string): Promise<T> {
  const answer = answerOf<T>(child);
  child.send(command);
  return answer;
}
