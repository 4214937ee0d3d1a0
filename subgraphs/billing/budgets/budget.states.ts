import { registerEnumType } from 'type-graphql';

/** The period to which the amount of a budget applies. */
export enum BudgetPeriod {
  MONTHLY = 'monthly',
  QUARTERLY = 'quarterly',
  ANNUAL = 'annual',
}
registerEnumType(BudgetPeriod, {
  name: 'BudgetPeriod',
  description: 'Period of a budget.',
  valuesConfig: {
    MONTHLY: { description: 'A month of the calendar.' },
    QUARTERLY: { description: 'Three months, from January, April, July or October.' },
    ANNUAL: { description: 'A year of the calendar.' },
  },
});
