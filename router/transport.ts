import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import type { RequestContext } from '../kernel/request.ts';

export type MaybePromise<T> = T | Promise<T>;
export type Variables = Readonly<Record<string, unknown>>;

/**
 * A request to one subgraph. The document contains a single operation, and is the same object in every execution of a
 * plan.
 */
export interface SubgraphRequest {
  document: DocumentNode;
  variables?: Variables | undefined;
  context: RequestContext;
}

/** Connects the router to one subgraph. */
export interface Transport {
  /** Schema of a subgraph in this process. The router uses its custom scalars to validate variables. */
  readonly schema?: GraphQLSchema;
  /** Executes a query or mutation. It may throw or reject if the subgraph is not available. */
  execute(request: SubgraphRequest): MaybePromise<ExecutionResult>;
  /**
   * Starts a subscription. If the subgraph rejects it, returns a result with errors instead of a stream. The stream
   * throws if the connection is lost.
   */
  subscribe(request: SubgraphRequest): MaybePromise<AsyncIterable<ExecutionResult> | ExecutionResult>;
  /** Closes all connections. A closed transport cannot be used again. */
  close(): Promise<void>;
}

export const isStream = <T>(value: AsyncIterable<T> | ExecutionResult): value is AsyncIterable<T> => Symbol.asyncIterator in value;
