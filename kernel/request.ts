import { Principal } from './access/principal.ts';
import type { Logger } from './log/log.ts';
import { newId } from './records/ids.ts';

/** Information about the client of a request, as collected by the edge. */
export interface ClientInfo {
  readonly ip: string;
  readonly userAgent: string | undefined;
  /** The country that a trusted proxy sent in the header that the setting COUNTRY_HEADER names. It is not verified. */
  readonly country?: string | undefined;
  /** The W3C trace context that the caller sent. */
  readonly traceparent?: string | undefined;
  /**
   * Headers that are sent unchanged to subgraphs in other processes. The keys are the lower-case names of the headers.
   */
  readonly forwarded?: Readonly<Record<string, string>> | undefined;
}

/**
 * The data of one request that the edge passes to the subgraphs. The edge creates it once, and it never changes. Every
 * subgraph gets the same object, so caches per request (loaders, entity managers) use it as a key.
 */
export interface RequestContext {
  readonly requestId: string;
  readonly principal: Principal;
  readonly log: Logger;
  /** Information about the client. Absent for requests of the platform itself. */
  readonly client?: ClientInfo | undefined;
  /** Aborted when the response is no longer needed, because the last subscriber has left or the socket was closed. */
  readonly signal?: AbortSignal;
}

/** Returns the context of work that the platform does for an organization without a request, such as a reaction to an event. */
export const requestOf = (work: string, organizationId: string, log: Logger): RequestContext => ({
  requestId: newId('request'),
  principal: Principal.system(work, organizationId),
  log,
});

/**
 * Copies a request context, for another principal or for the next event of a subscription. Caches that use the context as a key, such as
 * loaders, are empty for the copy. The properties are copied by name, because a spread would not copy `log` if it is a getter, as at the
 * edge.
 */
export function copyRequest(
  request: RequestContext,
  { principal = request.principal, signal = request.signal }: { principal?: Principal; signal?: AbortSignal | undefined } = {},
): RequestContext {
  const { requestId, client } = request;
  const copy = {
    requestId,
    principal,
    client,
    get log() {
      return request.log;
    },
  };
  return signal ? Object.assign(copy, { signal }) : copy;
}
