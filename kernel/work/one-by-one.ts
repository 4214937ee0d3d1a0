import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Runs tasks that compute for long on the event loop one after the other, in the order of the calls. Before each task, the event loop
 * serves all other work that is ready, so that a request waits for at most one task.
 */
export class OneByOne {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs a task after all previous tasks have ended, and returns its result. A failed task does not affect later tasks. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(() => nextTurn()).then(task);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
