import type { ExecutionResult } from 'graphql';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { Principal } from '../../kernel/access/principal.ts';
import { HttpTransport } from '../../router/http-transport.ts';
import { PRINCIPAL_HEADER, signPrincipal, verifyPrincipal } from '../../router/principal-header.ts';
import { createRouter, type Router } from '../../router/router.ts';
import { composeSupergraph } from '../../router/supergraph.ts';
import { caller, silent, until } from './fixtures/rig.ts';
import { Shop } from './fixtures/shop.ts';
import { type SubgraphServer, serveSubgraph } from './fixtures/subgraph-server.ts';

const SECRET = 'a secret of router and subgraphs';

let shop: Shop;
let servers: SubgraphServer[];
let router: Router;

beforeEach(async () => {
  shop = new Shop();
  servers = await Promise.all(shop.subgraphs().map((subgraph) => serveSubgraph(subgraph, SECRET)));
  router = await routerOf(10_000);
});
afterEach(async () => {
  await router.close();
  await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
});

/** Returns a router that waits `timeoutMs` for each response of a subgraph. */
function routerOf(timeoutMs: number): Promise<Router> {
  const headers = ({ principal }: { principal: Principal }) => ({ [PRINCIPAL_HEADER]: signPrincipal(principal, SECRET, new Date()) });
  const transports = new Map(servers.map(({ name, url }) => [name, new HttpTransport({ url, headers, timeoutMs })]));
  return createRouter({ supergraphSdl: composeSupergraph(servers), transports, log: silent });
}

const serverOf = (name: string) => servers.find((server) => server.name === name) as SubgraphServer;

describe('subgraph over HTTP', () => {
  test('the router calls a subgraph over HTTP with the principal and request id of the caller, over keep-alive connections', async () => {
    const context = caller('key_9');
    const { data, errors } = await router.execute({ document: '{ whoAmI people { name orders { id items { available } } } }', context });
    expect(errors).toBeUndefined();
    expect(data).toMatchObject({
      whoAmI: 'key_9',
      people: [{ name: 'Ada', orders: [{ id: 'o1', items: [{ available: 10 }, { available: 20 }] }, { id: 'o2' }] }, { name: 'Grace' }],
    });
    expect(servers.map(({ requests }) => requests.length)).toEqual([1, 1, 1]);
    expect(serverOf('orders').requests[0]).toMatchObject({ 'x-request-id': context.requestId, connection: 'keep-alive' });
  });

  test.each([
    ['errors that are not a list', { data: { people: [] }, errors: { message: 'x' } }],
    ['errors that are null', { data: { people: [] }, errors: [null] }],
    ['errors without a message', { data: { people: [] }, errors: [{ path: ['people'] }] }],
    ['a list', []],
    ['a text', 'people'],
  ])('if a subgraph responds with %s, every field requested from it is null and has an error', async (_, body) => {
    serverOf('people').instead = (response) => response.end(JSON.stringify(body));
    const { data, errors } = await router.execute({ document: '{ person(id: "p1") { name } me: whoAmI }', context: caller() });
    expect(data).toEqual({ person: null, me: null });
    expect(errors?.map(({ path }) => path)).toEqual([['person'], ['me']]);
  });

  test('a subgraph error with malformed path and extensions is returned as INTERNAL_ERROR', async () => {
    const errors = [{ message: 'Odd', path: 'person', extensions: 'none' }];
    serverOf('people').instead = (response) => response.end(JSON.stringify({ data: { person: null }, errors }));
    const result = await router.execute({ document: '{ person(id: "p1") { name } }', context: caller() });
    expect(result).toMatchObject({ data: { person: null }, errors: [{ extensions: { code: 'INTERNAL_ERROR' } }] });
  });

  test('the router returns platform errors of HTTP subgraphs unchanged, also for an invalid value of a custom scalar', async () => {
    const unknown = await router.execute({ document: 'mutation { rename(id: "p9", name: "x") { id } }', context: caller() });
    expect(unknown.errors?.[0]).toMatchObject({
      message: 'There is no user p9.',
      path: ['rename'],
      extensions: { code: 'RESOURCE_NOT_FOUND', details: { id: 'p9' } },
    });
    const refused = await router.execute({
      document: 'query ($day: Day!) { bornOn(day: $day) }',
      variables: { day: 'x' },
      context: caller(),
    });
    expect(refused.errors?.[0]).toMatchObject({
      message: 'day: must be a day such as 2026-08-01',
      extensions: { code: 'INVALID_PARAMETERS' },
    });
  });

  test.each([
    ['does not respond in time', () => undefined, /aborted|timeout/i],
    ['responds with HTML', (response) => response.writeHead(502).end('<html>Bad gateway</html>'), /502/],
    ['breaks the connection', (response) => response.destroy(), /other side closed|socket/i],
  ] satisfies [string, NonNullable<SubgraphServer['instead']>, RegExp][])(
    'if a subgraph %s, its fields return INTERNAL_ERROR and the cause is logged',
    async (_, instead, logged) => {
      serverOf('orders').instead = instead;
      const context = caller();
      const impatient = await routerOf(500);
      onTestFinished(() => impatient.close());
      const { data, errors } = await impatient.execute({ document: '{ whoAmI person(id: "p1") { name score } }', context });
      expect(data).toEqual({ whoAmI: 'key_1', person: { name: 'Ada', score: null } });
      expect(errors?.map(({ message, extensions }) => [message, extensions.code])).toEqual([
        [expect.stringMatching(/^An internal error occurred/), 'INTERNAL_ERROR'],
      ]);
      expect(context.lines[0]?.err?.message).toMatch(logged);

      serverOf('orders').instead = undefined;
      expect((await router.execute({ document: '{ person(id: "p1") { score } }', context: caller() })).data).toEqual({
        person: { score: 'ADMIN 2' },
      });
    },
  );
});

describe('subgraph subscription over graphql-ws', () => {
  type Stream = AsyncIterableIterator<ExecutionResult>;
  const follow = async (document: string, context = caller()) => (await router.subscribe({ document, context })) as Stream;

  test("a subscription over a subgraph's WebSocket includes fields of other subgraphs, and the socket closes when the last subscriber leaves", async () => {
    const stream = await follow('subscription { orderPlaced { id person { name } items { available } } }');
    const first = stream.next();
    await until(() => shop.openStreams === 1);
    shop.place({ id: 'o10', personId: 'p2', items: ['i3'] });
    expect((await first).value).toEqual({ data: { orderPlaced: { id: 'o10', person: { name: 'Grace' }, items: [{ available: 30 }] } } });
    await stream.return?.();
    await until(() => shop.openStreams === 0 && serverOf('orders').sockets.clients.size === 0);
  });

  test('a subscription to an HTTP subgraph has only the permissions of its caller', async () => {
    const stream = await follow('subscription { personRenamed { name } }', caller('key_1', []));
    const { value } = await stream.next();
    expect((value as ExecutionResult).errors?.[0]?.extensions).toMatchObject({
      code: 'INSUFFICIENT_PERMISSIONS',
      details: { required: 'support:read' },
    });
    expect((await stream.next()).done).toBe(true);
  });

  test('if the connection to a subgraph is lost, its subscriptions end with INTERNAL_ERROR', async () => {
    const context = caller();
    const stream = await follow('subscription { orderPlaced { id } }', context);
    const first = stream.next();
    await until(() => shop.openStreams === 1);
    for (const socket of serverOf('orders').sockets.clients) socket.terminate();
    expect(((await first).value as ExecutionResult).errors?.[0]?.extensions).toMatchObject({
      code: 'INTERNAL_ERROR',
      request_id: context.requestId,
    });
    expect((await stream.next()).done).toBe(true);
    expect(context.lines[0]?.err?.message).toMatch(/connection to the subgraph was lost/);
  });
});

describe('principal header', () => {
  const principal = new Principal({ kind: 'api_key', id: 'ak_1', organizationId: 'org_1', plan: 'business', grants: ['support:read'] });
  const now = new Date('2026-08-01T12:00:00Z');
  const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);

  test('verifying a principal header returns the principal that was signed', () => {
    expect(verifyPrincipal(signPrincipal(principal, SECRET, now), SECRET, later(59)).toJSON()).toEqual(principal.toJSON());
  });

  test.each([
    ['is missing', undefined],
    ['is not signed', Buffer.from(JSON.stringify(principal)).toString('base64url')],
    ['is signed with another secret', signPrincipal(principal, 'another', now)],
    ['was changed', signPrincipal(principal, SECRET, now).replace(/^./, 'f')],
  ])('verifying a principal header throws INVALID_CREDENTIALS if the header %s', (_, header) => {
    expect(() => verifyPrincipal(header, SECRET, now)).toThrow(expect.objectContaining({ code: 'INVALID_CREDENTIALS' }));
  });

  test('verifying a principal header that is older than a minute throws TOKEN_EXPIRED', () => {
    expect(() => verifyPrincipal(signPrincipal(principal, SECRET, now), SECRET, later(70))).toThrow(
      expect.objectContaining({ code: 'TOKEN_EXPIRED' }),
    );
  });
});
