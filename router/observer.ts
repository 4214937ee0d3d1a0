import type { OperationTypeNode } from 'graphql';

/**
 * Callbacks for metrics of the router. They are called for every operation, so they must be fast and must not throw.
 */
export interface RouterObserver {
  /** Called when a query or mutation was completed, or a subscription was started. */
  operation?(record: OperationRecord): void;
  /** Called after a request to a subgraph. */
  fetch?(record: FetchRecord): void;
  /**
   * Called with the current numbers of subscribers and of streams from subgraphs. Several subscribers can share a
   * stream.
   */
  live?(record: { subscribers: number; streams: number }): void;
}

export interface OperationRecord {
  /** Type of the operation. Undefined if the request is not a valid operation. */
  type: OperationTypeNode | undefined;
  name: string | undefined;
  durationMs: number;
  /** Number of requests to each subgraph. The keys are the names of the subgraphs. */
  subgraphFetches: Readonly<Record<string, number>>;
  failed: boolean;
}

export interface FetchRecord {
  subgraph: string;
  durationMs: number;
  failed: boolean;
}
