import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { CloseCode, handleProtocols, type Server } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { PlatformError } from '../kernel/errors/errors.ts';
import type { RequestContext } from '../kernel/request.ts';
import type { AllowedOrigins } from '../kernel/settings/origins.ts';
import { mayOpenSocket } from './cors.ts';
import { CredentialWatch } from './credential-watch.ts';
import { rawResponse } from './edge/raw-response.ts';
import type { Router } from './router.ts';
import { SocketOperations, type SocketOperationsOptions } from './ws-operations.ts';
import { SOCKET_CLOSE, SocketSession } from './ws-session.ts';

export interface GraphqlSocketOptions<C extends RequestContext> extends SocketOperationsOptions<C> {
  /** Path of the WebSocket endpoint. Default: `/graphql`. */
  path?: string;
  /**
   * Maximum bytes of events that may wait for a client. If there are more, the socket is closed with 4450
   * (`SOCKET_CLOSE.resume`). Default: 1 MiB.
   */
  maxEventBytes?: number;
  /**
   * Time that a client has to read the waiting data and confirm the close of a socket, in milliseconds. Default: 5 s.
   */
  closeMs?: number;
  /**
   * Interval of pings. A socket that has not responded to a ping when the next ping is due is terminated.
   * Default: 15 s.
   */
  pingMs?: number;
  /** Origins whose pages may open a socket, in addition to the server's own origin. Default: any origin. */
  allowedOrigins?: AllowedOrigins;
  /**
   * Maximum time without an operation. After this time, the socket is closed with code 1000 when the next ping is due.
   * Default: 5 min.
   */
  idleMs?: number;
}

const DEFAULTS = {
  path: '/graphql',
  maxOperations: 100,
  maxEventBytes: 1024 * 1024,
  closeMs: 5_000,
  pingMs: 15_000,
  idleMs: 300_000,
  allowedOrigins: '*' as AllowedOrigins,
};
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Time that clients have to confirm the close of their sockets when the server stops. */
const STOP_GRACE_MS = 1_000;

const SERVER = {
  noServer: true,
  maxPayload: MAX_MESSAGE_BYTES,
  perMessageDeflate: false,
  handleProtocols: (offered: Set<string>) => handleProtocols(offered),
};

/**
 * Mounts GraphQL over WebSocket (graphql-transport-ws) on the server of `app`. The `preClose` hook closes all sockets.
 */
export function mountGraphqlSocket<C extends RequestContext>(app: FastifyInstance, router: Router, options: GraphqlSocketOptions<C>): void {
  const watch = options.watch ?? new CredentialWatch<C>({ log: options.log });
  const sockets = new GraphqlSockets(router, { ...DEFAULTS, ...options, watch });
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => sockets.upgrade(request, socket, head));
  app.addHook('preClose', async () => {
    watch.close();
    await sockets.close();
  });
}

class GraphqlSockets<C extends RequestContext> {
  readonly #sockets: WebSocketServer;
  readonly #protocol: Server<SocketSession<C>>;
  readonly #sessions = new Map<WebSocket, SocketSession<C>>();
  readonly #pings: NodeJS.Timeout;

  constructor(
    router: Router,
    private readonly options: Required<Pick<GraphqlSocketOptions<C>, 'watch'>> & GraphqlSocketOptions<C> & typeof DEFAULTS,
  ) {
    const closing = { closeTimeout: options.closeMs };
    this.#sockets = new WebSocketServer({ ...SERVER, ...closing });
    this.#protocol = new SocketOperations(router, options).createServer();
    this.#pings = setInterval(() => this.#ping(), options.pingMs).unref();
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // without this listener, an error of the socket would end the process
    socket.on('error', (error) => this.options.log.debug({ err: error }, 'WebSocket upgrade'));
    const refusal = this.#refusalOf(request);
    if (refusal) {
      socket.once('finish', () => socket.destroy());
      socket.end(rawResponse(refusal));
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#open(opened, request));
  }

  #refusalOf(request: IncomingMessage): PlatformError | undefined {
    const { path, allowedOrigins } = this.options;
    if (request.url?.split('?', 1)[0] !== path) return new PlatformError('ROUTE_NOT_FOUND', `WebSockets are opened at ${path}.`);
    if (!mayOpenSocket(request, allowedOrigins))
      return new PlatformError('ACCESS_RESTRICTED', 'Pages of this origin may not open a WebSocket here (ALLOWED_ORIGINS).');
    return undefined;
  }

  /** Closes all sockets when the server stops. Clients that do not confirm within `STOP_GRACE_MS` are disconnected. */
  async close(): Promise<void> {
    clearInterval(this.#pings);
    const closed = [...this.#sockets.clients].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of this.#sockets.clients) socket.close(SOCKET_CLOSE.goingAway, 'The server is stopping');
    const cutOff = setTimeout(() => {
      for (const socket of this.#sockets.clients) socket.terminate();
    }, STOP_GRACE_MS);
    await Promise.all(closed);
    clearTimeout(cutOff);
  }

  #open(socket: WebSocket, request: IncomingMessage): void {
    const session = new SocketSession<C>(socket, request, this.options.maxEventBytes);
    this.#sessions.set(socket, session);
    socket.on('pong', () => {
      session.isAnswering = true;
    });
    socket.on('error', (error) => this.options.log.debug({ err: error }, 'WebSocket'));
    const closed = this.#protocol.opened(
      {
        protocol: socket.protocol,
        send: (text) => session.answer(text),
        close: (code = SOCKET_CLOSE.normal, reason = '') => session.close(code, reason),
        onMessage: (take) => socket.on('message', (data) => void take(String(data)).catch((error: unknown) => this.#fail(session, error))),
      },
      session,
    );
    socket.once('close', (code, reason) => {
      this.#sessions.delete(socket);
      session.leave();
      closed(code, String(reason)).catch((error: unknown) => this.options.log.error({ err: error }, 'Closing a WebSocket failed'));
    });
  }

  /**
   * Logs an error that was thrown while a message was handled, and closes the socket. Does nothing if the socket is no
   * longer open.
   */
  #fail(session: SocketSession<C>, error: unknown): void {
    if (!session.isOpen) return;
    this.options.log.error({ err: error }, 'A WebSocket message could not be handled');
    session.close(CloseCode.InternalServerError, 'Internal error');
  }

  #ping(): void {
    for (const [socket, session] of this.#sessions) {
      if (!session.isAnswering) socket.terminate();
      else if (!this.#closeIdle(session)) {
        session.isAnswering = false;
        socket.ping();
      }
    }
  }

  #closeIdle(session: SocketSession<C>): boolean {
    const now = performance.now();
    if (session.hasOperations) session.idleSince = undefined;
    else session.idleSince ??= now;
    if (session.idleSince === undefined || now - session.idleSince < this.options.idleMs) return false;
    session.close(SOCKET_CLOSE.normal, 'Idle: the socket had no operations');
    return true;
  }
}
