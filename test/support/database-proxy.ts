import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy between the platform and PostgreSQL that can simulate a restart of the database, and a database that does not respond. */
export class DatabaseProxy {
  readonly #sockets = new Set<Socket>();
  #isDown = false;
  #isFrozen = false;
  /** The connection to which the data of each connection is forwarded. */
  readonly #forwards = new Map<Socket, Socket>();
  /** Number of connections that the proxy has refused. */
  refused = 0;
  /** Number of times that a client sent data after the server had responded to the previous data. */
  roundTrips = 0;

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

  /** Number of open connections of clients. */
  get connections(): number {
    return this.#sockets.size / 2;
  }

  disconnect(): void {
    this.#isDown = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  reconnect(): void {
    this.#isDown = false;
  }

  /** Keeps all connections, but forwards nothing. */
  freeze(): void {
    this.#isFrozen = true;
    for (const [from, to] of this.#forwards) from.unpipe(to);
  }

  thaw(): void {
    this.#isFrozen = false;
    for (const [from, to] of this.#forwards) from.pipe(to);
  }

  #connect(socket: Socket, { hostname, port }: URL): void {
    if (this.#isDown) {
      this.refused += 1;
      return void socket.destroy();
    }
    const upstream = connect(Number(port || 5432), hostname);
    let isAnswered = true;
    socket.on('data', () => {
      if (isAnswered) this.roundTrips += 1;
      isAnswered = false;
    });
    upstream.on('data', () => {
      isAnswered = true;
    });
    for (const [one, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        this.#sockets.delete(one);
        this.#forwards.delete(one);
        other.destroy();
      });
      this.#forwards.set(one, other);
      if (this.#isFrozen) one.pause();
      else one.pipe(other);
    }
  }

  #stop(): void {
    this.disconnect();
    this.server.close();
  }
}
