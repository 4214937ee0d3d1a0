import { scratchFolder } from './scratch-folder.ts';
import '../apps/production.ts';
import 'reflect-metadata';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { platformOn } from './platform.ts';

/**
 * Addresses of the two servers in this process, for bench/live.ts: the platform, and a plain server that broadcasts a
 * text.
 */
export interface LiveTarget {
  url: string;
  bareUrl: string;
  apiKey: string;
}

export type LiveCommand = { do: 'event' } | { do: 'broadcast'; text: string } | { do: 'memory' };

/** The time just before a message was sent, in milliseconds since the epoch. */
export interface Sent {
  sentAt: number;
}

export interface Memory {
  rss: number;
  /** Bytes that JavaScript objects use: on the heap (`heapUsed`) and outside of it (`external`). */
  used: number;
}

const { platform, domains } = await platformOn(process.env.BENCH_DATABASE_URL, scratchFolder());
const { apiKey } = await domains.identity.createOrganization({ name: 'Bench', plan: 'custom' });

const http = createServer().listen(0, '127.0.0.1');
await once(http, 'listening');
const bare = new WebSocketServer({ server: http, perMessageDeflate: false });

const commands: { [K in LiveCommand['do']]: (command: Extract<LiveCommand, { do: K }>) => Promise<Sent | Memory> } = {
  /**
   * Creates a ticket and returns its creation time. This time is slightly before the commit, because it is read before
   * the ticket is stored.
   */
  async event() {
    const response = await fetch(`${platform.origin}/v1/support/tickets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        title: 'Slow',
        description: 'Measured',
        priority: 'high',
        contact: { name: 'Ada', email: 'ada@example.com' },
      }),
    });
    const { ticket } = (await response.json()) as { ticket: { created_at: string } };
    return { sentAt: Date.parse(ticket.created_at) };
  },
  async broadcast({ text }) {
    const sentAt = Date.now();
    for (const client of bare.clients) if (client.readyState === WebSocket.OPEN) client.send(text);
    return { sentAt };
  },
  async memory() {
    for (let times = 0; times < 3; times += 1) {
      globalThis.gc?.();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const { rss, heapUsed, external } = process.memoryUsage();
    return { rss, used: heapUsed + external };
  },
};

process.on('message', async (command: LiveCommand) => process.send?.(await commands[command.do](command as never)));
process.once('disconnect', () => process.exit(0));
const target: LiveTarget = {
  url: `${platform.origin.replace('http', 'ws')}/graphql`,
  bareUrl: `ws://127.0.0.1:${(http.address() as AddressInfo).port}`,
  apiKey,
};
process.send?.(target);
