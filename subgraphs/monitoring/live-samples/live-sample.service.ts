import type { RecordScope } from '../../../kernel/access/principal.ts';
import type { MetricSamplesArgs } from './live-sample.inputs.ts';
import type { MetricSamples } from './live-sample.types.ts';
import type { SampleFollower } from './sample-follower.ts';

/** Follows the samples of the series that the caller sees. */
export class LiveSampleService {
  constructor(
    private readonly follower: SampleFollower,
    private readonly scope: RecordScope,
  ) {}

  /** @throws InvalidParameters if `after` is not a position */
  follow({ names, serviceId, labels, everySeconds, after }: MetricSamplesArgs): Promise<AsyncIterableIterator<MetricSamples>> {
    const { organizationId, accounts } = this.scope;
    const wanted = Object.fromEntries((labels ?? []).map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]));
    const selected = { organizationId, accounts, names: [...new Set(names)], serviceId: serviceId ?? null, labels: wanted };
    return this.follower.follow(selected, { everySeconds, after: after ?? null });
  }
}
