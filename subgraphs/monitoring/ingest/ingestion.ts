import type { Allowance } from '../../../kernel/access/allowances.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { isReserved } from '../measurements/measured-metrics.ts';
import { isRefusal, type Refusal, refusal } from '../samples/refusals.ts';
import type { Distribution } from '../samples/sample.ts';
import type { SampleWriter } from '../samples/sample-writer.ts';
import type { NamedSeries } from '../series/series.ts';
import type { SeriesRegistry } from '../series/series-registry.ts';
import { timeProblem } from './sample.rules.ts';

/** A sample as the caller sent it. */
export interface SentSample {
  series: NamedSeries;
  /** Time of the sample, in milliseconds since 1970. */
  at: number;
  /** For a histogram, the average. */
  value: number;
  distribution?: Distribution;
}

/** Result of a request that sends samples. `duplicates` is the number of samples that were already stored with the same value. */
export interface Receipt {
  accepted: number;
  duplicates: number;
  /** The refused samples, each with its position in the request. */
  refused: ({ index: number } & Refusal)[];
}

export interface IngestionDeps {
  allowance: Allowance;
  clock: Clock;
  series: SeriesRegistry;
  writer: SampleWriter;
}

/**
 * Minimum number of samples that a request counts as. The limit of samples replaces the request limit, so even a small request must count.
 */
const LEAST_CHARGE = 10;
/** A histogram counts as this many samples, because it has many buckets. */
const HISTOGRAM_CHARGE = 10;

/** Stores the samples that callers send. */
export class Ingestion {
  constructor(private readonly deps: IngestionDeps) {}

  /**
   * Checks that more samples can be queued.
   * @throws ServiceUnavailable (503) if samples arrive faster than the database can store them
   */
  checkRoom(): void {
    this.deps.writer.checkRoom();
  }

  /**
   * Stores samples, each once. A sample that breaks a rule is refused, and the others are stored. Returns after the samples are committed.
   * @throws RateLimitExceeded if the plan does not allow this number of samples; no sample is stored
   * @throws ServiceUnavailable if too many samples are waiting; no sample is stored
   */
  async record(request: RequestContext, sent: readonly (SentSample | Refusal)[]): Promise<Receipt> {
    const { allowance, clock, series, writer } = this.deps;
    await allowance.charge(request, Math.max(LEAST_CHARGE, chargeOf(sent)));
    const now = clock.now().getTime();
    const refused: Receipt['refused'] = [];
    const timely = sent.flatMap((sample, index) => {
      const problem = isRefusal(sample) ? sample : (reservedProblem(sample) ?? timeProblem(sample.at, now));
      if (problem) refused.push({ index, ...problem });
      return problem || isRefusal(sample) ? [] : [{ ...sample, index }];
    });
    const found = await series.resolve(
      request,
      timely.map((sample) => sample.series),
    );
    const writable = timely.flatMap(({ index, at, value, distribution }, position) => {
      const its = found[position] as (typeof found)[number];
      if (isRefusal(its)) refused.push({ index, ...its });
      return isRefusal(its) ? [] : [{ index, seriesId: its.id, at, value, distribution }];
    });
    const stored = await writer.write(writable);
    for (const [position, { index }] of writable.entries())
      if (stored[position] === 'conflict') refused.push({ index, ...refusal('conflict') });
    return {
      accepted: stored.filter((one) => one === 'accepted').length,
      duplicates: stored.filter((one) => one === 'duplicate').length,
      refused: refused.toSorted((one, other) => one.index - other.index),
    };
  }
}

const chargeOf = (sent: readonly (SentSample | Refusal)[]): number =>
  sent.reduce((sum, sample) => sum + ('distribution' in sample ? HISTOGRAM_CHARGE : 1), 0);

/** Returns a problem if a sample has a metric that only the platform measures. Callers must not be able to falsify these metrics. */
const reservedProblem = ({ series: { metric } }: SentSample): Refusal | undefined =>
  isReserved(metric) ? refusal('reserved_metric', `Only the platform writes samples of ${metric}.`) : undefined;
