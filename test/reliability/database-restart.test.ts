import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type Receiver, receiver } from '../events/receiver.ts';
import { eventually } from '../rig.ts';
import { ownDatabase } from '../support/own-database.ts';
import { DeliveryProcess } from './delivery.child.ts';

const HALF = 300;
const PATIENCE_MS = 120_000;

/** Stands between the platform and its PostgreSQL, and restarts in its place. */
class DatabaseProxy {
  readonly #sockets = new Set<Socket>();
  #isAway = false;
  /** How often a connection was refused. */
  refused = 0;

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(databaseUrl: string): Promise<DatabaseProxy> {
    const [url, target] = [new URL(databaseUrl), new URL(databaseUrl)];
    const server = createServer((socket) => proxy.#connect(socket, target));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const proxy: DatabaseProxy = new DatabaseProxy(server, url.href);
    onTestFinished(() => proxy.#stop());
    return proxy;
  }

  goAway(): void {
    this.#isAway = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  comeBack(): void {
    this.#isAway = false;
  }

  #connect(socket: Socket, { hostname, port }: URL): void {
    if (this.#isAway) {
      this.refused += 1;
      return void socket.destroy();
    }
    const upstream = connect(Number(port || 5432), hostname);
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }

  #stop(): void {
    this.goAway();
    this.server.close();
  }
}

const places = ({ arrivals }: Receiver): number[] => arrivals.map(({ event }) => Number(event.data.ticket.number));

test.runIf(process.env.TEST_DATABASE_URL)(
  'a database that restarts under load loses no event and no order, and does not end the platform',
  async () => {
    const proxy = await DatabaseProxy.start((await ownDatabase()) ?? '');
    const running = await DeliveryProcess.start({ url: proxy.url });
    const [fast, slow] = [await receiver(), await receiver((response) => void setTimeout(() => response.end(), 10))];
    await running.subscribe(fast.url, slow.url);
    await running.record(0, HALF);
    for (const at of [20, 120]) {
      const refused = proxy.refused;
      await eventually(() => slow.arrivals.length >= at, PATIENCE_MS);
      proxy.goAway();
      await eventually(() => proxy.refused >= refused + 5, PATIENCE_MS);
      proxy.comeBack();
    }
    await eventually(async () => {
      await running.record(HALF, HALF);
      return true;
    }, PATIENCE_MS);
    const everything = Array.from({ length: 2 * HALF }, (_, index) => index);
    await eventually(() => [fast, slow].every((one) => new Set(places(one)).size === everything.length), PATIENCE_MS);
    for (const one of [fast, slow]) expect([...new Set(places(one))]).toEqual(everything);
    expect(running.isRunning).toBe(true);
  },
  240_000,
);
