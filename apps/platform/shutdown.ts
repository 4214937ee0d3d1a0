import type { Logger } from '../../kernel/log/log.ts';

/** The conventional status of a process that SIGINT ended. */
const EXIT_INTERRUPTED = 130;

/** npm hands Ctrl-C on to a process that the terminal has told already: two signals at once are one wish. */
const SAME_WISH_MS = 500;

export interface Stoppable {
  close(): Promise<void>;
}

/**
 * Ends the process well on the first SIGINT or SIGTERM: status 0 once everything is closed, 1 when that takes longer than
 * `timeoutMs`. A second signal ends it at once with 130.
 */
export function closeOnSignal(platform: Stoppable, timeoutMs: number, log: Logger): void {
  let closingSince: number | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    if (closingSince !== undefined) {
      if (performance.now() - closingSince > SAME_WISH_MS) process.exit(EXIT_INTERRUPTED);
      return;
    }
    closingSince = performance.now();
    log.info({ signal }, 'Stopping: what is in flight is finished');
    setTimeout(() => {
      log.error({ timeoutMs }, 'Stopping took too long and was cut off');
      process.exit(1);
    }, timeoutMs).unref();
    platform.close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'Stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}
