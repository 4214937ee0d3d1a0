import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { ExecutionResult } from 'graphql';
import { CloseCode, type Context, handleProtocols, makeServer, type Server } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import { CredentialsMissing, PlatformError } from '../kernel/errors.ts';
import { toPlatformError } from '../kernel/http.ts';
import { newId } from '../kernel/ids.ts';
import type { Logger } from '../kernel/log.ts';
import type { Principal } from '../kernel/principal.ts';
import type { RequestContext } from '../kernel/request.ts';
import { inTime, Rounds } from './rounds.ts';
import type { GraphOperation, Router } from './router.ts';
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
   * while it is open; then only 401 and 403 close it, and what it answers holds from there on.
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
  /**
   * Tells of changes of what credentials are made of, by id (of a key, user, session, organization; empty: anything): sockets that
   * were opened with them are checked again at once.
   */
  onCredentialChange?(listener: (subjectId: string) => void): void;
  /** Each operation logs through a child of it. */
  log: Logger;
  /** Operations that one socket may have open. Default 100. */
  maxOperations?: number;
  /** A socket that does not answer two pings in a row is ended. Default 15 s. */
  pingMs?: number;
  /** How often the credentials of an open socket are checked again in any case: tokens run out by themselves. Default 60 s. */
  recheckMs?: number;
}

const DEFAULTS = { path: '/graphql', maxOperations: 100, pingMs: 15_000, recheckMs: 60_000 };
const INIT_TIMEOUT_MS = 10_000;
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** How long a client may take to answer the closing of its socket. */
const CLOSE_GRACE_MS = 1_000;
const GOING_AWAY = 1001;

interface Session<C> {
  socket: WebSocket;
  request: IncomingMessage;
  opening?: SocketOpening;
  admitted?: C;
  readonly closed: AbortController;
}

/** GraphQL over WebSocket (graphql-transport-ws) on the server of `app`. Sockets are closed in its `preClose` hook. */
export function mountGraphqlSocket<C extends RequestContext>(app: FastifyInstance, router: Router, options: GraphqlSocketOptions<C>): void {
  const sockets = new GraphqlSockets(router, { ...DEFAULTS, ...options });
  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => sockets.upgrade(request, socket, head));
  app.addHook('preClose', () => sockets.close());
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
  readonly #rechecks: NodeJS.Timeout;
  readonly #answering = new WeakSet<WebSocket>();
  /** Who runs the operation of a context: graphql-ws hands on no more than that. */
  readonly #callers = new WeakMap<RequestContext, Session<C>>();
  readonly #recheck = new Rounds<Session<C>>((session) => this.#recheckOne(session));

  constructor(
    private readonly router: Router,
    private readonly options: GraphqlSocketOptions<C> & typeof DEFAULTS,
  ) {
    this.#protocol = this.#createProtocol();
    this.#pings = setInterval(() => this.#ping(), options.pingMs).unref();
    this.#rechecks = setInterval(() => void this.#recheck.run(this.#sessions), options.recheckMs).unref();
    options.onCredentialChange?.((subjectId) => this.#recheckOf(subjectId));
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
    clearInterval(this.#rechecks);
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
      subscribe: (args) => this.router.subscribe(operationOf(args)),
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
    const params = Object.fromEntries(Object.entries(connectionParams).map(([name, value]) => [headerName(name), value]));
    session.opening = { requestId: newId('request'), request: session.request, params, isRecheck: false };
    try {
      session.admitted = await this.options.admit(session.opening);
      return true;
    } catch (error) {
      this.#refuse(session, error);
      return false;
    }
  }

  #refuse({ socket }: Session<C>, error: unknown): void {
    const known = toPlatformError(error);
    if (known.code === 'INTERNAL_ERROR') this.options.log.error({ err: known.cause ?? known }, 'A WebSocket could not be admitted');
    const reason = Buffer.from(`${known.code}: ${known.message}`).subarray(0, MAX_REASON_BYTES).toString();
    socket.close(CLOSE_CODES[known.status] ?? CloseCode.InternalServerError, reason);
  }

  /**
   * A key that was revoked, or a token that ran out, ends what it opened; a key that may do less than before does less. That the
   * check itself fails says nothing of the credentials, and changes nothing.
   */
  async #recheckOne(session: Session<C>): Promise<void> {
    if (!session.opening || !session.admitted || !this.#sessions.has(session)) return;
    try {
      session.admitted = await inTime(this.options.admit({ ...session.opening, isRecheck: true }));
    } catch (error) {
      const { status } = toPlatformError(error);
      if (status === 401 || status === 403) this.#refuse(session, error);
      else this.options.log.warn({ err: error }, 'The credentials of a WebSocket could not be checked again');
    }
  }

  #recheckOf(subjectId: string): void {
    const affected = [...this.#sessions].filter(({ admitted }) => admitted && isAbout(subjectId, admitted.principal));
    if (affected.length > 0) void new Rounds<Session<C>>((session) => this.#recheckOne(session)).run(affected);
  }

  /** What a subscription was begun with may have been taken since: its next event is not sent, and it ends. */
  #endIfNarrowed({ extra: { admitted }, subscriptions }: Context<Record<string, unknown>, Session<C>>, id: string, begun: RequestContext) {
    const running = subscriptions[id];
    if (!running || !admitted || holdsAll(admitted.principal, begun.principal)) return undefined;
    void (running as AsyncIterableIterator<unknown>).return?.();
    const error = new PlatformError('INSUFFICIENT_PERMISSIONS', 'Permissions were taken since this subscription began. Subscribe again.');
    return { errors: this.router.present([error], begun) };
  }

  /** The arguments of the operation, or why it is refused. graphql-ws hands them on to `execute` or `subscribe`. */
  async #prepare(
    { extra: session, subscriptions }: Context<Record<string, unknown>, Session<C>>,
    { query, variables, operationName }: Pick<SubscribeRequest, 'query' | 'variables' | 'operationName'>,
  ) {
    // a key that was revoked since, or a second factor that was shown, counts with the next operation: what is known costs nothing
    await this.#recheckOne(session);
    const { admitted, socket } = session;
    const context = this.#operationContext(session);
    try {
      // what it was admitted with holds no more, and it was closed for that
      if (socket.readyState !== socket.OPEN) throw new CredentialsMissing();
      await this.options.charge?.(admitted as C, REQUEST_PRICE);
      if (Object.keys(subscriptions).length > this.options.maxOperations) {
        throw new PlatformError(
          'RATE_LIMIT_EXCEEDED',
          `A socket may have ${this.options.maxOperations} operations open. Complete one first.`,
        );
      }
      const prepared = this.router.prepare(query);
      if (prepared.errors.length > 0) return this.router.present(prepared.errors, context);
      await this.options.charge?.(admitted as C, beyondRequest(this.router.price(query, operationName)));
      return { schema: this.router.schema, document: prepared.document, operationName, variableValues: variables, contextValue: context };
    } catch (error) {
      return this.router.present([error], context);
    }
  }

  async #serve(operation: GraphOperation): Promise<ExecutionResult> {
    const { document, operationName, context } = operation;
    const session = this.#callers.get(context);
    const { serve } = this.options;
    if (!serve || !session?.admitted) return this.router.execute(operation);
    try {
      const price = this.router.price(document, operationName);
      return await serve(session.admitted, price, session.closed.signal, () => this.router.execute(operation));
    } catch (error) {
      return { errors: this.router.present([error], context) };
    }
  }

  #operationContext(session: Session<C>): RequestContext {
    const requestId = newId('request');
    const { principal, client } = session.admitted as C;
    const context = { requestId, principal, client, log: this.options.log.child({ request_id: requestId }) };
    this.#callers.set(context, session);
    return context;
  }

  #ping(): void {
    for (const { socket } of this.#sessions) {
      if (!this.#answering.delete(socket)) socket.terminate();
      else socket.ping();
    }
  }
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

const isAbout = (subjectId: string, { id, sessionId, clientId, organizationId }: Principal): boolean =>
  subjectId === '' || [id, sessionId, clientId, organizationId].includes(subjectId);

const holdsAll = (now: Principal, before: Principal): boolean =>
  now === before || (now.organizationId === before.organizationId && before.grants.every((grant) => now.mayGrant(grant)));

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
