import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createClient } from 'graphql-ws/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { StartError } from '../../apps/platform/start-error.ts';
import { readCommand } from '../../apps/router/command-line.ts';
import { startRouter } from '../../apps/router/server.ts';
import { Principal } from '../../kernel/access/principal.ts';
import { createLogger } from '../../kernel/log/log.ts';
import { PRINCIPAL_HEADER, signPrincipal } from '../../router/principal-header.ts';
import { composeSupergraph } from '../../router/supergraph.ts';
import { until } from './fixtures/rig.ts';
import { Shop } from './fixtures/shop.ts';
import { type SubgraphServer, serveSubgraph } from './fixtures/subgraph-server.ts';

const SECRET = 'shared by front, router and subgraphs';
const MAIN = join(import.meta.dirname, '../../dist/programs/router.js');

const folder = mkdtempSync(join(tmpdir(), 'router-'));
const shop = new Shop();
let open: SubgraphServer[];
let closed: SubgraphServer[];
const running = new Set<ChildProcess>();

beforeAll(async () => {
  open = await Promise.all(shop.subgraphs().map((subgraph) => serveSubgraph(subgraph)));
  closed = await Promise.all(shop.subgraphs().map((subgraph) => serveSubgraph(subgraph, SECRET)));
});
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});
afterAll(async () => {
  await Promise.all([...open, ...closed].map((server) => server[Symbol.asyncDispose]()));
  rmSync(folder, { recursive: true });
});

function write(name: string, content: string): string {
  const file = join(folder, name);
  writeFileSync(file, content);
  return file;
}

function start(args: string[], environment: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env.PATH, ...environment },
  });
  running.add(child.once('exit', () => running.delete(child)));
  return child;
}

async function started(args: string[]): Promise<{ child: ChildProcess; url: string }> {
  const child = start(['--port', '0', '--log-level', 'silent', ...args]);
  const [line] = (await once(child.stdout as NodeJS.EventEmitter, 'data')) as [Buffer];
  return { child, url: /http:\S+/.exec(String(line))?.[0] ?? '' };
}

/** The error message of a router that cannot start. */
async function failed(args: string[]): Promise<string> {
  const starting = async () => startRouter(readCommand(args, {}), createLogger({ level: 'silent' }));
  const error = await starting().catch((thrown: unknown) => thrown);
  return error instanceof StartError ? error.message : `not a StartError: ${error}`;
}

const ask = async (url: string, query: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

describe('standalone router', () => {
  test('the standalone router serves HTTP and graphql-ws over HTTP subgraphs, and exits with 0 on SIGTERM', async () => {
    const { child, url } = await started(['--supergraph', write('open.graphql', composeSupergraph(open)), '--open']);
    expect((await fetch(new URL('/healthz', url))).status).toBe(200);
    expect(await ask(url, '{ people { name orders { id } } }')).toMatchObject({
      status: 200,
      body: { data: { people: [{ name: 'Ada', orders: [{ id: 'o1' }, { id: 'o2' }] }, { name: 'Grace' }] } },
    });
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await ask(url, '{ people { name } }', { traceparent });
    expect(open.flatMap(({ requests }) => requests).map((headers) => headers.traceparent)).toContain(traceparent);
    expect((await ask(url, '{ broken }')).body).toMatchObject({
      errors: [{ message: expect.stringContaining('select'), extensions: { request_id: expect.any(String) } }],
    });

    const client = createClient({ url: url.replace('http', 'ws'), webSocketImpl: WebSocket, retryAttempts: 0 });
    const events = client.iterate<Record<string, unknown>>({ query: 'subscription { orderPlaced { id person { name } } }' });
    const next = events.next();
    await until(() => shop.openStreams === 1);
    shop.place({ id: 'o50', personId: 'p2', items: [] });
    expect((await next).value?.data).toEqual({ orderPlaced: { id: 'o50', person: { name: 'Grace' } } });

    const closedByServer = expect(events.next()).rejects.toMatchObject({ code: 1001 });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    await closedByServer;
  });

  test('the standalone router with a secret requires a signed principal and forwards it to subgraphs', async () => {
    const { child, url } = await started(['--supergraph', write('closed.graphql', composeSupergraph(closed)), '--secret', SECRET]);
    const principal = new Principal({ kind: 'user', id: 'user_5', organizationId: 'org_1', plan: 'business', grants: ['*:*'] });
    expect(await ask(url, '{ whoAmI }', { [PRINCIPAL_HEADER]: signPrincipal(principal, SECRET, new Date()) })).toEqual({
      status: 200,
      body: { data: { whoAmI: 'user_5' } },
    });
    expect(await ask(url, '{ whoAmI }')).toMatchObject({
      status: 401,
      body: { errors: [{ extensions: { code: 'INVALID_CREDENTIALS' } }] },
    });
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('the standalone router prints one line with the reason and exits with 1 if it cannot start', async () => {
    const good = write('good.graphql', composeSupergraph(open));
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const failures = await Promise.all([
      failed(['--open']),
      failed(['--supergraph', good]),
      failed(['--supergraph', good, '--open', '--colour']),
      failed(['--supergraph', good, '--open', '--port', 'x']),
      failed(['--supergraph', join(folder, 'none.graphql'), '--open']),
      failed(['--supergraph', write('plain.graphql', 'type Query { x: Int }'), '--open']),
      failed(['--supergraph', write('text.graphql', 'no schema'), '--open']),
      failed(['--supergraph', write('bare.graphql', composeSupergraph(shop.subgraphs())), '--open']),
      failed(['--supergraph', good, '--open', '--port', String(port)]),
    ]);
    taken.close();
    for (const reason of failures) expect(reason).not.toContain('\n');
    const expected = [
      /--supergraph FILE/,
      /--secret .* or --open/,
      /--colour/,
      /--port must be/,
      /file does not exist/,
      /not a Federation 2 supergraph/,
      /not a GraphQL schema/,
      /has no HTTP URL/,
      /in use/,
    ];
    for (const [index, pattern] of expected.entries()) expect(failures[index]).toMatch(pattern);

    const child = start(['--supergraph', good]);
    const printed = text(child.stderr as NodeJS.ReadableStream);
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect((await printed).trimEnd()).toBe(failures[1]);
  });
});
