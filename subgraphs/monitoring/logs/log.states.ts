import { registerEnumType } from 'type-graphql';

export enum LogLevel {
  DEBUG = 'debug',
  INFO = 'info',
  WARN = 'warn',
  ERROR = 'error',
}
registerEnumType(LogLevel, {
  name: 'LogLevel',
  description: 'Importance of a log entry.',
  valuesConfig: {
    DEBUG: { description: 'Details for developers.' },
    INFO: { description: 'Normal operation.' },
    WARN: { description: 'Something was refused, or failed and is retried.' },
    ERROR: { description: 'Something failed.' },
  },
});

/** Number under which each log level is stored: its severity number in OpenTelemetry. */
const SEVERITY: Readonly<Record<LogLevel, number>> = { debug: 5, info: 9, warn: 13, error: 17 };

export const severityOf = (level: LogLevel): number => SEVERITY[level];
/** Returns the log level of an OpenTelemetry severity number (1 to 24). Each level has four numbers; 21 to 24 are fatal errors. */
export function levelOf(severity: number): LogLevel {
  if (severity < SEVERITY.info) return LogLevel.DEBUG;
  if (severity < SEVERITY.warn) return LogLevel.INFO;
  return severity < SEVERITY.error ? LogLevel.WARN : LogLevel.ERROR;
}
