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

/**
 * The data with which a socket is opened. `params` are the parameters of connection_init. Their names are in lower
 * case, like headers.
 */
export interface SocketOpening {
  requestId: string;
  request: IncomingMessage;
  params: Readonly<Record<string, unknown>>;
  /**
   * True if this is a repeated check of an open socket. A rejection at a repeated check must not count as a failed
   * authentication.
   */
  isRecheck: boolean;
}

export interface SocketOperationsOptions<C extends RequestContext> {
  /**
   * Authenticates the client of a socket. It is called again while the socket is open, and the returned context
   * replaces the previous one.
   * @throws PlatformError to reject the client. At the opening, 401 closes the socket with 4401, 403 with 4403, and 429
   * with 4429. While the socket is open, 401 and 403 close it with 4403.
   */
  admit(opening: SocketOpening): Promise<C>;
  /**
   * Charges a part of an operation's price. It is called with `REQUEST_PRICE` before the operation is parsed. If the
   * operation may run, it is called again with the rest of the price, which may be 0.
   * @throws PlatformError to reject the operation without closing the socket
   */
  charge?(admitted: C, price: OperationPrice): Promise<void>;
  /** Called with the names of root fields that were rejected before they had an effect. */
  refused?(admitted: C, fields: readonly string[]): Promise<void>;
  /**
   * Runs a query or mutation when a concurrency slot is free. Subscriptions need no slot, because they stay open.
   * `closed` is aborted when the socket closes.
   * @throws PlatformError if no slot was free within the maximum wait
   */
  serve?<T>(admitted: C, price: OperationPrice, closed: AbortSignal, run: () => Promise<T>): Promise<T>;
  /** Store for mutations with `extensions.idempotencyKey`. Without a store, operations with this key are rejected. */
  once?: MutationsOnceOptions;
  /**
   * Checks the credentials of open sockets. Default: a new `CredentialWatch` that checks them periodically, but is not
   * notified when credentials change.
   */
  watch?: CredentialWatch<C>;
  /** Enforces limits of open connections and subscriptions per organization. Default: no limits. */
  caps?: LiveCaps;
  /** Parent of the logger that each operation gets. */
  log: Logger;
  /** Maximum number of open operations per socket. Default: 100. */
  maxOperations?: number;
}

const INIT_TIMEOUT_MS = 10_000;

/** The handlers that graphql-ws calls. They authenticate the client, charge an operation, and execute it. */
export class SocketOperations<C extends RequestContext> {
  /**
   * Maps the context of each operation to its socket and state, because `execute` and `subscribe` get only the context
   * from graphql-ws.
   */
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
      // A socket that was closed during `admit` must not be counted, because nothing would release the count.
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

  /**
   * Returns the execution arguments of an operation, or errors if the operation is rejected. graphql-ws passes the
   * arguments to `execute` or `subscribe`.
   */
  async #prepare(
    { extra: session, subscriptions }: Context<Record<string, unknown>, SocketSession<C>>,
    id: string,
    { query, variables, operationName, extensions }: SubscribePayload,
  ) {
    session.idleSince = undefined;
    // this must run before the first await, so that operations that are sent together get places in the order in which
    // they were sent
    session.operations = subscriptions;
    const hasPlace = session.takePlace(id, this.options.maxOperations);
    // checks the credentials again, so that a revoked key or a verified second factor takes effect immediately
    await session.watched?.recheck();
    const { admitted, isOpen } = session.watched ?? {};
    const context = this.#operationContext(session, readTraceparent(extensions?.traceparent));
    const caller: Caller<C> = { session, id };
    this.#callers.set(context, caller);
    try {
      // the socket was closed, because its credentials are no longer valid
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
      // this must be the last step that can fail, because only the end of the subscription releases its count
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

  /**
   * Creates the context of an operation. The `traceparent` of the operation takes precedence over the `traceparent` in
   * `connection_init`, because many traces use one socket.
   */
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

/**
 * An operation and its socket. `leave` is set only for a subscription, and removes it from the number of open
 * subscriptions.
 */
interface Caller<C extends RequestContext> {
  session: SocketSession<C>;
  id: string;
  leave?: (() => void) | undefined;
  /** Set if the operation may run. */
  operation?: AdmittedOperation;
  idempotencyKey?: unknown;
}

/** A caller whose operation may run. */
type Accepted<C extends RequestContext> = Caller<C> & { operation: AdmittedOperation };

interface SubscribePayload {
  query: string;
  variables?: Record<string, unknown> | null | undefined;
  extensions?: Record<string, unknown> | null | undefined;
  operationName?: string | null | undefined;
}

/**
 * Close code for a temporary problem of the server (IANA registry of RFC 6455). graphql-ws clients reconnect after this
 * code.
 */
const TRY_AGAIN_LATER = 1013;
const CLOSE_CODES: Readonly<Record<number, number>> = {
  401: CloseCode.Unauthorized,
  403: CloseCode.Forbidden,
  429: CloseCode.TooManyInitialisationRequests,
  503: TRY_AGAIN_LATER,
};
const reasonOf = ({ code, message }: PlatformError): string => `${code}: ${message}`;

/**
 * Returns the header name for a parameter of connection_init. Clients write `Authorization`, `apiKey` or `X-API-Key`.
 */
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
