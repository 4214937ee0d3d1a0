import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

const SWEEP_MS = 20;
/** Time for clients to send the rest of a request's headers after the server began to close. WebSockets close in the same time. */
const GRACE_MS = 1_500;

/**
 * Makes the closing of a server end. Node closes the connections that are idle at that moment, and then waits for all others without a
 * time limit: also for connections that were opened and never used, as browsers do, and for headers that are sent too slowly.
 * Here connections are closed when their last response has been sent, and after `GRACE_MS` if they have no complete request.
 */
export function mountDraining(app: FastifyInstance): void {
  const { server } = app;
  /** Open connections by the address of the client. With TLS, a connection is first a TCP socket, and after the handshake a TLS socket. */
  const open = new Map<string, Socket>();
  const running = new Map<Socket, number>();
  const opened = (socket: Socket): void => {
    const client = `${socket.remoteAddress} ${socket.remotePort}`;
    open.set(client, socket);
    socket.once('close', () => open.get(client) === socket && open.delete(client));
  };
  server.on('connection', opened);
  server.on('secureConnection', opened);
  server.on('request', ({ socket }, response) => {
    running.set(socket, (running.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (running.get(socket) ?? 1) - 1;
      if (left > 0) running.set(socket, left);
      else running.delete(socket);
    });
  });
  app.addHook('preClose', async () => {
    if (!server.listening) return;
    const graceEnds = performance.now() + GRACE_MS;
    const sweep = setInterval(() => {
      server.closeIdleConnections();
      if (performance.now() < graceEnds) return;
      for (const socket of open.values()) if (!running.has(socket)) socket.destroy();
    }, SWEEP_MS);
    server.once('close', () => clearInterval(sweep));
  });
}
