import type { IncomingMessage } from 'node:http';
import type { ExecutionResult } from 'graphql';
import { CloseCode, type Context, makeServer, type Server } from 'graphql-ws';
import { Principal } from '../kernel/access/principal.ts';
import { CredentialsMissing, PlatformError } from '../kernel/errors/errors.ts';
import { toPlatformError } from '../kernel/http/http.ts';
import type { Logger } from '../kernel/log/log.ts';
import { newId } from '../kernel/records/ids.ts';
import type { RequestContext } from '../kernel/request.ts';
import { readTraceparent } from '../kernel/tracing/tracing.ts';
import type { CredentialWatch } from './credential-watch.ts';
import type { LiveCaps } from './live-caps.ts';
import { MutationsOnce, type MutationsOnceOptions } from './mutations-once.ts';
import type { AdmittedOperation, GraphOperation, Router } from './router.ts';
import { isStream } from './transport.ts';
import { beyondRequest, type OperationPrice, REQUEST_PRICE, refusedFields } from './weight.ts';
import { SocketFollower } from './ws-follower.ts';
import type { SocketSession } from './ws-session.ts';

/** What opens a socket: the parameters of connection_init, with names in lower case, as headers have. */
export interface SocketOpening {
  requestId: string;
  request: IncomingMessage;
  params: Readonly<Record<string, unknown>>;
  /** The socket was admitted before and is open: nobody knocks, so a refusal is not to be counted as an attempt. */
  isRecheck: boolean;
}

export interface SocketOperationsOptions<C extends RequestContext> {
  /**
   * Who opens the socket. Throws a PlatformError to refuse: 401 closes it with 4401, 403 with 4403, 429 with 4429. Asked again
   * while it is open; then 401 and 403 close it with 4403, and what it answers holds from there on.
   */
  admit(opening: SocketOpening): Promise<C>;
  /**
   * Counts an operation: first what any request costs, before it is read, then, of one that will run, what it costs beyond that,
   * which may be a weight of 0. Throws a PlatformError to refuse it; the socket stays open.
   */
  charge?(admitted: C, price: OperationPrice): Promise<void>;
  /** Called with the root fields of an operation that were refused before they did anything. */
  refused?(admitted: C, fields: readonly string[]): Promise<void>;
  /**
   * Runs a query or mutation in its turn; `closed` says that nobody waits any more. Throws a PlatformError where it waited
   * too long. Subscriptions take no turn: they are open for as long as someone listens.
   */
  serve?<T>(admitted: C, price: OperationPrice, closed: AbortSignal, run: () => Promise<T>): Promise<T>;
  /** Where the first response to a mutation with `extensions.idempotencyKey` is kept. Without it such a key is refused. */
  once?: MutationsOnceOptions;
  /** Who watches the credentials of open sockets. Default: one of their own, which is told of no changes. */
  watch?: CredentialWatch<C>;
  /** What an organization may have open. Default: as much as it likes. */
  caps?: LiveCaps;
  /** Each operation logs through a child of it. */
  log: Logger;
  /** Operations that one socket may have open. Default 100. */
  maxOperations?: number;
}

const INIT_TIMEOUT_MS = 10_000;

/** What graphql-ws is told to do with what arrives on a socket: who is let in, what an operation costs, who answers it. */
export class SocketOperations<C extends RequestContext> {
  /** Whose operation a context is: graphql-ws hands on no more than that. */
  readonly #callers = new WeakMap<RequestContext, Caller<C>>();
  readonly #once: MutationsOnce;

  constructor(
    private readonly router: Router,
    private readonly options: SocketOperationsOptions<C> & { watch: CredentialWatch<C>; maxOperations: number },
  ) {
    this.#once = new MutationsOnce(router, options.once);
  }

  createServer(): Server<SocketSession<C>> {
    return makeServer<Record<string, unknown>, SocketSession<C>>({
      connectionInitWaitTimeout: INIT_TIMEOUT_MS,
      onConnect: (context) => this.#admit(context),
      onSubscribe: (context, id, payload) => this.#prepare(context, id, payload),
      execute: (args) => this.#serve(operationOf(args)),
      subscribe: (args) => this.#follow(operationOf(args)),
    });
  }

  async #admit({
    connectionParams = {},
    extra: session,
    subscriptions,
  }: Context<Record<string, unknown>, SocketSession<C>>): Promise<boolean> {
    const params = Object.fromEntries(Object.entries(connectionParams).map(([name, value]) => [headerName(name), value]));
    const opening = { requestId: newId('request'), request: session.request, params };
    try {
      const admitted = await this.options.admit({ ...opening, isRecheck: false });
      // nothing is counted for who has left meanwhile: nobody would take it back
      if (!session.isOpen) return true;
      session.operations = subscriptions;
      session.slot = this.options.caps?.connect(admitted.principal);
      session.watched = this.options.watch.watch(admitted, {
        readmit: () => this.options.admit({ ...opening, isRecheck: true }),
        end: (error) => session.close(CloseCode.Forbidden, reasonOf(error)),
      });
      return true;
    } catch (error) {
      this.#refuse(session, error);
      return false;
    }
  }

  #refuse(session: SocketSession<C>, error: unknown): void {
    const known = toPlatformError(error);
    if (known.status >= 500) this.options.log.error({ err: known.cause ?? known }, 'A WebSocket could not be admitted');
    session.close(CLOSE_CODES[known.status] ?? CloseCode.InternalServerError, reasonOf(known));
  }

  /** The arguments of the operation, or why it is refused. graphql-ws hands them on to `execute` or `subscribe`. */
  async #prepare(
    { extra: session, subscriptions }: Context<Record<string, unknown>, SocketSession<C>>,
    id: string,
    { query, variables, operationName, extensions }: SubscribePayload,
  ) {
    session.idleSince = undefined;
    // before anything is waited for: of operations that come together the first have a place, and those beyond take none
    session.operations = subscriptions;
    const hasPlace = session.takePlace(id, this.options.maxOperations);
    // a key that was revoked since, or a second factor that was shown, counts with the next operation: what is known costs nothing
    await session.watched?.recheck();
    const { admitted, isOpen } = session.watched ?? {};
    const context = this.#operationContext(session, readTraceparent(extensions?.traceparent));
    const caller: Caller<C> = { session, id };
    this.#callers.set(context, caller);
    try {
      // what it was admitted with holds no more, and it was closed for that
      if (!isOpen || !admitted) throw new CredentialsMissing();
      await this.options.charge?.(admitted, REQUEST_PRICE);
      if (!hasPlace) {
        throw new PlatformError(
          'RATE_LIMIT_EXCEEDED',
          `A socket may have ${this.options.maxOperations} operations open. Complete one first.`,
        );
      }
      const operation = this.router.admit({ document: query, operationName, variables, context }, 'any');
      if ('errors' in operation) return operation.errors;
      const { price, node, prepared } = operation.operation;
      await this.options.charge?.(admitted, beyondRequest(price));
      // the last to be asked: what it counts is given back by who follows
      if (node.operation === 'subscription') caller.leave = session.slot?.subscribe(admitted.principal);
      caller.operation = operation;
      caller.idempotencyKey = extensions?.idempotencyKey;
      return { schema: this.router.schema, document: prepared.document, operationName, variableValues: variables, contextValue: context };
    } catch (error) {
      return this.router.present([error], context);
    }
  }

  async #serve(request: GraphOperation): Promise<ExecutionResult> {
    const { context } = request;
    const { session, operation, idempotencyKey } = this.#callers.get(context) as Accepted<C>;
    const { serve, refused } = this.options;
    const run = async (): Promise<ExecutionResult> => {
      const { result, isReplayed } = await this.#once.execute(request, operation, idempotencyKey);
      const fields = refused && session.watched ? refusedFields(result, operation.operation) : [];
      if (fields.length > 0 && session.watched) await refused?.(session.watched.admitted, fields);
      return isReplayed ? { ...result, extensions: { idempotentReplayed: true } } : result;
    };
    try {
      if (!serve || !session.watched) return await run();
      return await serve(session.watched.admitted, operation.operation.price, session.closed, run);
    } catch (error) {
      return { errors: this.router.present([error], context) };
    }
  }

  async #follow(request: GraphOperation): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult> {
    const { context } = request;
    const { session, id, operation, leave: onEnd = () => undefined } = this.#callers.get(context) as Accepted<C>;
    const { name = id } = operation.operation;
    const refusal = (error: PlatformError): ExecutionResult => ({ errors: this.router.present([error], context) });
    const followed = await this.router.follow(
      request,
      (leave) => new SocketFollower({ session, id, name, context, refusal, leave, onEnd }),
    );
    if (!isStream(followed)) onEnd();
    return followed;
  }

  /** A socket outlives many traces: the operation's own `traceparent` goes before that of `connection_init`. */
  #operationContext({ watched }: SocketSession<C>, traceparent: string | undefined): RequestContext {
    const requestId = newId('request');
    const { principal = Principal.nobody, client } = watched?.admitted ?? {};
    return {
      requestId,
      principal,
      client: client && traceparent ? { ...client, traceparent } : client,
      log: this.options.log.child({ request_id: requestId }),
    };
  }
}

/** Whose operation it is, and for a subscription what ends its being counted. */
interface Caller<C extends RequestContext> {
  session: SocketSession<C>;
  id: string;
  leave?: (() => void) | undefined;
  /** Once it may run. */
  operation?: AdmittedOperation;
  idempotencyKey?: unknown;
}

/** Of an operation that graphql-ws was told to run. */
type Accepted<C extends RequestContext> = Caller<C> & { operation: AdmittedOperation };

interface SubscribePayload {
  query: string;
  variables?: Record<string, unknown> | null | undefined;
  extensions?: Record<string, unknown> | null | undefined;
  operationName?: string | null | undefined;
}

/** RFC 6455's registry has it; clients of graphql-ws connect again. */
const TRY_AGAIN_LATER = 1013;
const CLOSE_CODES: Readonly<Record<number, number>> = {
  401: CloseCode.Unauthorized,
  403: CloseCode.Forbidden,
  429: CloseCode.TooManyInitialisationRequests,
  503: TRY_AGAIN_LATER,
};
const reasonOf = ({ code, message }: PlatformError): string => `${code}: ${message}`;

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
