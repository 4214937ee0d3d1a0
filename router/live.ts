import { type ExecutionResult, type FieldNode, GraphQLError, Kind } from 'graphql';
import { PlatformError } from '../kernel/errors.ts';
import type { Principal } from '../kernel/principal.ts';
import type { RequestContext } from '../kernel/request.ts';
import type { PreparedOperation } from './documents.ts';
import { type ErrorPolicy, namingVariables, presentErrors, requestError } from './errors.ts';
import type { Graph, Transports } from './graph.ts';
import { type LivePlan, NotFollowable, planLive } from './live.plan.ts';
import { LiveRun } from './live.run.ts';
import type { RouterObserver } from './observer.ts';
import { renewContext } from './request-context.ts';
import type { GraphOperation } from './router.ts';
import { isStream, type Variables } from './transport.ts';

export interface LiveOptions {
  /** Results that a subscriber may be behind before it is ended. Default 256. */
  bufferSize: number;
  /** Arguments that say where in a stream to begin: who gives one gets a stream alone. Default `after`. */
  positionArguments: readonly string[];
}

const DEFAULTS: LiveOptions = { bufferSize: 256, positionArguments: ['after'] };

interface Parts {
  execute(operation: GraphOperation): Promise<ExecutionResult>;
  errors: ErrorPolicy;
  observer: RouterObserver;
}

export interface LiveRequest {
  graph: Graph;
  transports: Transports;
  operation: PreparedOperation;
  variables: Variables;
  context: RequestContext;
}

interface SharedRun {
  run: LiveRun;
  /** The result that refused the stream, if one did. */
  started: Promise<ExecutionResult | undefined>;
}

/**
 * Follows subscriptions. Those with the same operation, variables and rights share one stream from the subgraph and one read
 * of each event; the stream ends when the last of them leaves.
 */
export class LiveOperations {
  readonly #options: LiveOptions;
  readonly #plans = new WeakMap<PreparedOperation, LivePlan | NotFollowable>();
  readonly #ids = new WeakMap<PreparedOperation, number>();
  readonly #shared = new Map<string, SharedRun>();
  readonly #runs = new Set<LiveRun>();
  #lastId = 0;

  constructor(
    private readonly parts: Parts,
    options: Partial<LiveOptions> = {},
  ) {
    this.#options = { ...DEFAULTS, ...options };
  }

  async subscribe(request: LiveRequest): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult> {
    const plan = this.#planOf(request.graph, request.operation);
    if (plan instanceof NotFollowable) return this.#refusal(request.context, requestError({ field: 'query', reason: plan.reason }));

    const key = this.#keyOf(request, plan);
    const known = key === undefined ? undefined : this.#shared.get(key);
    const shared = known ?? this.#start(request, plan, key);
    const subscriber = shared.run.join();
    this.#observe();
    const refused = await shared.started;
    return refused ?? subscriber;
  }

  async close(): Promise<void> {
    for (const run of [...this.#runs]) run.end();
  }

  #start(request: LiveRequest, plan: LivePlan, key: string | undefined): SharedRun {
    const left = new AbortController();
    const run = new LiveRun(this.#options.bufferSize, this.#tooSlow(request.context), (isIdle) => {
      if (isIdle) {
        left.abort();
        this.#runs.delete(run);
        if (key !== undefined && this.#shared.get(key)?.run === run) this.#shared.delete(key);
      }
      this.#observe();
    });
    const context = renewContext(request.context, left.signal);
    const shared = { run, started: this.#connect(run, { ...request, context }, plan) };
    this.#runs.add(run);
    if (key !== undefined) this.#shared.set(key, shared);
    return shared;
  }

  /** Subscribes at the owner. Undefined once the stream runs. */
  async #connect(run: LiveRun, request: LiveRequest, plan: LivePlan): Promise<ExecutionResult | undefined> {
    const { transports, variables, context } = request;
    const failed = (error: unknown): ExecutionResult => this.#refusal(context, asGraphQLError(error));
    try {
      const stream = await transports.get(plan.owner)?.subscribe({ document: plan.document, variables, context });
      if (!stream) throw new Error(`There is no transport to ${plan.owner}.`);
      if (isStream(stream)) {
        void run.follow(this.#results(stream, request, plan), failed);
        return undefined;
      }
      run.end();
      return this.#refusal(context, ...(namingVariables(stream).errors ?? []));
    } catch (error) {
      run.end();
      return failed(error);
    }
  }

  /** Not a generator: its `return` would wait for the event that it awaits. */
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
      const { errors } = namingVariables(event);
      return errors ? { ...event, errors: presentErrors(errors, context, this.parts.errors) } : event;
    }

    const { document, keys } = plan.read;
    const keyed = Object.fromEntries([...keys].map(([variable, member]) => [variable, record[member]]));
    const result = await this.parts.execute({
      document,
      variables: { ...variables, ...keyed },
      context: renewContext(context),
    });
    if (result.errors || plan.isNullable || result.data?.[plan.responseKey]) return result;
    const gone = new PlatformError('RESOURCE_NOT_FOUND', 'What this event is about cannot be read any more.', { id: record.id });
    return { data: null, ...this.#refusal(context, new GraphQLError(gone.message, { path: [plan.responseKey], originalError: gone })) };
  }

  #planOf(graph: Graph, operation: PreparedOperation): LivePlan | NotFollowable {
    let plan = this.#plans.get(operation);
    if (!plan) {
      plan = planLive(graph, operation);
      this.#plans.set(operation, plan);
    }
    return plan;
  }

  /** The same for subscribers who would get the same; undefined for who begins at a position of their own. */
  #keyOf({ operation, variables, context: { principal } }: LiveRequest, { field }: LivePlan): string | undefined {
    if (hasPosition(field, variables, operation, this.#options.positionArguments)) return undefined;
    const id = this.#ids.get(operation) ?? ++this.#lastId;
    this.#ids.set(operation, id);
    return JSON.stringify([id, rightsOf(principal), variables], sortedMembers);
  }

  #tooSlow(context: RequestContext): ExecutionResult {
    const known = new PlatformError(
      'RATE_LIMIT_EXCEEDED',
      'Events came faster than they were read. Subscribe again from the last one you have.',
      {
        buffered: this.#options.bufferSize,
      },
    );
    return this.#refusal(context, new GraphQLError(known.message, { originalError: known }));
  }

  #refusal(context: RequestContext, ...errors: GraphQLError[]): ExecutionResult {
    return { errors: presentErrors(errors, context, this.parts.errors) };
  }

  #observe(): void {
    const subscribers = [...this.#runs].reduce((sum, run) => sum + run.size, 0);
    this.parts.observer.live?.({ subscribers, streams: this.#runs.size });
  }
}

/** Whether a field is given one of these arguments, as itself or by a variable that has a value. */
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

const rightsOf = ({ kind, id, organizationId, plan, grants }: Principal): unknown[] => [kind, id, organizationId, plan, [...grants].sort()];

/** For JSON.stringify: objects with their members in one order, so that equal variables read the same. */
function sortedMembers(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function asGraphQLError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  const originalError = error instanceof Error ? error : new Error(String(error));
  return new GraphQLError(originalError.message, { originalError });
}
