import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { scratchFolder } from './scratch-folder.ts';

export interface StartRow {
  name: string;
  seconds: number;
  /** Resident memory after the process was idle for two seconds. */
  residentMiB: number;
}

const MAIN = fileURLToPath(new URL('../programs/platform.js', import.meta.url));
const IDLE_MS = 2000;

/** Measurement (d): measures the time from the command until /readyz responds, at the first start and at a start with existing data. */
export async function measureStart(): Promise<StartRow[]> {
  const dataDir = scratchFolder();
  return [await start('first start, embedded database', dataDir), await start('second start over the same data', dataDir)];
}

async function start(name: string, dataDir: string): Promise<StartRow> {
  const started = performance.now();
  const child = spawn(process.execPath, [MAIN, '--data', dataDir, '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    const origin = /REST\s+(\S+)\/v1/.exec(text)?.[1];
    if (!origin) continue;
    while (!(await fetch(`${origin}/readyz`)).ok) await new Promise((resolve) => setTimeout(resolve, 10));
    break;
  }
  const seconds = Number(((performance.now() - started) / 1000).toFixed(2));
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const kib = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0);
  child.kill('SIGTERM');
  await ended;
  return { name, seconds, residentMiB: Math.round(kib / 1024) };
}
