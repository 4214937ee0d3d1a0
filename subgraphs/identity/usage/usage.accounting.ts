import type { Logger } from '../../../kernel/log.ts';
import type { OverageReports } from './overage.reports.ts';
import type { RequestUsage } from './request.usage.ts';

/** More often than a month is reported, so that no hour is missed by a restart. */
const EVERY_MS = 300_000;

/** What is done about usage by the clock: overage is handed to billing, and old rows go. */
export class UsageAccounting {
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly parts: { usage: RequestUsage; overages: OverageReports },
    private readonly log: Logger,
  ) {}

  start(): void {
    this.#timer = setInterval(() => void this.run(), EVERY_MS).unref();
    void this.run();
  }

  /** Ends after what is under way, and writes what was counted. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
    await this.parts.usage.flush();
  }

  run(): Promise<void> {
    this.#running = this.#running.then(async () => {
      try {
        await this.parts.overages.report();
        await this.parts.usage.purge();
      } catch (error) {
        this.log.warn({ err: error }, 'Overage could not be reported; it will be tried again');
      }
    });
    return this.#running;
  }
}
