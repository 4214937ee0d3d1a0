import { SchemaError } from '../../kernel/migrations/schema-error.ts';
import { ConfigError } from '../../kernel/settings/config.ts';

/** Error that prevents the start. The message is one line that says how to solve the problem. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** Formats a start error for stderr: one line per reason, without secrets. */
export function describeStartError(error: unknown): string {
  if (error instanceof ConfigError || error instanceof StartError || error instanceof SchemaError) return error.message;
  return `The platform cannot start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

const LISTEN_REASONS: Record<string, (host: string, port: number) => string> = {
  EADDRINUSE: (_, port) => `Port ${port} is in use. Choose another with --port, or --port 0 for a free one.`,
  EACCES: (_, port) => `Port ${port} needs rights that this process does not have. Choose one above 1023 with --port.`,
  EADDRNOTAVAIL: (host) => `This machine does not have the address ${host}. Choose one with --host.`,
  ENOTFOUND: (host) => `The host name ${host} is not known. Choose an address of this machine with --host.`,
};

export function listenError(error: unknown, host: string, port: number): Error {
  const reason = LISTEN_REASONS[codeOf(error)];
  return reason ? new StartError(reason(host, port), { cause: error }) : (error as Error);
}

const DATABASE_REASONS: Record<string, string> = {
  ECONNREFUSED: 'nothing is listening there',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name cannot be resolved at the moment',
  ETIMEDOUT: 'it does not respond',
  EHOSTUNREACH: 'its host is unreachable',
  ENETUNREACH: 'its network is unreachable',
  ECONNRESET: 'it closed the connection',
  '28P01': 'it does not accept the user or password',
  '28000': 'it refuses this user',
  '3D000': 'it has no such database',
  '25006': 'it is read-only, as a standby server is',
  '42501': 'the user may not create schemas in it',
  '53300': 'it has no free connections',
  '57P03': 'it is starting up',
};

/**
 * Adds the name of the database server, without the password, to an error that occurred when a database was opened.
 * Returns other errors unchanged.
 */
export function databaseError(error: unknown, url: string): Error {
  const isTimeout = error instanceof Error && /timeout/i.test(error.message) && !codeOf(error);
  const reason = isTimeout ? DATABASE_REASONS.ETIMEDOUT : DATABASE_REASONS[codeOf(error)];
  const { host, pathname } = new URL(url);
  return reason
    ? new StartError(`The database ${host}${pathname} cannot be used: ${reason}. Check DATABASE_URL.`, { cause: error })
    : (error as Error);
}

/**
 * Returns the code of an error. If a host name has several addresses, a failed connection is an AggregateError. Its
 * code is the code of the first error in it.
 */
function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: unknown[] };
  if (typeof code === 'string') return code;
  return errors?.length ? codeOf(errors[0]) : '';
}
