import { parseArgs } from 'node:util';
import { StartError } from '../platform/start-error.ts';

export interface RouterCommand {
  help: boolean;
  supergraph: string;
  host: string;
  port: number;
  /** Undefined: everyone may ask, and no principal goes to the subgraphs. */
  secret: string | undefined;
  logLevel: string;
}

const OPTIONS = {
  supergraph: { type: 'string' },
  port: { type: 'string', default: '4000' },
  host: { type: 'string', default: '127.0.0.1' },
  open: { type: 'boolean', default: false },
  secret: { type: 'string' },
  'log-level': { type: 'string', default: 'info' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

export const HELP = `Runs the router alone over a Federation 2 supergraph with HTTP subgraphs: npm run router -- [options]

  --supergraph FILE       the supergraph SDL; subgraphs are reached at the urls that it names
  --port N                default: 4000; 0 for a free one
  --host ADDRESS          default: 127.0.0.1
  --open                  answer everyone: for trials, and behind a front that authenticates
  --secret TEXT           shared with a front that signs x-principal, and with the subgraphs (or PRINCIPAL_SECRET)
  --log-level LEVEL       trace, debug, info, warn, error, fatal or silent; default: info

It answers /graphql (HTTP, graphql-ws, GraphiQL) and /healthz.
`;

const LOG_LEVELS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);
const MAX_PORT = 65_535;

/** @throws StartError with one line for whoever started it. */
export function readCommand(args: readonly string[], environment: Readonly<Record<string, string | undefined>>): RouterCommand {
  const values = parse(args);
  const { supergraph = '', host, open, help } = values;
  const secret = values.secret || environment.PRINCIPAL_SECRET || undefined;
  const port = Number(values.port);
  const logLevel = values['log-level'];
  if (!help) {
    if (!supergraph) throw new StartError('Name the supergraph: --supergraph FILE.');
    if (!/^\d+$/.test(values.port) || port > MAX_PORT)
      throw new StartError(`--port must be a number from 0 to ${MAX_PORT}, not ${values.port}.`);
    if (!LOG_LEVELS.has(logLevel)) throw new StartError(`--log-level must be one of ${[...LOG_LEVELS].join(', ')}.`);
    if (open && values.secret) throw new StartError('Give --open or --secret, not both.');
    if (!open && !secret) throw new StartError('Give --secret (or PRINCIPAL_SECRET) that signs callers, or --open to answer everyone.');
  }
  return { help, supergraph, host, port, secret: open ? undefined : secret, logLevel };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('. ', 1);
    throw new StartError(`${reason?.replace(/\.$/, '')}. See npm run router -- --help.`);
  }
}
