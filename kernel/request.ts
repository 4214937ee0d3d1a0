import type { Principal } from './access/principal.ts';
import type { Logger } from './log/log.ts';

/** Where a request comes from, as seen by the edge. */
export interface ClientInfo {
  readonly ip: string;
  readonly userAgent: string | undefined;
  /** The country that a trusted proxy sent (COUNTRY_HEADER), not verified. */
  readonly country?: string | undefined;
  /** The W3C trace context that the caller sent. */
  readonly traceparent?: string | undefined;
  /** Headers that are forwarded unchanged to subgraphs in other processes, by lower-case name. */
  readonly forwarded?: Readonly<Record<string, string>> | undefined;
}

/**
 * One caller's request as it travels from the edge to a subgraph. It is created once at the edge and never changed. Every subgraph gets
 * the same object, so caches per request (loaders, entity managers) use it as key.
 */
export interface RequestContext {
  readonly requestId: string;
  readonly principal: Principal;
  readonly log: Logger;
  /** Absent for requests of the platform itself. */
  readonly client?: ClientInfo | undefined;
  /** Aborted when nobody waits for the response any more: the last subscriber left, or the socket closed. */
  readonly signal?: AbortSignal;
}
