import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { RunningProcess } from '../support/process.ts';

/** Starts a process that waits for a signal and then runs the code in `closing`. */
const stoppable = (closing: string, timeoutMs: number) => {
  const shutdown = fileURLToPath(new URL('../../dist/apps/platform/shutdown.js', import.meta.url));
  const log = '{ info() {}, error() {} }';
  return new RunningProcess([
    '--input-type=module',
    '-e',
    `import { closeOnSignal } from ${JSON.stringify(shutdown)}; closeOnSignal({ close: () => ${closing} }, ${timeoutMs}, ${log}); setInterval(() => {}, 1000); console.log('ready');`,
  ]);
};
const ready = (child: RunningProcess) => vi.waitFor(() => expect(child.stdout).toContain('ready'), { timeout: 30_000 });

test('a second SIGINT after at least half a second ends the process immediately with status 130', async () => {
  const child = stoppable('new Promise(() => {})', 60_000);
  await ready(child);
  child.kill('SIGINT');
  child.kill('SIGINT');
  const since = performance.now();
  await vi.waitUntil(() => !child.isRunning || void child.kill('SIGINT'), { timeout: 30_000, interval: 50 });
  expect(await child.exited).toMatchObject({ code: 130 });
  expect(performance.now() - since).toBeGreaterThan(400);
});

test('a shutdown that fails or exceeds its time limit ends the process with status 1', async () => {
  for (const child of [stoppable('new Promise(() => {})', 50), stoppable('Promise.reject(new Error("no"))', 60_000)]) {
    await ready(child);
    child.kill('SIGTERM');
    expect(await child.exited).toMatchObject({ code: 1, signal: null });
  }
});
