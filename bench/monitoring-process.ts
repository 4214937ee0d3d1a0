import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BenchOrganization, MonitoringQuestion, MonitoringTarget } from './monitoring.server.ts';

/** Clock ticks per second of the times in /proc. */
const TICKS = 100;

/** A process of the platform that runs bench/monitoring.server.ts. */
export interface MonitoringProcess extends MonitoringTarget {
  organizations(count: number): Promise<BenchOrganization[]>;
  partitions(kind: 'minutes' | 'quarters' | 'logs', days: number): Promise<void>;
  readSeries(): Promise<void>;
  /** Returns the processor time of the process, in seconds. */
  cpu(): Promise<number>;
  stop(): Promise<void>;
}

export async function monitoringProcess(env: NodeJS.ProcessEnv): Promise<MonitoringProcess> {
  const file = fileURLToPath(new URL('./monitoring.server.js', import.meta.url));
  const child = fork(file, { env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const answer = async <T>(): Promise<T> => ((await once(child, 'message')) as [{ answer: T }])[0].answer;
  const ask = <T>(question: MonitoringQuestion): Promise<T> => {
    child.send(question);
    return answer<T>();
  };
  const target = await answer<MonitoringTarget>();
  return {
    ...target,
    organizations: (count) => ask({ organizations: count }),
    partitions: (kind, days) => ask({ partitions: kind, days }),
    readSeries: () => ask('series'),
    cpu: () => ask('cpu'),
    async stop() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

/** Returns the processor time of all PostgreSQL processes of this machine, in seconds. */
export function postgresCpu(): number {
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = statOf(pid);
    const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? [];
    if (!name?.startsWith('postgres')) continue;
    const fields = rest?.split(' ') ?? [];
    // utime and stime, and the times of the children that have ended
    ticks += [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
  }
  return ticks / TICKS;
}

function statOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    // the process has ended meanwhile
    return '';
  }
}

export const percentile = (times: readonly number[], share: number): number => {
  const sorted = times.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
};
