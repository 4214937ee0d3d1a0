import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Json } from '../tenant.ts';

export interface Arrival {
  headers: IncomingHttpHeaders;
  /** The exact body. */
  text: string;
  event: Json;
}

/** Responds to the nth request, from 0. Default: 200. */
export type Respond = (response: ServerResponse, index: number) => void;

export interface Receiver {
  url: string;
  arrivals: Arrival[];
  /** Names of the received events, in order. */
  names(): string[];
  respond(respond: Respond): void;
}

/** A webhook receiver on a loopback port; it closes at the end of the test. */
export async function receiver(respond: Respond = (response) => response.end()): Promise<Receiver> {
  const arrivals: Arrival[] = [];
  let answer = respond;
  // the platform closes idle connections: in a busy process the server's timer could close one just when a request is sent
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    arrivals.push({ headers: request.headers, text, event: JSON.parse(text) });
    answer(response, arrivals.length - 1);
  });
  // an attempt on a connection that was closed for being idle fails, which is the subject of another test
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    arrivals,
    names: () => arrivals.map(({ event }) => event.event),
    respond: (next) => {
      answer = next;
    },
  };
}

/** Fails and requests a pause of an hour, so that no automatic retry happens while a test checks. */
export const FAILING: Respond = (response) => void response.writeHead(500, { 'retry-after': '3600' }).end();

export const answering =
  (status: number, headers: Record<string, string> = {}, body = ''): Respond =>
  (response) =>
    void response.writeHead(status, headers).end(body);
