import { type DestinationStream, type Logger, pino } from 'pino';
import { describeForLog } from './error.ts';
import { REDACTED, SECRET_NAMES } from './redaction.ts';

export type { Logger };

/** Properties that are never logged, at any depth. */
const PATHS = SECRET_NAMES.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]);

export interface LogOptions {
  level: string;
  destination?: DestinationStream;
}

/**
 * Creates the logger of the process. It writes JSON lines without secrets. In each line, the attributes come before the
 * message. Errors (`err`) contain no SQL. Each request uses a child logger with its request id.
 */
export function createLogger({ level, destination }: LogOptions): Logger {
  const options = { level, base: undefined, redact: { paths: PATHS, censor: REDACTED }, serializers: { err: describeForLog } };
  return destination ? pino(options, destination) : pino(options);
}
