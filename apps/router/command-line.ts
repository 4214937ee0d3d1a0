import { parseArgs } from 'node:util';
import { type AllowedOrigins, allowedOrigins } from '../../kernel/settings/origins.ts';
import type { OperationLimits } from '../../router/limits.ts';
import { StartError } from '../platform/start-error.ts';
import { LIMITS_HELP, readLimits } from './limits.ts';

export interface RouterCommand {
  help: boolean;
  supergraph: string;
  host: string;
  port: number;
  /**
   * Secret with which the router verifies the principal of a request. If the secret is undefined, the router accepts
   * any caller and sends no principal to subgraphs.
   */
  secret: string | undefined;
  logLevel: string;
  limits: Partial<OperationLimits>;
  /** Time within which a subgraph must have sent its complete response. */
  timeoutMs: number;
  /** Maximum number of connections to each subgraph. */
  connections: number;
  /** Headers of the request that are forwarded to subgraphs, in lower case. */
  forwardedHeaders: readonly string[];
  allowedOrigins: AllowedOrigins;
}

const OPTIONS = {
  supergraph: { type: 'string' },
  port: { type: 'string', default: '4000' },
  host: { type: 'string', default: '127.0.0.1' },
  open: { type: 'boolean', default: false },
  secret: { type: 'string' },
  limit: { type: 'string', multiple: true, default: [] as string[] },
  timeout: { type: 'string', default: '30000' },
  connections: { type: 'string', default: '64' },
  'forward-header': { type: 'string', multiple: true, default: [] as string[] },
  'allowed-origins': { type: 'string' },
  'log-level': { type: 'string', default: 'info' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

export const HELP = `Runs the router alone over a Federation 2 supergraph with HTTP subgraphs: npm run router -- [options]

  --supergraph FILE       file with the supergraph SDL, which contains the URLs of the subgraphs
  --port N                default: 4000; 0 for a free one
  --host ADDRESS          default: 127.0.0.1
  --open                  accept any caller: for trials, or behind a proxy that authenticates
  --secret TEXT           shared with the proxy that signs x-principal, and with the subgraphs (or PRINCIPAL_SECRET)
  --limit NAME=N          limit for one operation, repeatable:
${LIMITS_HELP}
  --timeout MS            timeout for the complete response of a subgraph; default: 30000
  --connections N         maximum connections to each subgraph; default: 64
  --forward-header NAME   header to forward to every subgraph, repeatable; over WebSocket, from the connection_init payload
  --allowed-origins LIST  comma-separated origins whose pages may call it from a browser and open WebSockets, or *
                          (or ALLOWED_ORIGINS); default: *
  --log-level LEVEL       trace, debug, info, warn, error, fatal or silent; default: info

It responds at /graphql (HTTP, graphql-ws, GraphiQL) and /healthz.
`;

const LOG_LEVELS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);
const MAX_PORT = 65_535;
const MAX_TIMEOUT_MS = 3_600_000;
const MAX_CONNECTIONS = 10_000;
const HEADER = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;
/** Headers that the router never forwards. They describe one connection or one body, or the router sets them itself. */
const OWN_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-principal',
  'x-request-id',
]);

/** Reads the command line. @throws StartError with a one-line message */
export function readCommand(args: readonly string[], environment: Readonly<Record<string, string | undefined>>): RouterCommand {
  const values = parse(args);
  const { supergraph = '', host, open, help } = values;
  const secret = values.secret || environment.PRINCIPAL_SECRET || undefined;
  const logLevel = values['log-level'];
  if (!help) {
    if (!supergraph) throw new StartError('--supergraph FILE is required.');
    if (!LOG_LEVELS.has(logLevel)) throw new StartError(`--log-level must be one of ${[...LOG_LEVELS].join(', ')}.`);
    if (open && values.secret) throw new StartError('Use either --open or --secret, not both.');
    if (!open && !secret)
      throw new StartError('Use --secret (or PRINCIPAL_SECRET) to verify signed callers, or --open to accept any caller.');
  }
  return {
    help,
    supergraph,
    host,
    port: number('port', values.port, 0, MAX_PORT),
    secret: open ? undefined : secret,
    logLevel,
    limits: readLimits(values.limit),
    timeoutMs: number('timeout', values.timeout, 1, MAX_TIMEOUT_MS),
    connections: number('connections', values.connections, 1, MAX_CONNECTIONS),
    forwardedHeaders: values['forward-header'].map(forwardable),
    allowedOrigins: origins(values['allowed-origins'] ?? environment.ALLOWED_ORIGINS ?? '*'),
  };
}

function number(option: string, value: string, min: number, max: number): number {
  if (/^\d+$/.test(value) && Number(value) >= min && Number(value) <= max) return Number(value);
  throw new StartError(`--${option} must be a number from ${min} to ${max}, not ${value}.`);
}

function forwardable(value: string): string {
  const name = value.toLowerCase();
  if (!HEADER.test(name)) throw new StartError(`--forward-header must be the name of a header, not ${value}.`);
  if (OWN_HEADERS.has(name)) throw new StartError(`--forward-header ${name}: the router sets or removes this header itself.`);
  return name;
}

function origins(value: string): AllowedOrigins {
  const { data, error } = allowedOrigins.safeParse(value);
  if (!data) throw new StartError(`--allowed-origins ${error?.issues[0]?.message ?? 'is not valid'}.`);
  return data;
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('. ', 1);
    throw new StartError(`${reason?.replace(/\.$/, '')}. See npm run router -- --help.`);
  }
}
