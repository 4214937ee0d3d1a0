import { connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy for a server. It can cut all connections (`cut`), or accept data without forwarding it (`hang`). */
export class Line implements AsyncDisposable {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  #port = 0;
  #hangs = false;

  private constructor(private readonly target: URL) {
    this.#server = createServer((near) => {
      const far = connect(Number(target.port || 6379), target.hostname);
      for (const [socket, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(socket);
        socket.on('data', (bytes) => this.#hangs || other.write(bytes));
        socket.on('error', () => socket.destroy());
        socket.on('close', () => {
          this.#sockets.delete(socket);
          other.destroy();
        });
      }
    });
  }

  static async to(url: string): Promise<Line> {
    const line = new Line(new URL(url));
    await line.restore();
    return line;
  }

  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${this.#port}`;
    return url.href;
  }

  async restore(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as { port: number }).port;
  }

  async cut(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Stops forwarding data on all connections until `flow` is called. */
  hang(): void {
    this.#hangs = true;
  }

  flow(): void {
    this.#hangs = false;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.cut();
  }
}
