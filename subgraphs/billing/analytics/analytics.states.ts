import { registerEnumType } from 'type-graphql';

/** The periods of a billing analysis. All are whole days (UTC). */
export enum AnalyticsPeriod {
  LAST_7_DAYS = 'last_7_days',
  LAST_30_DAYS = 'last_30_days',
  LAST_90_DAYS = 'last_90_days',
  CURRENT_MONTH = 'current_month',
  LAST_MONTH = 'last_month',
  CURRENT_YEAR = 'current_year',
  LAST_YEAR = 'last_year',
}
registerEnumType(AnalyticsPeriod, {
  name: 'BillingAnalyticsPeriod',
  description: 'Period of whole UTC days.',
  valuesConfig: {
    LAST_7_DAYS: { description: 'Today and the 6 days before.' },
    LAST_30_DAYS: { description: 'Today and the 29 days before.' },
    LAST_90_DAYS: { description: 'Today and the 89 days before.' },
    CURRENT_MONTH: { description: 'From the first of this month to today.' },
    LAST_MONTH: { description: 'The month before this one.' },
    CURRENT_YEAR: { description: 'From the first of January to today.' },
    LAST_YEAR: { description: 'The year before this one.' },
  },
});

/** What a billing analysis can be grouped by. */
export enum AnalyticsGroup {
  MONTH = 'month',
  ACCOUNT = 'account',
}
registerEnumType(AnalyticsGroup, {
  name: 'BillingAnalyticsGroup',
  description: 'What the figures of a billing analysis are grouped by.',
  valuesConfig: {
    MONTH: { description: 'By month, oldest first.' },
    ACCOUNT: { description: 'By account: the 100 accounts with the highest invoices.' },
  },
});
