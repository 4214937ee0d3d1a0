import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** V8's function `gc`, which scripts have where `--expose-gc` is set. */
type CollectGarbage = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

const LOOK_EVERY_MS = 500;
/** The share of that time in which the event loop may have been busy. */
const IDLE = 0.05;

/**
 * Gives the system back what the start took and needs no more: 150 MB, which V8 would keep for as long as the system does not run
 * short, since an idle process makes no garbage that has it look. That takes a quarter of a second, in which nothing is served: it
 * waits until nothing is to be served. A busy process makes garbage, and needs none of this.
 */
export function releaseMemoryWhenIdle(): void {
  let last = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    if (utilization > IDLE) return;
    clearInterval(timer);
    collectGarbage();
  }, LOOK_EVERY_MS);
  timer.unref();
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as CollectGarbage;
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
