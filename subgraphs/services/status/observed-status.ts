import { ServiceStatus } from '../inventory/service.states.ts';
import { exceeds, LIMITS, METRICS, type Metric, type Sample, SampleState } from '../samples/sample.ts';
import { METRIC_NAMES, type PerformanceAlert } from './status.events.ts';

/** Number of newest samples that determine the status and the alerts of a service. */
const DECIDING = 3;

const { OPERATIONAL, DEGRADED, DOWN } = ServiceStatus;

/**
 * Returns the status that follows from the recent samples of a service, newest first. A single sample changes nothing: a service becomes
 * down after two samples in a row without connection, and degraded after two bad samples of three. Its status improves after three better
 * samples in a row. Without samples, the status does not change.
 */
export function observedStatus(current: ServiceStatus, samples: readonly Sample[]): ServiceStatus {
  const [newest, second, third] = samples.slice(0, DECIDING).map(({ state }) => state);
  if (newest === SampleState.DOWN && second === SampleState.DOWN) return DOWN;
  const three = [newest, second, third];
  if (three.every((state) => state === SampleState.UP)) return OPERATIONAL;
  if (current === OPERATIONAL) return three.filter((state) => state && state !== SampleState.UP).length >= 2 ? DEGRADED : OPERATIONAL;
  const isBack = three.every((state) => state === SampleState.UP || state === SampleState.DEGRADED);
  return current === DOWN && isBack ? DEGRADED : current;
}

/** Open alerts of a service, by measurement. The value is the time of the alert's first sample above the limit, as ISO 8601 text. */
export type OpenAlerts = Partial<Record<Metric, string>>;

/**
 * Returns the open alerts after the recent samples, and the alerts that begin now. `samples` has the newest sample first. An alert begins
 * when two of three samples are above the limit, and ends after three samples in a row that are not above it. Samples without a connection
 * are ignored.
 */
export function observedAlerts(open: OpenAlerts, samples: readonly Sample[]): { open: OpenAlerts; begun: PerformanceAlert[] } {
  const deciding = samples.filter(isMeasured).slice(0, DECIDING);
  const begun: PerformanceAlert[] = [];
  const result: OpenAlerts = {};
  for (const metric of METRICS) {
    const beyond = deciding.filter((sample) => exceeds(sample, metric));
    const known = open[metric];
    const [newest, oldest] = [beyond[0], beyond.at(-1)];
    if (known) {
      if (deciding.length < DECIDING || beyond.length > 0) result[metric] = known;
    } else if (newest && oldest && beyond.length >= 2) {
      result[metric] = oldest.at.toISOString();
      begun.push({ metric, since: oldest.at, measured: newest });
    }
  }
  return { open: result, begun };
}

const isMeasured = (sample: Sample): sample is Sample & Record<Metric, number> =>
  sample.state !== SampleState.DOWN && METRICS.every((metric) => sample[metric] !== null);

/** Returns the reason for the state of a sample, which becomes the reason for the service's status. Null if the state is `up`. */
export function reasonOf(sample: Sample): string | null {
  if (sample.state === SampleState.UP) return null;
  if (sample.state === SampleState.DOWN) return 'The connection is down.';
  return excessOf(sample) ?? 'A site does not work.';
}

/** Returns a sentence that lists the measurements of a sample that are above their limits. Null if no measurement is above its limit. */
export function excessOf(sample: Sample): string | null {
  const excesses = METRICS.filter((metric) => exceeds(sample, metric)).map(
    (metric) => `${METRIC_NAMES[metric]} is ${sample[metric]}, above ${LIMITS[metric][0]}`,
  );
  return excesses.length > 0 ? `${excesses.join('; ')}.` : null;
}
