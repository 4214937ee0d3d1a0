import type { DocumentNode, ExecutionResult, GraphQLSchema } from 'graphql';
import type { RequestContext } from '../kernel/request.ts';

export type MaybePromise<T> = T | Promise<T>;
export type Variables = Readonly<Record<string, unknown>>;

/** One operation for one subgraph. The document has this one operation, and is the same object for the same plan. */
export interface SubgraphRequest {
  document: DocumentNode;
  variables?: Variables | undefined;
  context: RequestContext;
}

/** How the router reaches one subgraph. */
export interface Transport {
  /** Of a subgraph in this process, whose scalars the router can check itself. */
  readonly schema?: GraphQLSchema;
  /** A query or mutation. May throw or reject where the subgraph could not be asked. */
  execute(request: SubgraphRequest): MaybePromise<ExecutionResult>;
  /** A subscription; a result instead of a stream when it was refused. Ends early where the connection was lost: by throwing. */
  subscribe(request: SubgraphRequest): MaybePromise<AsyncIterable<ExecutionResult> | ExecutionResult>;
  /** Ends what is open. Nothing may be asked afterwards. */
  close(): Promise<void>;
}

export const isStream = <T>(value: AsyncIterable<T> | ExecutionResult): value is AsyncIterable<T> => Symbol.asyncIterator in value;
