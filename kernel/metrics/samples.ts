import { Gauge, type Registry } from 'prom-client';
import type { Logger } from '../log/log.ts';

/** Default minimum time between two samples. It limits the load if metrics are read often. */
const EVERY_MS = 10_000;
/** Time for which a request for metrics waits for samples. A slower sample keeps its previous value. */
const PATIENCE_MS = 1_000;

interface Sample {
  take(): Promise<void>;
  everyMs: number;
  takenAt: number;
  taking?: Promise<void> | undefined;
}

/**
 * Samples gauges that need a database query, such as the number of waiting jobs. They are sampled when metrics are read, at most once in
 * ten seconds and never in parallel. So frequent requests for metrics do not load the database, and an idle platform runs no queries.
 */
export class MetricSamples {
  readonly #samples = new Map<string, Sample>();
  readonly #takenAt: Gauge<'sample'>;

  constructor(registers: Registry[]) {
    this.#takenAt = new Gauge({
      name: 'metrics_sample_timestamp_seconds',
      help: 'Unix time at which the gauges that come from the database were last read. If it does not advance, they are outdated.',
      labelNames: ['sample'],
      registers,
    });
  }

  /**
   * Registers `take`, a function that sets gauges. `take` runs when metrics are read and the last sample is older than
   * `everyMs`. The returned function removes `take`.
   */
  add(name: string, log: Logger, take: () => Promise<void>, everyMs = EVERY_MS): () => void {
    const logged = async (): Promise<void> => {
      try {
        await take();
        this.#takenAt.set({ sample: name }, Date.now() / 1000);
      } catch (error) {
        log.debug({ err: error, sample: name }, 'metrics could not be read from the database');
      }
    };
    const sample: Sample = { take: logged, everyMs, takenAt: Number.NEGATIVE_INFINITY };
    this.#samples.set(name, sample);
    return () => {
      if (this.#samples.get(name) === sample) this.#samples.delete(name);
    };
  }

  /** Refreshes old samples. Resolves when all samples are refreshed, or after the time limit. */
  async refresh(): Promise<void> {
    const taking = [...this.#samples.values()].map((sample) => this.#refreshed(sample));
    if (taking.length === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS);
    });
    await Promise.race([Promise.all(taking), patience]);
    clearTimeout(timer);
  }

  #refreshed(sample: Sample): Promise<void> | undefined {
    const isFresh = performance.now() - sample.takenAt < sample.everyMs;
    if (isFresh || sample.taking !== undefined) return sample.taking;
    sample.takenAt = performance.now();
    sample.taking = sample.take().finally(() => {
      sample.taking = undefined;
    });
    return sample.taking;
  }
}
