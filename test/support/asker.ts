import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';

/**
 * Tracks whether the current work belongs to a request or a test. Background work, such as periodic tasks and log
 * consumers, belongs to neither.
 */
const asker = new AsyncLocalStorage<{ isFinished: boolean }>();

subscribe('http.server.request.start', (message) => {
  const { response } = message as { response: ServerResponse };
  const request = { isFinished: false };
  // work that a request started, such as a timer, belongs to it until the response is closed
  response.once('close', () => {
    request.isFinished = true;
  });
  asker.enterWith(request);
});

/** True if the current work belongs to a test, or to a request whose response is not closed yet. */
export const isForeground = (): boolean => asker.getStore()?.isFinished === false;

/** Runs `act` as work of the test. What it started, such as a timer, belongs to the test until `act` has ended. */
export async function asForeground<T>(act: () => Promise<T>): Promise<T> {
  const work = { isFinished: false };
  try {
    return await asker.run(work, act);
  } finally {
    work.isFinished = true;
  }
}
