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

/** How a receiver answers the nth arrival, from 0. Default: 200. */
export type Respond = (response: ServerResponse, index: number) => void;

export interface Receiver {
  url: string;
  arrivals: Arrival[];
  /** Names of the events that came, in order. */
  names(): string[];
  respond(respond: Respond): void;
}

/** A webhook receiver on a loopback port, for the time of one test. */
export async function receiver(respond: Respond = (response) => response.end()): Promise<Receiver> {
  const arrivals: Arrival[] = [];
  let answer = respond;
  // the platform closes idle connections: in a busy process the server's timer might win, just when a request is sent into one
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    arrivals.push({ headers: request.headers, text, event: JSON.parse(text) });
    answer(response, arrivals.length - 1);
  });
  // an attempt that meets a connection which is closed for being idle has failed: that is another test's matter
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

/** Fails, and wants to be left alone for an hour: so no retry comes by itself while a test looks. */
export const FAILING: Respond = (response) => void response.writeHead(500, { 'retry-after': '3600' }).end();

export const answering =
  (status: number, headers: Record<string, string> = {}, body = ''): Respond =>
  (response) =>
    void response.writeHead(status, headers).end(body);
