import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

/** Longest pause after a task. */
const MAX_REST_MS = 100;

/**
 * Runs tasks that compute for long on the event loop one after the other, in the order of the calls. A request waits for at most one task
 * each time it waits for something, such as the database. After each task there is a pause of the same length, so that a request that
 * waits often ends before the tasks do.
 */
export class OneByOne {
  #last: Promise<unknown> = Promise.resolve();
  /** Time before which no task begins, by `performance.now()`. */
  #restsUntil = 0;

  /** Runs a task after all previous tasks have ended, and returns its result. A failed task does not affect later tasks. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(() => this.#rest()).then(() => this.#measured(task));
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Waits for the end of the pause, and at least until all other work that is ready has been done. */
  async #rest(): Promise<void> {
    const restMs = this.#restsUntil - performance.now();
    await (restMs > 0 ? delay(restMs) : nextTurn());
  }

  async #measured<T>(task: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await task();
    } finally {
      const endedAt = performance.now();
      this.#restsUntil = endedAt + Math.min(endedAt - startedAt, MAX_REST_MS);
    }
  }
}
