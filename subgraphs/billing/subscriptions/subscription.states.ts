import { registerEnumType } from 'type-graphql';

/** Kind of a subscription: created automatically, or created by a request. */
export enum SubscriptionKind {
  AUTOMATIC = 'automatic',
  AGREED = 'agreed',
}
registerEnumType(SubscriptionKind, {
  name: 'SubscriptionKind',
  description: 'How a subscription came to be.',
  valuesConfig: {
    AUTOMATIC: { description: 'Bills all services of an account that no other subscription bills. It ends with its last service.' },
    AGREED: { description: 'Created by a request, with a billing cycle for each service.' },
  },
});

export enum SubscriptionStatus {
  ACTIVE = 'active',
  CANCELLED = 'cancelled',
}
registerEnumType(SubscriptionStatus, {
  name: 'BillingSubscriptionStatus',
  description: 'State of a subscription.',
  valuesConfig: {
    ACTIVE: { description: 'Its services are billed, or will be from its start.' },
    CANCELLED: { description: 'It ends at its end date, or has ended.' },
  },
});

/** State of an item of a subscription. */
export enum ItemState {
  /** The item bills its service from the time `startsAt` on. Until this time, another item bills the service. */
  PLANNED = 'planned',
  ACTIVE = 'active',
  ENDED = 'ended',
}

/** Time at which a cancelled subscription ends: the end of the billed period, or now. */
export enum CancelAt {
  PERIOD_END = 'period_end',
  NOW = 'now',
}
registerEnumType(CancelAt, {
  name: 'CancelAt',
  description: 'When a cancelled subscription ends.',
  valuesConfig: {
    PERIOD_END: { description: 'Each service at the end of the period that is billed.' },
    NOW: { description: 'Immediately. The rest of the billed periods is credited.' },
  },
});
