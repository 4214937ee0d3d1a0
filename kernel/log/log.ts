import { type DestinationStream, type Logger, pino } from 'pino';
import { describeForLog } from './error.ts';

export type { Logger };

/** Properties that are never logged, at any depth. */
const SECRETS = [
  'authorization',
  'cookie',
  'password',
  'secret',
  'token',
  'key',
  'apiKey',
  'x-api-key',
  'x-signature',
  'signature',
  'api_token',
  'card_token',
];
const PATHS = SECRETS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);

export interface LogOptions {
  level: string;
  destination?: DestinationStream;
}

/**
 * Creates the logger of the process. It writes JSON lines without secrets. In each line, the attributes come before the
 * message. Errors (`err`) contain no SQL. Each request uses a child logger with its request id.
 */
export function createLogger({ level, destination }: LogOptions): Logger {
  const options = { level, base: undefined, redact: { paths: PATHS, censor: '[redacted]' }, serializers: { err: describeForLog } };
  return destination ? pino(options, destination) : pino(options);
}
