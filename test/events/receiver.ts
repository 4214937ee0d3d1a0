import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Json } from '../tenant.ts';

export interface Arrival {
  headers: IncomingHttpHeaders;
  /** The exact text of the request body. */
  text: string;
  event: Json;
}

/** Responds to a request; `index` counts the requests from 0. The default response is 200. */
export type Respond = (response: ServerResponse, index: number) => void;

export interface Receiver {
  url: string;
  arrivals: Arrival[];
  /** Names of the received events, in the order of arrival. */
  names(): string[];
  respond(respond: Respond): void;
}

/** Starts a webhook receiver on a loopback port. The receiver closes at the end of the test. */
export async function receiver(respond: Respond = (response) => response.end()): Promise<Receiver> {
  const arrivals: Arrival[] = [];
  let current = respond;
  // no keep-alive timeout: in a busy process, the timer could close an idle connection just when a request is sent
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    arrivals.push({ headers: request.headers, text, event: JSON.parse(text) });
    current(response, arrivals.length - 1);
  });
  // an attempt on a connection that was closed because it was idle would fail, which another test covers
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
      current = next;
    },
  };
}

/** Responds with 500 and requests a pause of one hour, so that no automatic retry happens during a test. */
export const FAILING: Respond = (response) => void response.writeHead(500, { 'retry-after': '3600' }).end();

export const respondWith =
  (status: number, headers: Record<string, string> = {}, body = ''): Respond =>
  (response) =>
    void response.writeHead(status, headers).end(body);
