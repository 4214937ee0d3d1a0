import { registerEnumType } from 'type-graphql';

/** Period of a billing analysis. All periods consist of whole days (UTC). */
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
    LAST_MONTH: { description: 'The month before the current month.' },
    CURRENT_YEAR: { description: 'From the first of January to today.' },
    LAST_YEAR: { description: 'The year before the current year.' },
  },
});

/** The ways to group the figures of a billing analysis. */
export enum AnalyticsGroup {
  MONTH = 'month',
  ACCOUNT = 'account',
}
registerEnumType(AnalyticsGroup, {
  name: 'BillingAnalyticsGroup',
  description: 'How the figures of a billing analysis are grouped.',
  valuesConfig: {
    MONTH: { description: 'One entry for each month, oldest first.' },
    ACCOUNT: { description: 'One entry for each account: the 100 accounts with the highest invoices.' },
  },
});
