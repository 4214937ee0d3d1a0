import { SpanKind } from '@opentelemetry/api';
import { type DocumentNode, type ExecutionResult, GraphQLError, type GraphQLSchema } from 'graphql';
import type { ErrorDetails } from '../kernel/errors/errors.ts';
import type { Logger } from '../kernel/log/log.ts';
import type { RequestContext } from '../kernel/request.ts';
import { inTrace, isTraced } from '../kernel/tracing/tracing.ts';
import { type RateOf, rateByWeight } from './api-schema.ts';
import { CallerExecution } from './caller-execution.ts';
import type { PreparedDocument, PreparedOperation } from './documents.ts';
import { asGraphQLError, type ErrorPolicy, presentErrors, refusedVariable, requestError, variableError } from './errors.ts';
import { ExecutableSupergraph, type Transports } from './executable-supergraph.ts';
import { DEFAULT_LIMITS, type OperationLimits } from './limits.ts';
import { LiveOperations, type LiveOptions, type LiveRequest } from './live.ts';
import type { OperationRecord, RouterObserver } from './observer.ts';
import { plannerConcerns } from './planner-concerns.ts';
import type { LiveSink } from './shared-subscription.ts';
import type { Variables } from './transport.ts';

export interface RouterOptions {
  supergraphSdl: string;
  /** Transports by subgraph name. The router closes them. */
  transports: Transports;
  log: Logger;
  limits?: Partial<OperationLimits>;
  live?: Partial<LiveOptions>;
  observer?: RouterObserver;
  errors?: Partial<ErrorPolicy>;
  /** Creates the second-factor challenge of a caller. The challenge becomes the `details` of the error MFA_REQUIRED. */
  challenge?: Challenge;
  /**
   * Returns the rate limit weight and categories of a root field, which the API schema states in the description of the
   * field. Default: the weight of `weight.ts`, without categories.
   */
  rateOf?: RateOf;
}

export type Challenge = (context: RequestContext) => Promise<ChallengeNotice>;

export interface ChallengeNotice {
  details: ErrorDetails;
  /** Replaces the message of the error MFA_REQUIRED, for example if the caller must first set up a second factor. */
  message?: string;
}

export interface GraphOperation {
  /**
   * A text or a parsed document. For a parsed document, pass the same object at each execution, because it is the key
   * of caches.
   */
  document: string | DocumentNode;
  variables?: Variables | null | undefined;
  operationName?: string | null | undefined;
  context: RequestContext;
}

/** An operation that may be executed: it is valid for the schema, and within the limits. */
export interface AdmittedOperation {
  readonly graph: ExecutableSupergraph;
  readonly operation: PreparedOperation;
}

/**
 * Types of operations that the code that calls the router accepts. `answer` means queries and mutations, and `any` means all types. Sockets
 * accept `any`.
 */
type AcceptedType = 'answer' | 'subscription' | 'any';

/** Number of operations that are planned for a new supergraph before it is used. */
const WARMED_OPERATIONS = 200;

/**
 * Creates a router for a supergraph.
 * @throws Error if the text is not a supergraph, or names a subgraph without a transport
 */
export async function createRouter(options: RouterOptions): Promise<Router> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { supergraphSdl, transports, rateOf = rateByWeight } = options;
  const graph = await ExecutableSupergraph.load(supergraphSdl, transports, limits, rateOf);
  warnOf(options.supergraphSdl, options.log);
  return new Router(options, limits, graph);
}

function warnOf(supergraphSdl: string, log: Logger): void {
  for (const concern of plannerConcerns(supergraphSdl)) log.warn({ concern }, 'The supergraph may be planned wrongly');
}

/** Executes operations over the subgraphs of a supergraph. It is independent of domains, HTTP and WebSockets. */
export class Router {
  readonly #live: LiveOperations;
  readonly #observer: RouterObserver;
  readonly #errors: ErrorPolicy;
  readonly #listeners = new Set<(router: Router) => void>();
  readonly #challenge: Challenge | undefined;
  readonly #log: Logger;
  readonly #rateOf: RateOf;
  #transports: Transports;

  constructor(
    options: RouterOptions,
    readonly limits: OperationLimits,
    private graph: ExecutableSupergraph,
  ) {
    this.#transports = options.transports;
    this.#challenge = options.challenge;
    this.#log = options.log;
    this.#rateOf = options.rateOf ?? rateByWeight;
    this.#observer = options.observer ?? {};
    this.#errors = { passForeignErrors: false, ...options.errors };
    this.#live = new LiveOperations(
      { execute: (operation) => this.execute(operation), errors: this.#errors, observer: this.#observer },
      options.live,
    );
  }

  /** The API schema, without descriptions of permissions and costs. */
  get schema(): GraphQLSchema {
    return this.graph.schema;
  }

  /** The schema that introspection returns. The descriptions of root fields state permission, weight and cost. */
  get apiSchema(): GraphQLSchema {
    return this.graph.apiSchema;
  }

  get supergraphSdl(): string {
    return this.graph.supergraphSdl;
  }

  /** Parses and validates a document, and checks it against the limits. This is done once for each text. */
  prepare(document: string | DocumentNode): PreparedDocument {
    return this.graph.documents.prepare(document);
  }

  /** Returns true if none of these root fields needs credentials. */
  isPublic(fields: readonly string[]): boolean {
    return fields.every((field) => this.graph.publicFields.has(field));
  }

  /**
   * Checks an operation before it is executed: its document, its variables, its query cost, and whether `wanted` allows
   * its type (query, mutation or subscription). Returns the parsed operation, or the errors.
   */
  admit(
    { document, operationName, variables, context }: GraphOperation,
    wanted: AcceptedType = 'answer',
  ): AdmittedOperation | { errors: GraphQLError[] } {
    const { graph } = this;
    const operation = this.#admit(graph, document, operationName, variables ?? {}, wanted);
    return Array.isArray(operation) ? { errors: presentErrors(operation, context, this.#errors) } : { graph, operation };
  }

  /** Converts errors for callers, and logs internal errors. */
  present(errors: readonly unknown[], context: RequestContext): GraphQLError[] {
    return presentErrors(errors.map(asGraphQLError), context, this.#errors);
  }

  /** Converts one error for callers, like `present`. An error that demands a second factor also gets a challenge. */
  async refusal(error: unknown, context: RequestContext): Promise<GraphQLError> {
    const [refusal] = await this.#answered([asGraphQLError(error)], context);
    return refusal as GraphQLError;
  }

  /**
   * Executes a query or mutation. If `admitted` is absent, the operation is prepared first.
   * The promise never rejects: all failures are in `errors`, converted for callers.
   */
  execute(asked: GraphOperation, admitted?: AdmittedOperation): Promise<ExecutionResult> {
    const parent = asked.context.client?.traceparent;
    if (!isTraced(parent)) return this.#execute(asked, admitted);
    const name = asked.operationName ? `graphql ${asked.operationName}` : 'graphql';
    return inTrace(parent, { name, kind: SpanKind.SERVER }, () => this.#execute(asked, admitted));
  }

  async #execute(
    { document, variables, operationName, context }: GraphOperation,
    admitted: AdmittedOperation | undefined,
  ): Promise<ExecutionResult> {
    const started = performance.now();
    const graph = admitted?.graph ?? this.graph;
    const execution = new CallerExecution(context, this.#observer);
    const operation = admitted?.operation ?? this.#admit(graph, document, operationName, variables ?? {});
    const result = Array.isArray(operation) ? { errors: operation } : await this.#run(graph, operation, variables ?? {}, execution);
    const failed = result.errors !== undefined;
    this.#observer.operation?.({
      ...described(operation),
      durationMs: performance.now() - started,
      subgraphFetches: execution.fetches,
      failed,
    });
    return result.errors ? { ...result, errors: await this.#answered(result.errors, context) } : result;
  }

  /** Converts errors for callers. An error that demands a second factor gets a challenge. */
  async #answered(errors: readonly GraphQLError[], context: RequestContext): Promise<GraphQLError[]> {
    const presented = presentErrors(errors, context, this.#errors);
    const demands = presented.filter(({ extensions }) => extensions.code === 'MFA_REQUIRED');
    if (demands.length > 0 && this.#challenge) {
      const { details, message } = await this.#challenge(context);
      for (const error of demands) {
        Object.assign(error.extensions.details as object, details);
        if (message) error.message = message;
      }
    }
    return presented;
  }

  /**
   * Starts a subscription. Returns a stream of results, or one result with errors if there is no stream.
   * Results wait in a limited buffer. When it is full, `onOverflow` is called immediately, and the stream ends with an
   * error.
   */
  async subscribe(
    operation: GraphOperation,
    { onOverflow }: { onOverflow?: () => void } = {},
  ): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult> {
    const request = this.#followed(operation);
    return 'errors' in request ? request : this.#live.subscribe(request, onOverflow);
  }

  /**
   * Starts a subscription that pushes its results to a sink. Subscribers of the same operation share each result, which
   * is serialized only once.
   */
  async follow<S extends LiveSink>(operation: GraphOperation, createSink: (leave: () => void) => S): Promise<S | ExecutionResult> {
    const request = this.#followed(operation);
    return 'errors' in request ? request : this.#live.follow(request, createSink);
  }

  /**
   * Replaces the supergraph, after planning the most used operations. Running operations finish with the old
   * supergraph, and streams of subscriptions continue.
   * @throws Error if the text is not a supergraph; the old supergraph is kept
   */
  async update(supergraphSdl: string, transports: Transports = this.#transports): Promise<void> {
    const next = await ExecutableSupergraph.load(supergraphSdl, transports, this.limits, this.#rateOf);
    warnOf(supergraphSdl, this.#log);
    await Promise.all(this.graph.documents.mostUsed(WARMED_OPERATIONS).map((operation) => this.#warm(next, operation)));
    const left = [...this.#transports.values()].filter((transport) => ![...transports.values()].includes(transport));
    this.graph = next;
    this.#transports = transports;
    for (const listener of this.#listeners) listener(this);
    await Promise.all(left.map((transport) => transport.close()));
  }

  /** Calls the listener whenever the supergraph is replaced. Returns a function that removes the listener. */
  onUpdate(listener: (router: Router) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends all subscriptions and closes the connections to subgraphs. */
  async close(): Promise<void> {
    await this.#live.close();
    await Promise.all([...this.#transports.values()].map((transport) => transport.close()));
  }

  #followed({ document, variables, operationName, context }: GraphOperation): LiveRequest | { errors: GraphQLError[] } {
    const operation = this.#admit(this.graph, document, operationName, variables ?? {}, 'subscription');
    if (Array.isArray(operation)) return { errors: presentErrors(operation, context, this.#errors) };
    operation.uses++;
    return { graph: this.graph, transports: this.#transports, operation, variables: variables ?? {}, context };
  }

  #find(
    graph: ExecutableSupergraph,
    document: string | DocumentNode,
    operationName: string | null | undefined,
    variables: Variables,
  ): PreparedOperation | GraphQLError[] {
    const prepared = graph.documents.prepare(document);
    if (prepared.errors.length > 0) return [...prepared.errors];
    const operation = graph.documents.operation(prepared, operationName, variables);
    return operation instanceof GraphQLError ? [operation] : operation;
  }

  #admit(
    graph: ExecutableSupergraph,
    document: string | DocumentNode,
    operationName: string | null | undefined,
    variables: Variables,
    wanted: AcceptedType = 'answer',
  ): PreparedOperation | GraphQLError[] {
    const operation = this.#find(graph, document, operationName, variables);
    if (Array.isArray(operation)) return operation;
    const unfit = variableError(operation.checkVariables(variables));
    if (unfit) return [unfit];
    const cost = operation.cost(variables);
    if (cost > this.limits.cost) {
      const reason = `The response could have ${cost} objects; at most ${this.limits.cost} are allowed. Request shorter lists or fewer large texts.`;
      return [requestError({ field: 'query', reason })];
    }
    if (wanted === 'any' || (operation.node.operation === 'subscription') === (wanted === 'subscription')) return operation;
    const reason =
      wanted === 'answer' ? 'A subscription needs a WebSocket (graphql-ws) on the same address.' : 'The operation is not a subscription.';
    return [requestError({ field: 'query', reason })];
  }

  async #run(
    graph: ExecutableSupergraph,
    operation: PreparedOperation,
    variables: Variables,
    execution: CallerExecution,
  ): Promise<ExecutionResult> {
    operation.uses++;
    try {
      const result = await graph.execute(operation, variables, execution);
      return result.data === undefined ? { errors: (result.errors ?? []).map(refusedVariable) } : result;
    } catch (error) {
      return { errors: [asGraphQLError(error)] };
    }
  }

  /**
   * Plans an operation for the new supergraph. An operation that is not valid for the new supergraph is skipped, and
   * rejected at its next use.
   */
  async #warm(next: ExecutableSupergraph, { prepared, name, node, decisions }: PreparedOperation): Promise<void> {
    const operation = next.documents.operation(next.documents.prepare(prepared.text), name, Object.fromEntries(decisions));
    if (operation instanceof GraphQLError || operation.prepared.errors.length > 0 || node.operation === 'subscription') return;
    await next.warm(operation).catch(() => undefined);
  }
}

const described = (operation: PreparedOperation | GraphQLError[]): Pick<OperationRecord, 'type' | 'name'> =>
  Array.isArray(operation) ? { type: undefined, name: undefined } : { type: operation.node.operation, name: operation.name };
