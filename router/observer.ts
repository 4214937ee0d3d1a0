import type { OperationTypeNode } from 'graphql';

/** What the router tells about its work, for metrics. Called on the hot path: it must be cheap and must not throw. */
export interface RouterObserver {
  /** An operation was answered; for a subscription, when it began. */
  operation?(record: OperationRecord): void;
  /** A subgraph was called. */
  fetch?(record: FetchRecord): void;
  /** How many clients are subscribed now, and how many streams from subgraphs serve them. */
  live?(record: { subscribers: number; streams: number }): void;
}

export interface OperationRecord {
  /** Undefined for a request that is no valid operation. */
  type: OperationTypeNode | undefined;
  name: string | undefined;
  durationMs: number;
  /** Calls by subgraph. */
  subgraphFetches: Readonly<Record<string, number>>;
  failed: boolean;
}

export interface FetchRecord {
  subgraph: string;
  durationMs: number;
  failed: boolean;
}
