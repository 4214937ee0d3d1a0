import { ServiceUnavailable } from '../../../kernel/database/unavailable.ts';
import { inTime } from '../../../kernel/work/in-time.ts';

/**
 * Time for which a client waits until its data is stored. By default, exporters of OpenTelemetry give up an export after 10 seconds,
 * with all of its retries. So a database that does not respond must become an error early enough for a retry.
 */
const DEADLINE_MS = 5_000;
/** Delay in seconds before a retry. A database that does not respond is not known to be down, so it may respond soon. */
const RETRY_AFTER_S = 2;
const LATE = 'The data was not stored in time. Send it again: what has been stored is not stored twice.';

/**
 * Waits until the data of a request is stored. After the deadline, the data may still be stored; a client that sends it again stores
 * nothing twice, because samples are known by their series and time, and log records by their content.
 * @throws ServiceUnavailable (503) after the deadline
 */
export const storedInTime = <T>(storing: Promise<T>, deadlineMs = DEADLINE_MS): Promise<T> =>
  inTime(storing, deadlineMs, () => new ServiceUnavailable(LATE, RETRY_AFTER_S));
