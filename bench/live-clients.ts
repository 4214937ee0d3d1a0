import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';

/**
 * A command to the process that opens WebSockets for bench/live.ts. The process counts messages without parsing them,
 * to keep each socket cheap.
 */
export interface ClientsCommand {
  url: string;
  count: number;
  /**
   * Operation to subscribe to over graphql-transport-ws. Null for the plain server, which broadcasts to every socket
   * without a subscription.
   */
  operation: { apiKey: string; query: string } | null;
}

/** The time at which each socket received the message, in milliseconds since the epoch, and the text of one message. */
export interface Receipts {
  receivedAt: number[];
  sample: string;
}

const AT_ONCE = 50;

const sockets: WebSocket[] = [];
let receivedAt: number[] = [];

process.on('message', async (command: ClientsCommand | 'close') => {
  if (command === 'close') {
    for (const socket of sockets.splice(0)) socket.terminate();
    process.send?.('closed');
    return;
  }
  for (let opened = 0; opened < command.count; opened += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, command.count - opened) }, () => open(command)));
  process.send?.('opened');
});
process.once('disconnect', () => process.exit(0));

async function open({ url, operation }: ClientsCommand): Promise<void> {
  const socket = new WebSocket(url, operation ? 'graphql-transport-ws' : [], { perMessageDeflate: false });
  sockets.push(socket);
  await nextEvent(socket, 'open');
  if (operation) {
    await asked(socket, { type: 'connection_init', payload: { apiKey: operation.apiKey } });
    socket.send(JSON.stringify({ type: 'subscribe', id: randomUUID(), payload: { query: operation.query } }));
    // subscriptions are not acknowledged, but a later response shows that the subscription has most likely started
    await asked(socket, { type: 'ping' });
  }
  socket.on('message', count);
}

const asked = async (socket: WebSocket, message: object): Promise<void> => {
  socket.send(JSON.stringify(message));
  await nextEvent(socket, 'message');
};

const nextEvent = (socket: WebSocket, event: 'open' | 'message'): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.once(event, () => resolve());
    socket.once('error', reject);
  });

function count(message: Buffer): void {
  receivedAt.push(Date.now());
  if (receivedAt.length < sockets.length) return;
  process.send?.({ receivedAt, sample: message.toString() } satisfies Receipts);
  receivedAt = [];
}
