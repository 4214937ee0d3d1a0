import { createServer } from 'node:net';

const LOWEST = 20_000;
const COUNT = 10_000;

/** Finds a free port outside the range that the system assigns, so that it stays free while a server restarts. */
export async function lastingPort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * COUNT);
    if (await isFree(port)) return port;
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
