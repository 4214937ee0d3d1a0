import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

const SWEEP_MS = 20;
/** Time for clients to send the rest of a request's headers after the server began to close. WebSockets close in the same time. */
const GRACE_MS = 1_500;

/**
 * Decides which connections a closing server closes. A connection is closed when its last response has been sent completely, and after
 * `GRACE_MS` if it has no complete request.
 * Node closes only the connections that are idle when the closing begins. It counts a response as sent while most of it can still be
 * waiting for a slow client. For connections that browsers open in advance and never use, and for headers that are sent slowly, it
 * waits without a time limit.
 */
export function mountDraining(app: FastifyInstance): void {
  const { server } = app;
  /** Open connections by the address of the client. With TLS, a connection is first a TCP socket, and after the handshake a TLS socket. */
  const open = new Map<string, Socket>();
  /** Number of requests of each connection whose response has not been sent completely. */
  const running = new WeakMap<Socket, number>();
  /** Number of bytes that a connection had received when its last response had been sent. More bytes belong to a new request. */
  const idleAt = new WeakMap<Socket, number>();

  const opened = (socket: Socket): void => {
    const client = `${socket.remoteAddress} ${socket.remotePort}`;
    open.set(client, socket);
    socket.once('close', () => open.get(client) === socket && open.delete(client));
  };
  const ended = (socket: Socket): void => {
    const left = (running.get(socket) ?? 1) - 1;
    if (left > 0) {
      running.set(socket, left);
      return;
    }
    running.delete(socket);
    idleAt.set(socket, socket.bytesRead);
  };
  server.on('connection', opened);
  server.on('secureConnection', opened);
  server.on('request', ({ socket }, response) => {
    running.set(socket, (running.get(socket) ?? 0) + 1);
    response.once('close', () => ended(socket));
  });

  const closeWithoutRequest = (isClosable: (socket: Socket) => boolean): void => {
    for (const socket of open.values()) if (!running.has(socket) && isClosable(socket)) socket.destroy();
  };
  // Node calls it when the server begins to close
  server.closeIdleConnections = () => closeWithoutRequest((socket) => idleAt.get(socket) === socket.bytesRead);
  app.addHook('preClose', async () => {
    if (!server.listening) return;
    const graceEnds = performance.now() + GRACE_MS;
    const sweep = setInterval(() => {
      if (performance.now() < graceEnds) server.closeIdleConnections();
      else closeWithoutRequest(() => true);
    }, SWEEP_MS);
    server.once('close', () => clearInterval(sweep));
  });
}
