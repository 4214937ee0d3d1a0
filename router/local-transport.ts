import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  getNamedType,
  isScalarType,
  isSpecifiedScalarType,
  Kind,
  print,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { BoundedCache } from '../kernel/bounded-cache.ts';
import { copyRequest, type RequestContext } from '../kernel/request.ts';
import type { Subgraph } from '../kernel/subgraph.ts';
import { isStream, type MaybePromise, type SubgraphRequest, type Transport, type Variables } from './transport.ts';

type Run = (root: unknown, context: object, variables: Variables) => MaybePromise<ExecutionResult>;

const MAX_COMPILED = 2_000;

/**
 * A subgraph in this process. Operations that are executed repeatedly are compiled by graphql-jit, once per document
 * text.
 * graphql-js executes operations that graphql-jit does not support.
 */
export class LocalTransport implements Transport {
  readonly #byDocument = new WeakMap<DocumentNode, Run>();
  readonly #byText = new BoundedCache<string, Run>(MAX_COMPILED);
  readonly #contexts = new WeakMap<RequestContext, object>();

  constructor(private readonly subgraph: Subgraph) {}

  get schema(): GraphQLSchema {
    return this.subgraph.schema;
  }

  execute({ document, variables = {}, context }: SubgraphRequest): MaybePromise<ExecutionResult> {
    const run = () => this.#runOf(document)(undefined, this.#contextOf(context), variables);
    return this.subgraph.around ? this.subgraph.around(context, run) : run();
  }

  /**
   * Starts a subscription. Each event gets a new context, because the data that loaders cached for one event may be
   * outdated for the next.
   */
  async subscribe({ document, variables = {}, context }: SubgraphRequest): Promise<AsyncIterable<ExecutionResult> | ExecutionResult> {
    const { schema } = this.subgraph;
    const contextValue = this.subgraph.createContext(context);
    const source = await createSourceEventStream({ schema, document, contextValue, variableValues: variables });
    if (!isStream(source)) return source;
    const run = this.#runOf(document);
    return mapStream(source, (event) => run(event, this.subgraph.createContext(copyRequest(context)), variables));
  }

  async close(): Promise<void> {}

  #contextOf(request: RequestContext): object {
    let context = this.#contexts.get(request);
    if (!context) {
      context = this.subgraph.createContext(request);
      this.#contexts.set(request, context);
    }
    return context;
  }

  #runOf(document: DocumentNode): Run {
    const known = this.#byDocument.get(document);
    if (known) return known;
    const text = print(document);
    let run = this.#byText.get(text);
    if (!run) {
      run = this.#lazilyCompiled(document);
      this.#byText.set(text, run);
    }
    this.#byDocument.set(document, run);
    return run;
  }

  /**
   * Returns a function that compiles the operation at its second execution. Compiling takes as long as many executions,
   * and an operation with literals may never be repeated.
   */
  #lazilyCompiled(document: DocumentNode): Run {
    const { schema } = this.subgraph;
    const interpret: Run = (rootValue, contextValue, variableValues) =>
      execute({ schema, document, rootValue, contextValue, variableValues });
    let compiled: Run | undefined;
    let isFirst = true;
    if (hasParsedLiterals(schema, document)) return interpret;
    // Mutations always use the same engine, because graphql-js and graphql-jit differ in whether the fields after a
    // failed field are executed.
    if (changes(document)) return compile(this.subgraph, document) ?? interpret;
    return (root, context, variables) => {
      if (isFirst) {
        isFirst = false;
        return interpret(root, context, variables);
      }
      compiled ??= compile(this.subgraph, document) ?? interpret;
      return compiled(root, context, variables);
    };
  }
}

const changes = ({ definitions }: DocumentNode): boolean =>
  definitions.some((definition) => definition.kind === Kind.OPERATION_DEFINITION && definition.operation === 'mutation');

/**
 * Returns true if arguments contain literals of scalars that are parsed to objects, such as decimals and timestamps.
 * graphql-jit writes literals into its code as JSON, so that resolvers would get texts instead of these objects.
 */
function hasParsedLiterals(schema: GraphQLSchema, document: DocumentNode): boolean {
  const types = new TypeInfo(schema);
  let found = false;
  const check = (): void => {
    const type = getNamedType(types.getInputType());
    if (isScalarType(type) && !isSpecifiedScalarType(type)) found = true;
  };
  visit(document, visitWithTypeInfo(types, { IntValue: check, FloatValue: check, StringValue: check }));
  return found;
}

function compile({ schema }: Subgraph, document: DocumentNode): Run | undefined {
  const compiled: CompiledQuery | ExecutionResult = compileQuery(schema, document);
  if (!isCompiledQuery(compiled)) return undefined;
  const { query } = compiled;
  return (root, context, variables) => query(root, context, variables) as MaybePromise<ExecutionResult>;
}

/**
 * Maps the events of a stream. When the returned stream is closed, `source` is closed immediately, even while its next
 * event is awaited. An async generator would first wait for the next event.
 */
function mapStream(source: AsyncIterable<unknown>, map: (event: unknown) => MaybePromise<ExecutionResult>): AsyncIterable<ExecutionResult> {
  const events = source[Symbol.asyncIterator]();
  const iterator: AsyncIterableIterator<ExecutionResult> = {
    async next() {
      const { done, value } = await events.next();
      return done ? { done: true, value: undefined } : { done: false, value: await map(value) };
    },
    async return() {
      await events.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => iterator,
  };
  return iterator;
}
