import type { OperationTypeNode } from 'graphql';

/** Callbacks for metrics of the router. They run on the hot path, so they must be cheap and must not throw. */
export interface RouterObserver {
  /** An operation was completed; for a subscription: was started. */
  operation?(record: OperationRecord): void;
  /** A subgraph was called. */
  fetch?(record: FetchRecord): void;
  /** The current number of subscribers, and of streams from subgraphs that serve them. */
  live?(record: { subscribers: number; streams: number }): void;
}

export interface OperationRecord {
  /** Undefined for a request that is not a valid operation. */
  type: OperationTypeNode | undefined;
  name: string | undefined;
  durationMs: number;
  /** Number of calls per subgraph. */
  subgraphFetches: Readonly<Record<string, number>>;
  failed: boolean;
}

export interface FetchRecord {
  subgraph: string;
  durationMs: number;
  failed: boolean;
}
