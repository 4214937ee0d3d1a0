import type { Logger } from '../../kernel/log/log.ts';

/** Conventional exit status of a process that was stopped by SIGINT. */
const EXIT_INTERRUPTED = 130;

/**
 * Two signals within this time count as one. On Ctrl-C, the terminal signals the process, and npm forwards a second
 * signal.
 */
const SAME_WISH_MS = 500;

export interface Stoppable {
  close(): Promise<void>;
}

/**
 * Shuts the process down on the first SIGINT or SIGTERM. Exits with 0 when everything is closed, or with 1 if closing
 * takes longer than `timeoutMs`. On a second signal, exits immediately with 130.
 */
export function closeOnSignal(platform: Stoppable, timeoutMs: number, log: Logger): void {
  let closingSince: number | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    if (closingSince !== undefined) {
      if (performance.now() - closingSince > SAME_WISH_MS) process.exit(EXIT_INTERRUPTED);
      return;
    }
    closingSince = performance.now();
    log.info({ signal }, 'Stopping: requests in flight are finished first');
    setTimeout(() => {
      log.error({ timeoutMs }, 'Stopping took too long and was aborted');
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
