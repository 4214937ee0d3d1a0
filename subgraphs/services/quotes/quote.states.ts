import { registerEnumType } from 'type-graphql';

export enum QuoteStatus {
  PENDING = 'pending',
  ACCEPTED = 'accepted',
  REJECTED = 'rejected',
  EXPIRED = 'expired',
}
registerEnumType(QuoteStatus, {
  name: 'QuoteStatus',
  description: 'State of a quote.',
  valuesConfig: {
    PENDING: { description: 'Its lines can be ordered at the quoted prices.' },
    ACCEPTED: { description: 'All available lines are ordered.' },
    REJECTED: { description: 'Rejected by a caller. It can no longer be ordered.' },
    EXPIRED: { description: 'It is no longer valid. It can no longer be ordered.' },
  },
});

/** Statuses of a quote that callers decide. A quote without a decision is pending, or has expired after its last valid date. */
export type QuoteDecision = QuoteStatus.ACCEPTED | QuoteStatus.REJECTED;
