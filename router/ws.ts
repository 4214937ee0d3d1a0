import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { type ExecutionResult, getOperationAST } from 'graphql';
import { CloseCode, type Context, handleProtocols, makeServer, type Server } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { CredentialsMissing, PlatformError } from '../kernel/errors.ts';
import { toPlatformError } from '../kernel/http.ts';
import { newId } from '../kernel/ids.ts';
import type { Logger } from '../kernel/log.ts';
import { Principal } from '../kernel/principal.ts';
import type { RequestContext } from '../kernel/request.ts';
import { CredentialWatch, type Watched } from './credential-watch.ts';
import type { LiveCaps, LiveSeat } from './live-caps.ts';
import type { GraphOperation, Router } from './router.ts';
import { isStream } from './transport.ts';
import { beyondRequest, type OperationPrice, REQUEST_PRICE } from './weight.ts';

/** What opens a socket: the parameters of connection_init, with names in lower case, as headers have. */
export interface SocketOpening {
  requestId: string;
  request: IncomingMessage;
  params: Readonly<Record<string, unknown>>;
  /** The socket was admitted before and is open: nobody knocks, so a refusal is not to be counted as an attempt. */
  isRecheck: boolean;
}

export interface GraphqlSocketOptions<C extends RequestContext> {
  /** Default `/graphql`. */
  path?: string;
  /**
   * Who opens the socket. Throws a PlatformError to refuse: 401 closes it with 4401, 403 with 4403, 429 with 4429. Asked again
   * while it is open; then 401 and 403 close it with 4403, and what it answers holds from there on.
   */
  admit(opening: SocketOpening): Promise<C>;
  /**
   * Counts an operation: first what any request costs, before it is read, then what it costs beyond that, which may be a weight
   * of 0. Throws a PlatformError to refuse it; the socket stays open.
   */
  charge?(admitted: C, price: OperationPrice): Promise<void>;
  /**
   * Runs a query or mutation in its turn; `closed` says that nobody waits any more. Throws a PlatformError where it waited
   * too long. Subscriptions take no turn: they are open for as long as someone listens.
   */
  serve?<T>(admitted: C, price: OperationPrice, closed: AbortSignal, run: () => Promise<T>): Promise<T>;
  /** Who watches the credentials of open sockets. Default: one of their own, which is told of no changes. */
  watch?: CredentialWatch<C>;
  /** What an organization may have open. Default: as much as it likes. */
  caps?: LiveCaps;
  /** Each operation logs through a child of it. */
  log: Logger;
  /** Operations that one socket may have open. Default 100. */
  maxOperations?: number;
  /** A socket that does not answer two pings in a row is ended. Default 15 s. */
  pingMs?: number;
}

const DEFAULTS = { path: '/graphql', maxOperations: 100, pingMs: 15_000 };
const INIT_TIMEOUT_MS = 10_000;
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** How long a client may take to answer the closing of its socket. */
const CLOSE_GRACE_MS = 1_000;
const GOING_AWAY = 1001;

interface Session<C extends RequestContext> {
  socket: WebSocket;
  request: IncomingMessage;
  /** Undefined until it is admitted. */
  watched?: Watched<C>;
  seat?: LiveSeat | undefined;
  readonly closed: AbortController;
}

/** GraphQL over WebSocket (graphql-transport-ws) on the server of `app`. Sockets are closed in its `preClose` hook. */
export function mountGraphqlSocket<C extends RequestContext>(app: FastifyInstance, router: Router, options: GraphqlSocketOptions<C>): void {
  const watch = options.watch ?? new CredentialWatch<C>({ log: options.log });
  const sockets = new GraphqlSockets(router, { ...DEFAULTS, ...options, watch });
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => sockets.upgrade(request, socket, head));
  app.addHook('preClose', async () => {
    watch.close();
    await sockets.close();
  });
}

class GraphqlSockets<C extends RequestContext> {
  readonly #sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: (offered) => handleProtocols(offered),
  });
  readonly #protocol: Server<Session<C>>;
  readonly #sessions = new Set<Session<C>>();
  readonly #pings: NodeJS.Timeout;
  readonly #answering = new WeakSet<WebSocket>();
  /** Whose operation a context is: graphql-ws hands on no more than that. */
  readonly #callers = new WeakMap<RequestContext, Caller<C>>();

  constructor(
    private readonly router: Router,
    private readonly options: Required<Pick<GraphqlSocketOptions<C>, 'watch'>> & GraphqlSocketOptions<C> & typeof DEFAULTS,
  ) {
    this.#protocol = this.#createProtocol();
    this.#pings = setInterval(() => this.#ping(), options.pingMs).unref();
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Node hears nothing on the socket from here on, and an error that nobody hears ends the process
    socket.on('error', (error) => this.options.log.debug({ err: error }, 'WebSocket upgrade'));
    if (request.url?.split('?', 1)[0] !== this.options.path) {
      socket.once('finish', () => socket.destroy());
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#open(opened, request));
  }

  /** Tells every client that the server goes; one that does not answer is cut off. */
  async close(): Promise<void> {
    clearInterval(this.#pings);
    const closed = [...this.#sockets.clients].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
    for (const socket of this.#sockets.clients) socket.close(GOING_AWAY, 'The server is stopping');
    const cutOff = setTimeout(() => {
      for (const socket of this.#sockets.clients) socket.terminate();
    }, CLOSE_GRACE_MS);
    await Promise.all(closed);
    clearTimeout(cutOff);
  }

  #createProtocol(): Server<Session<C>> {
    return makeServer<Record<string, unknown>, Session<C>>({
      connectionInitWaitTimeout: INIT_TIMEOUT_MS,
      onConnect: (context) => this.#admit(context),
      onSubscribe: (context, _, { query, variables, operationName }) => this.#prepare(context, { query, variables, operationName }),
      execute: (args) => this.#serve(operationOf(args)),
      subscribe: (args) => this.#follow(operationOf(args)),
      onNext: (context, id, _, { contextValue }) => this.#endIfNarrowed(context, id, contextValue as RequestContext),
    });
  }

  #open(socket: WebSocket, request: IncomingMessage): void {
    const session: Session<C> = { socket, request, closed: new AbortController() };
    this.#sessions.add(session);
    this.#answering.add(socket);
    socket.on('pong', () => this.#answering.add(socket));
    socket.on('error', (error) => this.options.log.debug({ err: error }, 'WebSocket'));
    const closed = this.#protocol.opened(
      {
        protocol: socket.protocol,
        // resolves when it was written: a slow client is read no faster than it takes
        send: (data) =>
          new Promise((resolve, reject) =>
            socket.readyState === socket.OPEN ? socket.send(data, (error) => (error ? reject(error) : resolve())) : resolve(),
          ),
        close: (code, reason) => socket.close(code, reason),
        onMessage: (take) => socket.on('message', (data) => void take(String(data)).catch((error: unknown) => this.#fail(session, error))),
      },
      session,
    );
    socket.once('close', (code, reason) => {
      this.#sessions.delete(session);
      session.watched?.leave();
      session.seat?.leave();
      session.closed.abort();
      closed(code, String(reason)).catch((error: unknown) => this.options.log.error({ err: error }, 'Closing a WebSocket failed'));
    });
  }

  /** A message that could not be sent to a client that is gone is nobody's loss. */
  #fail({ socket }: Session<C>, error: unknown): void {
    if (socket.readyState !== socket.OPEN) return;
    this.options.log.error({ err: error }, 'A WebSocket message could not be handled');
    socket.close(CloseCode.InternalServerError, 'Internal error');
  }

  async #admit({ connectionParams = {}, extra: session }: Context<Record<string, unknown>, Session<C>>): Promise<boolean> {
    const { socket, request } = session;
    const params = Object.fromEntries(Object.entries(connectionParams).map(([name, value]) => [headerName(name), value]));
    const opening = { requestId: newId('request'), request, params };
    try {
      const admitted = await this.options.admit({ ...opening, isRecheck: false });
      // nothing is counted for who has left meanwhile: nobody would take it back
      if (socket.readyState !== socket.OPEN) return true;
      session.seat = this.options.caps?.connect(admitted.principal);
      session.watched = this.options.watch.watch(admitted, {
        readmit: () => this.options.admit({ ...opening, isRecheck: true }),
        end: (error) => closeWith(socket, CloseCode.Forbidden, error),
      });
      return true;
    } catch (error) {
      this.#refuse(session, error);
      return false;
    }
  }

  #refuse({ socket }: Session<C>, error: unknown): void {
    const known = toPlatformError(error);
    if (known.code === 'INTERNAL_ERROR') this.options.log.error({ err: known.cause ?? known }, 'A WebSocket could not be admitted');
    closeWith(socket, CLOSE_CODES[known.status] ?? CloseCode.InternalServerError, known);
  }

  /** What a subscription was begun with may have been taken since: its next event is not sent, and it ends. */
  #endIfNarrowed({ extra: { watched }, subscriptions }: Context<Record<string, unknown>, Session<C>>, id: string, begun: RequestContext) {
    const running = subscriptions[id];
    const narrowed = running && watched?.narrowed(begun.principal);
    if (!narrowed) return undefined;
    void (running as AsyncIterableIterator<unknown>).return?.();
    return { errors: this.router.present([narrowed], begun) };
  }

  /** The arguments of the operation, or why it is refused. graphql-ws hands them on to `execute` or `subscribe`. */
  async #prepare(
    { extra: session, subscriptions }: Context<Record<string, unknown>, Session<C>>,
    { query, variables, operationName }: Pick<SubscribeRequest, 'query' | 'variables' | 'operationName'>,
  ) {
    // a key that was revoked since, or a second factor that was shown, counts with the next operation: what is known costs nothing
    await session.watched?.recheck();
    const { admitted, isOpen } = session.watched ?? {};
    const context = this.#operationContext(session);
    const caller: Caller<C> = { session };
    this.#callers.set(context, caller);
    try {
      // what it was admitted with holds no more, and it was closed for that
      if (!isOpen || !admitted) throw new CredentialsMissing();
      await this.options.charge?.(admitted, REQUEST_PRICE);
      if (Object.keys(subscriptions).length > this.options.maxOperations) {
        throw new PlatformError(
          'RATE_LIMIT_EXCEEDED',
          `A socket may have ${this.options.maxOperations} operations open. Complete one first.`,
        );
      }
      const { document, errors } = this.router.prepare(query);
      if (errors.length > 0) return this.router.present(errors, context);
      await this.options.charge?.(admitted, beyondRequest(this.router.price(query, operationName)));
      // the last to be asked: what it counts is given back by who follows
      if (getOperationAST(document, operationName)?.operation === 'subscription')
        caller.leave = session.seat?.subscribe(admitted.principal);
      return { schema: this.router.schema, document, operationName, variableValues: variables, contextValue: context };
    } catch (error) {
      return this.router.present([error], context);
    }
  }

  async #serve(operation: GraphOperation): Promise<ExecutionResult> {
    const { document, operationName, context } = operation;
    const { watched, closed } = this.#callers.get(context)?.session ?? {};
    const { serve } = this.options;
    if (!serve || !watched || !closed) return this.router.execute(operation);
    try {
      const price = this.router.price(document, operationName);
      return await serve(watched.admitted, price, closed.signal, () => this.router.execute(operation));
    } catch (error) {
      return { errors: this.router.present([error], context) };
    }
  }

  async #follow(operation: GraphOperation): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult> {
    const leave = this.#callers.get(operation.context)?.leave ?? (() => undefined);
    const followed = await this.router.subscribe(operation);
    if (isStream(followed)) return leaving(followed, leave);
    leave();
    return followed;
  }

  #operationContext({ watched }: Session<C>): RequestContext {
    const requestId = newId('request');
    const { principal = Principal.nobody, client } = watched?.admitted ?? {};
    return { requestId, principal, client, log: this.options.log.child({ request_id: requestId }) };
  }

  #ping(): void {
    for (const { socket } of this.#sessions) {
      if (!this.#answering.delete(socket)) socket.terminate();
      else socket.ping();
    }
  }
}

/** Whose operation it is, and for a subscription what ends its being counted. */
interface Caller<C extends RequestContext> {
  session: Session<C>;
  leave?: (() => void) | undefined;
}

interface SubscribeRequest {
  query: string;
  variables?: Record<string, unknown> | null | undefined;
  operationName?: string | null | undefined;
}

const CLOSE_CODES: Readonly<Record<number, number>> = {
  401: CloseCode.Unauthorized,
  403: CloseCode.Forbidden,
  429: CloseCode.TooManyInitialisationRequests,
};
/** A close frame holds 123 bytes; a character that is cut through takes up to two more. */
const MAX_REASON_BYTES = 120;

function closeWith(socket: WebSocket, code: number, { code: name, message }: PlatformError): void {
  socket.close(code, Buffer.from(`${name}: ${message}`).subarray(0, MAX_REASON_BYTES).toString());
}

/** The same stream, with an act for when it ends or is left. */
function leaving<T>(stream: AsyncIterableIterator<T>, leave: () => void): AsyncIterableIterator<T> {
  return {
    async next() {
      const next = await stream.next();
      if (next.done) leave();
      return next;
    },
    async return() {
      leave();
      return (await stream.return?.()) ?? { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** `Authorization`, `apiKey` and `X-API-Key` are what clients write. */
function headerName(name: string): string {
  const lower = name.toLowerCase();
  return lower === 'apikey' || lower === 'api_key' ? 'x-api-key' : lower;
}

const operationOf = (args: {
  document: GraphOperation['document'];
  variableValues?: unknown;
  operationName?: unknown;
  contextValue?: unknown;
}): GraphOperation => ({
  document: args.document,
  variables: args.variableValues as GraphOperation['variables'],
  operationName: args.operationName as GraphOperation['operationName'],
  context: args.contextValue as RequestContext,
});
