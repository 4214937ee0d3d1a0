import { type EventLoopUtilization, performance } from 'node:perf_hooks';

/** Minimum number of running requests to which jobs give way. */
const MANY_REQUESTS = 8;
/** Minimum share of the time in which the event loop is busy, for jobs to give way. */
const SATURATED = 0.9;
/** Minimum time over which this share is measured. */
const MEASURED_MS = 100;

/** Tells whether jobs must give way to requests. */
export class Pressure {
  /** Number of requests whose handler is running. The edge counts them. Open event streams and sockets do not count. */
  requests = 0;
  #since: EventLoopUtilization;
  #measuredAt: number;
  #isSaturated = false;

  constructor(
    private readonly utilization: (since?: EventLoopUtilization) => EventLoopUtilization = performance.eventLoopUtilization,
    private readonly nowMs = () => performance.now(),
  ) {
    this.#since = utilization();
    this.#measuredAt = nowMs();
  }

  /** True if many requests are running, and the event loop had hardly any idle time recently. */
  get isHigh(): boolean {
    const now = this.nowMs();
    if (now - this.#measuredAt >= MEASURED_MS) {
      this.#isSaturated = this.utilization(this.#since).utilization >= SATURATED;
      this.#since = this.utilization();
      this.#measuredAt = now;
    }
    return this.#isSaturated && this.requests >= MANY_REQUESTS;
  }
}
