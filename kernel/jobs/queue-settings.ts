import type { Queue as QueueDefinition } from 'pg-boss';

/** Default of `expireSeconds`. */
const EXPIRE_SECONDS = 120;
/** Time for which a finished job is kept, so that a failure can be investigated. */
const KEPT_SECONDS = 24 * 3600;
/** Time for which a job is retried before it is deleted. It is long enough for a person to remove the cause of the failure. */
const RETRIED_SECONDS = 365 * 24 * 3600;
/** Interval of heartbeats. Jobs of a dead process are retried after a heartbeat is missed. */
const HEARTBEAT_SECONDS = 10;

export interface QueueOptions {
  /** Maximum number of retries of a failed job. The delay starts at `retryDelaySeconds` and grows exponentially. */
  retryLimit?: number;
  retryDelaySeconds?: number;
  retryDelayMaxSeconds?: number;
  /**
   * Time after which a job that has not ended counts as failed, and is retried. Default: 120. The job of a process that was killed is
   * retried earlier, when its heartbeats have stopped.
   */
  expireSeconds?: number;
  /** Maximum number of jobs of this queue that a process runs in parallel. */
  concurrency?: number;
  /**
   * Returns true if the jobs of an organization must wait. Waiting jobs are checked again every minute. The
   * organization is the `organizationId` in the data of the job.
   */
  waits?: ((organizationId: string) => Promise<boolean>) | undefined;
}

/** The settings of a queue in pg-boss, which are stored with each of its jobs. */
type QueueSettings = Required<
  Pick<
    QueueDefinition,
    | 'retryLimit'
    | 'retryDelay'
    | 'retryBackoff'
    | 'retryDelayMax'
    | 'expireInSeconds'
    | 'heartbeatSeconds'
    | 'deleteAfterSeconds'
    | 'retentionSeconds'
    | 'notify'
  >
>;

export const settingsOf = ({
  retryLimit = 5,
  retryDelaySeconds = 2,
  retryDelayMaxSeconds = 300,
  expireSeconds = EXPIRE_SECONDS,
}: QueueOptions): QueueSettings => ({
  retryLimit,
  retryDelay: retryDelaySeconds,
  retryBackoff: true,
  retryDelayMax: retryDelayMaxSeconds,
  expireInSeconds: expireSeconds,
  heartbeatSeconds: HEARTBEAT_SECONDS,
  deleteAfterSeconds: KEPT_SECONDS,
  retentionSeconds: RETRIED_SECONDS,
  notify: true,
});

/** Returns true if a stored queue has other settings. */
export const differs = (queue: QueueDefinition, settings: QueueSettings): boolean =>
  Object.entries(settings).some(([setting, value]) => queue[setting as keyof QueueSettings] !== value);
