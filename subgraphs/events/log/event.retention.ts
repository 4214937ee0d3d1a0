const DAY_MS = 24 * 3_600_000;

/** How long the log keeps an event, in days. */
export const EVENT_RETENTION_DAYS = 30;

/** What happened before this instant may have left the log. */
export const keptSince = (now: Date): Date => new Date(now.getTime() - EVENT_RETENTION_DAYS * DAY_MS);
