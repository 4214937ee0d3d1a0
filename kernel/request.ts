import type { Principal } from './access/principal.ts';
import type { Logger } from './log/log.ts';

/** Where a request comes from, as the edge saw it. */
export interface ClientInfo {
  readonly ip: string;
  readonly userAgent: string | undefined;
  /** As a trusted proxy says it (COUNTRY_HEADER), unchecked. */
  readonly country?: string | undefined;
  /** The W3C trace context that the caller sent. */
  readonly traceparent?: string | undefined;
  /** Headers that go on to subgraphs in other processes as they came, by lower-case name. */
  readonly forwarded?: Readonly<Record<string, string>> | undefined;
}

/**
 * One caller's request as it travels from the edge to a subgraph: made once at the edge, handed on unchanged. The same
 * object goes to every subgraph, so what is kept per request (loaders, entity managers) is keyed by it.
 */
export interface RequestContext {
  readonly requestId: string;
  readonly principal: Principal;
  readonly log: Logger;
  /** Absent for what the platform asks by itself. */
  readonly client?: ClientInfo | undefined;
  /** Aborted when nobody waits for the answer any more: the last subscriber left, the socket closed. */
  readonly signal?: AbortSignal;
}
