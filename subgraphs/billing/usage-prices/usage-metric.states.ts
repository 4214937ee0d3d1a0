import { registerEnumType } from 'type-graphql';

/** Metric of metered usage (specification 2.6). The database stores these values. */
export enum UsageMetric {
  VOICE_MINUTES = 'voice_minutes',
  DATA_GB = 'data_gb',
  CLOUD_STORAGE_GB = 'cloud_storage_gb',
  API_CALLS = 'api_calls',
}
registerEnumType(UsageMetric, {
  name: 'UsageMetric',
  description: 'Kind of usage of a service.',
  valuesConfig: {
    VOICE_MINUTES: { description: 'Minutes of telephone calls.' },
    DATA_GB: { description: 'Transferred data, in 10^9 bytes.' },
    CLOUD_STORAGE_GB: { description: 'Stored data, in 10^9 bytes.' },
    API_CALLS: { description: 'Calls of an API that the service offers.' },
  },
});

export const METRICS: readonly UsageMetric[] = Object.values(UsageMetric);
export const isMetric = (text: string): text is UsageMetric => METRICS.some((metric) => metric === text);

const FACTS: Readonly<Record<UsageMetric, { unit: string; name: string }>> = {
  [UsageMetric.VOICE_MINUTES]: { unit: 'minutes', name: 'Telephone calls' },
  [UsageMetric.DATA_GB]: { unit: 'GB', name: 'Data transfer' },
  [UsageMetric.CLOUD_STORAGE_GB]: { unit: 'GB', name: 'Cloud storage' },
  [UsageMetric.API_CALLS]: { unit: 'calls', name: 'API calls' },
};

/** Returns the unit of a metric, such as `GB`. */
export const unitOf = (metric: UsageMetric): string => FACTS[metric].unit;
/** Returns the name of a metric on an invoice, such as `Data transfer`. */
export const nameOf = (metric: UsageMetric): string => FACTS[metric].name;

/** Ways to price a quantity; `PriceModel` in calculation/rating.ts explains them. */
export enum UsagePriceModel {
  PER_UNIT = 'per_unit',
  GRADUATED = 'graduated',
  VOLUME = 'volume',
  BLOCKS = 'blocks',
}
registerEnumType(UsagePriceModel, {
  name: 'UsagePriceModel',
  description: 'How the usage of a period is priced.',
  valuesConfig: {
    PER_UNIT: { description: 'Each unit has the price `unitPrice`.' },
    GRADUATED: { description: 'Each unit has the price of the tier in which it is.' },
    VOLUME: { description: 'All units have the price of the tier in which the whole quantity is.' },
    BLOCKS: {
      description: 'Blocks of `blockSize` units cost `blockPrice` each. A block that is partly used costs as much as a full block.',
    },
  },
});
