import { type Decimal, sum } from '../../../kernel/values/money.ts';
import { UsageMetric } from '../usage-prices/usage-metric.states.ts';
import type { TotalUsage } from './usage.types.ts';

/** Adds quantities of each metric. */
export function totalUsageOf(usages: readonly { metric: UsageMetric; quantity: Decimal }[]): TotalUsage {
  const of = (metric: UsageMetric): Decimal => sum(usages.filter((usage) => usage.metric === metric).map(({ quantity }) => quantity));
  return {
    voiceMinutes: of(UsageMetric.VOICE_MINUTES),
    dataGb: of(UsageMetric.DATA_GB),
    cloudStorageGb: of(UsageMetric.CLOUD_STORAGE_GB),
    apiCalls: of(UsageMetric.API_CALLS),
  };
}
