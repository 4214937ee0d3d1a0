import { ForbiddenAddress } from './ssrf.ts';

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  UND_ERR_SOCKET: 'the connection was closed',
  ENOTFOUND: 'the host name does not resolve',
  EAI_AGAIN: 'the host name does not resolve',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
};

/** Time limits of an outgoing request: to connect, including TLS, and in total. */
export interface RequestTimeouts {
  connectMs: number;
  wholeMs: number;
}

/**
 * Describes why a request got no response. The text is for the caller who provided the URL. It contains no addresses,
 * because they may belong to a network that this caller must not learn about. The error `late` means that the request
 * exceeded its total time limit.
 */
export function connectionProblem(error: Error | 'late' | undefined, { connectMs, wholeMs }: RequestTimeouts): string {
  if (error === 'late') return `no response within ${wholeMs / 1000} s`;
  if (error instanceof ForbiddenAddress) return error.message;
  const code = error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return `no connection within ${connectMs / 1000} s`;
  if (/^(ERR_TLS|ERR_SSL|CERT|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|EPROTO)/.test(code)) return 'the TLS connection could not be established';
  return REASONS[code] ?? 'the request failed';
}
