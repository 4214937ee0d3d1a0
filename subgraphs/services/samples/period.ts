import { registerEnumType } from 'type-graphql';
import { DAY_MS, HOUR_MS } from '../../../kernel/values/days.ts';

/** A measurement period. All periods end now. */
export enum MeasuredPeriod {
  LAST_HOUR = 'last_hour',
  LAST_24_HOURS = 'last_24_hours',
  LAST_7_DAYS = 'last_7_days',
  LAST_30_DAYS = 'last_30_days',
}
registerEnumType(MeasuredPeriod, {
  name: 'MeasuredPeriod',
  description: 'Period that ends now.',
  valuesConfig: {
    LAST_HOUR: { description: 'The last 60 minutes.' },
    LAST_24_HOURS: { description: 'From this time yesterday until now.' },
    LAST_7_DAYS: { description: 'Seven times 24 hours.' },
    LAST_30_DAYS: { description: 'Thirty times 24 hours.' },
  },
});

export const PERIOD_MS: Readonly<Record<MeasuredPeriod, number>> = {
  [MeasuredPeriod.LAST_HOUR]: HOUR_MS,
  [MeasuredPeriod.LAST_24_HOURS]: DAY_MS,
  [MeasuredPeriod.LAST_7_DAYS]: 7 * DAY_MS,
  [MeasuredPeriod.LAST_30_DAYS]: 30 * DAY_MS,
};
