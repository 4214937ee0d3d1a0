import { registerEnumType } from 'type-graphql';

/** Periods of usage reports (specification 4.5). */
export enum UsageReportPeriod {
  CURRENT_MONTH = 'current_month',
  LAST_MONTH = 'last_month',
  CURRENT_YEAR = 'current_year',
}
registerEnumType(UsageReportPeriod, {
  name: 'UsageReportPeriod',
  description: 'Period of a usage report.',
  valuesConfig: {
    CURRENT_MONTH: { description: 'From the start of this month until now.' },
    LAST_MONTH: { description: 'The month before the current month.' },
    CURRENT_YEAR: { description: 'From the start of this year until now.' },
  },
});
