import { registerEnumType } from 'type-graphql';

/** Billing cycle: the interval at which a service is invoiced. The subgraphs `services` and `billing` share this type. */
export enum BillingCycle {
  MONTHLY = 'monthly',
  QUARTERLY = 'quarterly',
  ANNUAL = 'annual',
}
registerEnumType(BillingCycle, {
  name: 'BillingCycle',
  description: 'How often a service is invoiced.',
  valuesConfig: {
    MONTHLY: { description: 'Invoiced every month.' },
    QUARTERLY: { description: 'Invoiced every three months.' },
    ANNUAL: { description: 'Invoiced once a year.' },
  },
});

const MONTHS: Readonly<Record<BillingCycle, number>> = {
  [BillingCycle.MONTHLY]: 1,
  [BillingCycle.QUARTERLY]: 3,
  [BillingCycle.ANNUAL]: 12,
};

export const monthsOf = (cycle: BillingCycle): number => MONTHS[cycle];
