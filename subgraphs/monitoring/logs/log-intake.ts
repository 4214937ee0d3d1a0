import type { Allowance } from '../../../kernel/access/allowances.ts';
import { PlatformError } from '../../../kernel/errors/errors.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { IngestionResult, LogIngestion } from './log-ingestion.ts';

/** A request counts as at least this many entries, so that many small requests are not cheaper than few large ones. */
const LEAST_CHARGE = 10;
/** Maximum number of requests that a process stores at the same time: bodies are large. */
const CONCURRENT_MAX = 32;

/** Admits requests with log entries, whatever format they have. The plan limits the number of entries. */
export class LogIntake {
  #running = 0;

  constructor(
    private readonly ingestion: LogIngestion,
    private readonly allowance: Allowance,
  ) {}

  /**
   * Checks a caller before the body is read, so that invalid bodies are not free.
   * @throws InsufficientPermissions (403); RateLimitExceeded (429)
   */
  async admit(caller: RequestContext): Promise<void> {
    caller.principal.require('monitoring:write');
    await this.allowance.charge(caller, LEAST_CHARGE);
  }

  /**
   * Stores the entries of an admitted request.
   * @throws RateLimitExceeded (429) if the plan does not allow as many entries; nothing is stored
   */
  async store(caller: RequestContext, read: () => readonly unknown[]): Promise<IngestionResult> {
    if (this.#running >= CONCURRENT_MAX)
      throw new PlatformError('SERVICE_UNAVAILABLE', 'Too many requests with log entries at once. Try again in a second.', {
        retry_after: 1,
      });
    this.#running += 1;
    try {
      const entries = read();
      if (entries.length > LEAST_CHARGE) await this.allowance.charge(caller, entries.length - LEAST_CHARGE);
      return await this.ingestion.ingest(entries, caller.principal);
    } finally {
      this.#running -= 1;
    }
  }
}
