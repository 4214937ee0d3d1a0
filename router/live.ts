import { type ExecutionResult, type FieldNode, GraphQLError, Kind } from 'graphql';
import type { Principal } from '../kernel/access/principal.ts';
import { PlatformError } from '../kernel/errors/errors.ts';
import { copyRequest, type RequestContext } from '../kernel/request.ts';
import type { PreparedOperation } from './documents.ts';
import { asGraphQLError, type ErrorPolicy, namingVariables, presentErrors, requestError } from './errors.ts';
import type { ExecutableSupergraph, Transports } from './executable-supergraph.ts';
import { LiveBuffer } from './live-buffer.ts';
import { type LivePlan, NotSubscribable, planLive } from './live-plan.ts';
import type { RouterObserver } from './observer.ts';
import type { GraphOperation } from './router.ts';
import { LiveResult, type LiveSink, SharedSubscription } from './shared-subscription.ts';
import { isStream, type Variables } from './transport.ts';

export interface LiveOptions {
  /**
   * Maximum number of results that wait for a subscriber. If more results wait, the subscription of this subscriber
   * ends. Default: 256.
   */
  bufferSize: number;
  /** Maximum total length of the waiting results as JSON. Default: 1 MiB. */
  bufferBytes: number;
  /**
   * Names of arguments that set the start position of a stream. A subscriber who sets one of these arguments does not share its stream with
   * other subscribers. Default: `after`.
   */
  positionArguments: readonly string[];
}

const DEFAULTS: LiveOptions = { bufferSize: 256, bufferBytes: 1024 * 1024, positionArguments: ['after'] };

interface Parts {
  execute(operation: GraphOperation): Promise<ExecutionResult>;
  errors: ErrorPolicy;
  observer: RouterObserver;
}

export interface LiveRequest {
  graph: ExecutableSupergraph;
  transports: Transports;
  operation: PreparedOperation;
  variables: Variables;
  context: RequestContext;
}

interface Subscribed {
  subscription: SharedSubscription;
  /** Signal that is aborted when the last subscriber has left the stream. */
  left: AbortSignal;
  /**
   * Resolves when the stream has started. If the subgraph rejected the subscription, it resolves with the result that
   * contains the errors.
   */
  started: Promise<ExecutionResult | undefined> | undefined;
}

/**
 * Runs subscriptions. Subscribers with the same operation, variables and permissions share one stream from the
 * subgraph, and one query per event.
 * The stream ends when the last subscriber leaves.
 */
export class LiveOperations {
  readonly #options: LiveOptions;
  readonly #plans = new WeakMap<PreparedOperation, LivePlan | NotSubscribable>();
  readonly #ids = new WeakMap<PreparedOperation, number>();
  readonly #shared = new Map<string, Subscribed>();
  readonly #subscriptions = new Set<Subscribed>();
  #subscribers = 0;
  #lastId = 0;

  constructor(
    private readonly parts: Parts,
    options: Partial<LiveOptions> = {},
  ) {
    this.#options = { ...DEFAULTS, ...options };
  }

  /**
   * Subscribes a sink to results. `createSink` gets a function that ends the subscription. Returns the sink, or a
   * result with errors if there is no stream.
   */
  async follow<S extends LiveSink>(request: LiveRequest, createSink: (leave: () => void) => S): Promise<S | ExecutionResult> {
    const plan = this.#planOf(request.graph, request.operation);
    if (plan instanceof NotSubscribable) return this.#refusal(request.context, requestError({ field: 'query', reason: plan.reason }));

    const shared = this.#subscriptionOf(this.#keyOf(request, plan));
    const sink = createSink(() => shared.subscription.leave(sink));
    shared.subscription.join(sink);
    this.#count(1);
    shared.started ??= this.#connect(shared, request, plan);
    return (await shared.started) ?? sink;
  }

  /**
   * Subscribes a reader that pulls results. If the reader is too slow, `onOverflow` is called, and the stream ends
   * after the queued results.
   */
  subscribe(request: LiveRequest, onOverflow?: () => void): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult> {
    const { bufferSize: results, bufferBytes: bytes } = this.#options;
    const overflow = (): LiveResult => {
      onOverflow?.();
      return new LiveResult(this.#tooSlow(request.context));
    };
    return this.follow(request, (leave) => new LiveBuffer({ results, bytes }, overflow, leave));
  }

  async close(): Promise<void> {
    for (const { subscription } of [...this.#subscriptions]) subscription.end();
  }

  #subscriptionOf(key: string | undefined): Subscribed {
    const known = key === undefined ? undefined : this.#shared.get(key);
    if (known) return known;
    const left = new AbortController();
    const subscription = new SharedSubscription(key === undefined, {
      left: () => this.#count(-1),
      idle: () => {
        left.abort();
        this.#subscriptions.delete(shared);
        if (key !== undefined && this.#shared.get(key) === shared) this.#shared.delete(key);
      },
    });
    const shared: Subscribed = { subscription, left: left.signal, started: undefined };
    this.#subscriptions.add(shared);
    if (key !== undefined) this.#shared.set(key, shared);
    return shared;
  }

  /**
   * Subscribes at the subgraph that owns the field. Resolves with undefined when the stream has started, or with a
   * result that contains errors.
   */
  async #connect({ subscription, left }: Subscribed, asked: LiveRequest, plan: LivePlan): Promise<ExecutionResult | undefined> {
    const { transports, variables } = asked;
    const context = copyRequest(asked.context, { signal: left });
    const request = { ...asked, context };
    const failed = (error: unknown): ExecutionResult => this.#refusal(context, asGraphQLError(error));
    try {
      const stream = await transports.get(plan.owner)?.subscribe({ document: plan.document, variables, context });
      if (!stream) throw new Error(`There is no transport to ${plan.owner}.`);
      if (isStream(stream)) {
        void subscription.follow(this.#results(stream, request, plan), failed);
        return undefined;
      }
      subscription.end();
      return this.#refusal(context, ...(namingVariables(stream).errors ?? []));
    } catch (error) {
      subscription.end();
      return failed(error);
    }
  }

  /**
   * Converts the events of a stream to results. It is not a generator, because the `return` of a generator would wait
   * for the next event.
   */
  #results(stream: AsyncIterable<ExecutionResult>, request: LiveRequest, plan: LivePlan): AsyncIterable<ExecutionResult> {
    const source = stream[Symbol.asyncIterator]();
    const results: AsyncIterableIterator<ExecutionResult> = {
      next: async () => {
        const next = await source.next();
        return next.done ? next : { done: false, value: await this.#resultOf(next.value, request, plan) };
      },
      return: async () => {
        await source.return?.();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]: () => results,
    };
    return results;
  }

  async #resultOf(event: ExecutionResult, { variables, context }: LiveRequest, plan: LivePlan): Promise<ExecutionResult> {
    const record = event.data?.[plan.responseKey] as Record<string, unknown> | null | undefined;
    if (!plan.read || !record) {
      const result = namingVariables(plan.complete(event));
      return result.errors ? { ...result, errors: presentErrors(result.errors, context, this.parts.errors) } : result;
    }

    const { document, keys } = plan.read;
    const keyed = Object.fromEntries([...keys].map(([variable, field]) => [variable, record[field]]));
    const read = await this.parts.execute({
      document,
      variables: { ...variables, ...keyed },
      context: copyRequest(context),
    });
    if (read.errors || plan.isNullable || read.data?.[plan.responseKey]) return plan.complete(read);
    const gone = new PlatformError('RESOURCE_NOT_FOUND', 'The record of this event is no longer available.', { id: record.id });
    return { data: null, ...this.#refusal(context, new GraphQLError(gone.message, { path: [plan.responseKey], originalError: gone })) };
  }

  #planOf(graph: ExecutableSupergraph, operation: PreparedOperation): LivePlan | NotSubscribable {
    let plan = this.#plans.get(operation);
    if (!plan) {
      plan = planLive(graph, operation);
      this.#plans.set(operation, plan);
    }
    return plan;
  }

  /**
   * Returns a key that is equal for all subscribers who may share a stream. Returns undefined for a subscriber that
   * sets a start position.
   */
  #keyOf({ operation, variables, context: { principal, client } }: LiveRequest, { field }: LivePlan): string | undefined {
    if (hasPosition(field, variables, operation, this.#options.positionArguments)) return undefined;
    const id = this.#ids.get(operation) ?? ++this.#lastId;
    this.#ids.set(operation, id);
    return JSON.stringify([id, rightsOf(principal), client?.forwarded, variables], sortedFields);
  }

  #tooSlow(context: RequestContext): ExecutionResult {
    const known = new PlatformError(
      'RATE_LIMIT_EXCEEDED',
      'Events came faster than they were read. Subscribe again from the last event that you received.',
      {
        buffered: this.#options.bufferSize,
      },
    );
    return this.#refusal(context, new GraphQLError(known.message, { originalError: known }));
  }

  #refusal(context: RequestContext, ...errors: GraphQLError[]): ExecutionResult {
    return { errors: presentErrors(errors, context, this.parts.errors) };
  }

  #count(more: number): void {
    this.#subscribers += more;
    this.parts.observer.live?.({ subscribers: this.#subscribers, streams: this.#subscriptions.size });
  }
}

/** Returns true if the field has a value for one of these arguments, as a literal or by a variable. */
function hasPosition(
  { arguments: given = [] }: FieldNode,
  variables: Variables,
  { node }: PreparedOperation,
  positions: readonly string[],
): boolean {
  return given.some(({ name, value }) => {
    if (!positions.includes(name.value) || value.kind === Kind.NULL) return false;
    if (value.kind !== Kind.VARIABLE) return true;
    const variable = value.name.value;
    const definition = node.variableDefinitions?.find((one) => one.variable.name.value === variable);
    return (variables[variable] === undefined ? definition?.defaultValue : variables[variable]) != null;
  });
}

const rightsOf = ({ kind, id, organizationId, plan, grants, accounts }: Principal): unknown[] => [
  kind,
  id,
  organizationId,
  plan,
  [...grants].sort(),
  accounts,
];

/** Replacer for JSON.stringify that sorts object keys, so that equal variables give the same text. */
function sortedFields(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
