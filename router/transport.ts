import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import type { RequestContext } from '../kernel/request.ts';

export type MaybePromise<T> = T | Promise<T>;
export type Variables = Readonly<Record<string, unknown>>;

/** One operation for one subgraph. The document contains only this operation, and is the same object for the same plan. */
export interface SubgraphRequest {
  document: DocumentNode;
  variables?: Variables | undefined;
  context: RequestContext;
}

/** Connects the router to one subgraph. */
export interface Transport {
  /** Schema of a subgraph in this process, whose scalars the router can validate itself. */
  readonly schema?: GraphQLSchema;
  /** Executes a query or mutation. May throw or reject if the subgraph is not available. */
  execute(request: SubgraphRequest): MaybePromise<ExecutionResult>;
  /** Starts a subscription. Returns a result instead of a stream if it was refused. The stream throws if the connection is lost. */
  subscribe(request: SubgraphRequest): MaybePromise<AsyncIterable<ExecutionResult> | ExecutionResult>;
  /** Closes all connections. The transport cannot be used afterwards. */
  close(): Promise<void>;
}

export const isStream = <T>(value: AsyncIterable<T> | ExecutionResult): value is AsyncIterable<T> => Symbol.asyncIterator in value;
