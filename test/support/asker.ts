import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';

/**
 * Tracks whether work in this process belongs to a request or a test. Background work, such as sweeps and log consumers, belongs
 * to neither.
 */
const asker = new AsyncLocalStorage<{ isAnswered: boolean }>();

subscribe('http.server.request.start', (message) => {
  const { response } = message as { response: ServerResponse };
  const request = { isAnswered: false };
  // a timer that a request starts runs on its behalf
  response.once('close', () => {
    request.isAnswered = true;
  });
  asker.enterWith(request);
});

/** Whether the current work belongs to a request or a test that waits for it. */
export const isAskedFor = (): boolean => asker.getStore()?.isAnswered === false;

/** Runs something on behalf of the test. */
export const asked = <T>(act: () => Promise<T>): Promise<T> => asker.run({ isAnswered: false }, act);
