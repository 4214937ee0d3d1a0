/** Log level of a line. */
export type LineLevel = 'debug' | 'info' | 'warn' | 'error';

/** A line of an organization's log. Secrets in it are redacted before it is stored. */
export interface LogLine {
  organizationId: string;
  level: LineLevel;
  /** The part of the platform that writes the line, such as `request` or `webhook`. */
  source: string;
  message: string;
  /** Service that the line concerns. Callers who are limited to accounts see only lines about services of their accounts. */
  serviceId?: string | undefined;
  requestId?: string | undefined;
  traceId?: string | undefined;
  attributes?: Readonly<Record<string, unknown>>;
  /** Time of the line. Default: now. */
  at?: Date;
}

/**
 * The logs of organizations. They show what the platform does for an organization: refused requests, failed jobs, provisioning, and
 * problems with webhooks. The monitoring domain stores the lines. The log of the process (log.ts) is for the operator.
 */
export class OrganizationLog {
  #write: ((line: LogLine) => void) | undefined;

  /** Sets the function that stores lines. The function must be fast and must not throw, because requests call it. */
  bind(write: (line: LogLine) => void): void {
    this.#write = write;
  }

  /**
   * Adds a line. It is stored a moment later, together with other lines. Callers do not wait for the storage, so a line is lost if the
   * process is killed, or if there are more lines than can be stored.
   */
  write(line: LogLine): void {
    this.#write?.(line);
  }
}
