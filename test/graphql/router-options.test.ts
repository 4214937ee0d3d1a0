import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'graphql-ws/client';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { StartError } from '../../apps/platform/start-error.ts';
import { HELP, readCommand } from '../../apps/router/command-line.ts';
import { type RouterServer, startRouter } from '../../apps/router/server.ts';
import { composeSupergraph } from '../../router/supergraph.ts';
import { silent } from './fixtures/rig.ts';
import { Shop } from './fixtures/shop.ts';
import { type SubgraphServer, serveSubgraph } from './fixtures/subgraph-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'router-options-'));
const shop = new Shop();
let subgraphs: SubgraphServer[];
let supergraph: string;
const routers: RouterServer[] = [];

beforeAll(async () => {
  subgraphs = await Promise.all(shop.subgraphs().map((subgraph) => serveSubgraph(subgraph)));
  supergraph = join(folder, 'supergraph.graphql');
  writeFileSync(supergraph, composeSupergraph(subgraphs));
});
afterEach(() => Promise.all(routers.splice(0).map((router) => router.close())));
afterAll(async () => {
  await Promise.all(subgraphs.map((server) => server[Symbol.asyncDispose]()));
  rmSync(folder, { recursive: true });
});

const command = (...args: string[]) => readCommand(['--supergraph', supergraph, '--open', '--port', '0', ...args], {});

async function started(...args: string[]): Promise<string> {
  const router = await startRouter(command(...args), silent);
  routers.push(router);
  return `${router.origin}/graphql`;
}

async function ask(url: string, query: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as { data?: unknown; errors?: { message: string }[] },
  };
}

test('an 87 KB query returns an error with the default limits and succeeds with higher --limit options', async () => {
  const fields = Array.from({ length: 3_000 }, (_, n) => `field_number_${n}: name`).join(' ');
  const query = `{ people { ${fields} } }`.padEnd(87_000);
  expect((await ask(await started(), query)).body.errors?.[0]?.message).toMatch(/more that 5000 tokens/);
  const raised = ['tokens=100000', 'fields=10000', 'aliases=10000'].flatMap((limit) => ['--limit', limit]);
  const { status, body } = await ask(await started(...raised), query);
  expect([status, body.errors]).toEqual([200, undefined]);
});

test('if a subgraph takes longer than --timeout, the fields of this subgraph return an error', async () => {
  const [people] = subgraphs;
  const url = await started('--timeout', '50');
  if (people) people.instead = () => undefined;
  const { body } = await ask(url, '{ people { name } }');
  if (people) people.instead = undefined;
  expect(body).toMatchObject({ data: null, errors: [{ path: ['people'] }] });
});

test('the router forwards only the headers named by --forward-header, and forwards them to every subgraph', async () => {
  const url = await started('--forward-header', 'Authorization', '--forward-header', 'x-tenant');
  for (const { requests } of subgraphs) requests.length = 0;
  await ask(url, '{ people { name orders { id } } }', { authorization: 'Bearer abc', 'x-tenant': 't1', 'x-other': 'no', cookie: 'a=b' });
  const seen = subgraphs.flatMap(({ requests }) => requests);
  expect(seen).toHaveLength(2);
  for (const headers of seen) {
    expect(headers).toMatchObject({ authorization: 'Bearer abc', 'x-tenant': 't1' });
    expect(headers).not.toHaveProperty('x-other');
    expect(headers).not.toHaveProperty('cookie');
  }
});

test('the router forwards headers from connection_init, and subscribers with different headers share no stream', async () => {
  const url = await started('--forward-header', 'authorization');
  const follow = (authorization: string) => {
    const client = createClient({
      url: url.replace('http', 'ws'),
      webSocketImpl: WebSocket,
      retryAttempts: 0,
      connectionParams: { Authorization: authorization },
    });
    const events = client.iterate<Record<string, unknown>>({ query: 'subscription { orderPlaced { id person { name } } }' });
    return { client, next: events.next() };
  };
  const [one, other] = [follow('Bearer one'), follow('Bearer two')];
  await expect.poll(() => shop.openStreams).toBe(2);
  for (const { requests } of subgraphs) requests.length = 0;
  shop.place({ id: 'o60', personId: 'p1', items: [] });
  await Promise.all([one.next, other.next]);
  const sent = subgraphs.flatMap(({ requests }) => requests.map(({ authorization }) => authorization));
  expect([...new Set(sent)].sort()).toEqual(['Bearer one', 'Bearer two']);
  await Promise.all([one.client.dispose(), other.client.dispose()]);
});

test('an origin outside --allowed-origins receives no CORS header and cannot open a WebSocket', async () => {
  const url = await started('--allowed-origins', 'https://app.example.com');
  const allowed = async (origin: string) => (await ask(url, '{ whoAmI }', { origin })).headers.get('access-control-allow-origin');
  expect(await allowed('https://app.example.com')).toBe('https://app.example.com');
  expect(await allowed('https://evil.example.com')).toBeNull();
  const opened = (origin: string) =>
    new Promise<boolean>((resolve) => {
      const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws', { origin });
      socket.once('open', () => {
        socket.terminate();
        resolve(true);
      });
      socket.once('error', () => resolve(false));
    });
  expect([await opened('https://app.example.com'), await opened('https://evil.example.com')]).toEqual([true, false]);
  const any = await ask(await started(), '{ whoAmI }', { origin: 'https://anywhere.example.com' });
  expect(any.headers.get('access-control-allow-origin')).toBe('*');
});

test.each([
  [['--limit', 'fields'], /--limit must be NAME=N with one of depth, fields, .*, not fields\./],
  [['--limit', 'width=3'], /not width=3/],
  [['--limit', 'fields=0'], /not fields=0/],
  [['--timeout', '1s'], /--timeout must be a number from 1 to/],
  [['--connections', '0'], /--connections must be a number from 1 to/],
  [['--forward-header', 'a b'], /--forward-header must be the name of a header/],
  [['--forward-header', 'Content-Length'], /the router sets or removes this header itself/],
  [['--allowed-origins', 'app.example.com/'], /--allowed-origins must be \* or origins/],
])('reading the router options %j throws a StartError with the reason', (args, reason) => {
  expect(() => command(...args)).toThrow(StartError);
  expect(() => command(...args)).toThrow(reason);
});

test('the variable ALLOWED_ORIGINS sets the allowed origins unless --allowed-origins is given', () => {
  const read = (...args: string[]) =>
    readCommand(['--supergraph', supergraph, '--open', ...args], { ALLOWED_ORIGINS: 'https://a.example' }).allowedOrigins;
  expect(read()).toEqual(['https://a.example']);
  expect(read('--allowed-origins', '*')).toBe('*');
});

test('docs/router.md lists every limit of the router with its default', () => {
  const rows = [...HELP.matchAll(/^ +([a-z-]+) \((\d+)\): /gm)].map(([, name, value]) => `| \`${name}\` | ${value} |`);
  expect(rows).toHaveLength(10);
  const page = readFileSync('docs/router.md', 'utf8');
  expect(rows.filter((row) => !page.includes(row))).toEqual([]);
});

test('the output of --help lists every option and limit of the router', () => {
  for (const name of [
    '--limit',
    '--timeout',
    '--connections',
    '--forward-header',
    '--allowed-origins',
    'root-fields (50)',
    'list-size (20)',
  ]) {
    expect(HELP).toContain(name);
  }
});
