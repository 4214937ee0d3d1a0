import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';

/** Who does something in this process: a request until it is answered, or a test. What runs by itself, such as sweeps and readers of the log, is nobody's. */
const asker = new AsyncLocalStorage<{ isAnswered: boolean }>();

subscribe('http.server.request.start', (message) => {
  const { response } = message as { response: ServerResponse };
  const request = { isAnswered: false };
  // a timer that a request sets off goes on in its name
  response.once('close', () => {
    request.isAnswered = true;
  });
  asker.enterWith(request);
});

/** Whether what runs now is done for a request or a test that waits for it. */
export const isAskedFor = (): boolean => asker.getStore()?.isAnswered === false;

/** Does something in the name of a test. */
export const asked = <T>(act: () => Promise<T>): Promise<T> => asker.run({ isAnswered: false }, act);
