import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Json } from '../tenant.ts';

export interface Posted {
  path: string;
  body: Json;
  at: number;
  /** The text of the message's section block. */
  section: string;
}

/** A response that replaces Slack's. `lost` accepts the message and closes the connection without a response. */
export type SlackResponse = readonly [status: number, text?: string, headers?: Record<string, string>] | 'lost';

export interface SlackServer {
  /** The URL of an incoming webhook, which is different for each server. */
  url: string;
  origin: string;
  /** The accepted messages, in the order in which they arrived. */
  posted: Posted[];
  /** Number of received requests. Requests that got an error response are counted too. */
  requests: number;
  /** The `traceparent` header of every received request. */
  traceparents: unknown[];
  /** Sets the responses to the next requests. */
  next(...answers: SlackResponse[]): void;
}

const TOKEN = 'x7Hk2pQ9wZrT4mNcV8bYgJ1s';
const PATH = `/services/T024BE7LD/B024BE7LE/${TOKEN}`;

/**
 * Starts a test server with the responses of Slack's incoming webhooks (api.slack.com/messaging/webhooks), for one
 * test.
 */
export async function slackServer(): Promise<SlackServer> {
  const planned: SlackResponse[] = [];
  // only the platform closes idle connections: this server could close one at the moment when a request is sent
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    slack.requests += 1;
    slack.traceparents.push(request.headers.traceparent);
    const say = (status: number, text: string, headers: Record<string, string> = {}): ServerResponse =>
      response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(text);
    const answer = planned.shift();
    if (answer && answer !== 'lost') return void say(answer[0], answer[1] ?? '', answer[2]);
    const path = request.url ?? '';
    const [, area, team, , token] = path.split('/');
    if (request.method !== 'POST') return void say(405, 'method_not_allowed');
    if (area !== 'services' || !/^T\w+$/.test(team ?? '')) return void say(404, 'no_team');
    if (token !== TOKEN) return void say(403, 'invalid_token');
    const body = parsed(Buffer.concat(chunks).toString());
    const problem = problemOf(request.headers['content-type'], body);
    if (problem) return void say(400, problem);
    slack.posted.push({ path, body, at: performance.now(), section: body.blocks?.[0]?.text?.text });
    if (answer === 'lost') return void response.destroy();
    return void say(200, 'ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const slack: SlackServer = {
    url: `${origin}${PATH}`,
    origin,
    posted: [],
    requests: 0,
    traceparents: [],
    next: (...answers) => void planned.push(...answers),
  };
  return slack;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function problemOf(type: string | undefined, body: Json): string | undefined {
  if (!type?.startsWith('application/json') || typeof body !== 'object' || body === null) return 'invalid_payload';
  if (!body.text && !body.blocks && !body.attachments) return 'no_text';
  const blocks: Json[] = body.blocks ?? [];
  const isBad = ({ type: kind, text }: Json): boolean => kind === 'section' && (!text?.text || [...text.text].length > 3000);
  return blocks.length > 50 || blocks.some(isBad) ? 'invalid_blocks' : undefined;
}
