import { createServer } from 'node:net';

const LOWEST = 20_000;
const COUNT = 10_000;

/** A port that is free, and stays so while who listens on it is restarted: the system gives none of these to anybody by itself. */
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
