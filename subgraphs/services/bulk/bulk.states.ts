import { registerEnumType } from 'type-graphql';
import { StateMachine } from '../../../kernel/records/states.ts';

export enum BulkKind {
  PROVISION = 'provision',
  MODIFY = 'modify',
}
registerEnumType(BulkKind, {
  name: 'BulkKind',
  description: 'Operation of a bulk.',
  valuesConfig: {
    PROVISION: { description: 'Orders services.' },
    MODIFY: { description: 'Changes services.' },
  },
});

export enum BulkStatus {
  IN_PROGRESS = 'in_progress',
  COMPLETED = 'completed',
  PARTIAL = 'partial',
  FAILED = 'failed',
  CANCELLED = 'cancelled',
  ROLLING_BACK = 'rolling_back',
  ROLLED_BACK = 'rolled_back',
}
registerEnumType(BulkStatus, {
  name: 'BulkStatus',
  description: 'State of a bulk.',
  valuesConfig: {
    IN_PROGRESS: { description: 'Some items have not ended.' },
    COMPLETED: { description: 'All items are completed.' },
    PARTIAL: { description: 'Some items are completed, and others failed or were skipped.' },
    FAILED: { description: 'No item is completed, or services could not be released within an hour (`leftovers`).' },
    CANCELLED: { description: 'A caller cancelled the bulk. Items that had begun may be completed.' },
    ROLLING_BACK: { description: 'An item failed, or a caller cancelled the bulk. The built services are being released.' },
    ROLLED_BACK: { description: 'The rollback is complete: the providers have released all services of the bulk.' },
  },
});

const { IN_PROGRESS, COMPLETED, PARTIAL, FAILED, CANCELLED, ROLLING_BACK, ROLLED_BACK } = BulkStatus;

/** State machine of bulks; see docs/decisions/bulks-and-quotes.md. */
export const bulkStates = new StateMachine<BulkStatus>('bulk', {
  [IN_PROGRESS]: [COMPLETED, PARTIAL, FAILED, CANCELLED, ROLLING_BACK],
  [ROLLING_BACK]: [ROLLED_BACK, FAILED],
  // services that could not be released within an hour were released later
  [FAILED]: [ROLLED_BACK],
  [COMPLETED]: [],
  [PARTIAL]: [],
  [CANCELLED]: [],
  [ROLLED_BACK]: [],
});

export enum BulkItemStatus {
  PENDING = 'pending',
  IN_PROGRESS = 'in_progress',
  BUILT = 'built',
  COMPLETED = 'completed',
  FAILED = 'failed',
  SKIPPED = 'skipped',
  RELEASING = 'releasing',
  RELEASED = 'released',
}
registerEnumType(BulkItemStatus, {
  name: 'BulkItemStatus',
  description: 'State of an item of a bulk.',
  valuesConfig: {
    PENDING: { description: 'Has not begun.' },
    IN_PROGRESS: { description: 'The provider is building or changing the service.' },
    BUILT: { description: 'Built. Waits until all services of the bulk are built.' },
    COMPLETED: { description: 'The service is operational, or has been changed. This state is final.' },
    FAILED: { description: 'The service could not be ordered or changed; `error` contains the reason. This state is final.' },
    SKIPPED: { description: 'Not begun, because another item failed or the bulk was cancelled. This state is final.' },
    RELEASING: { description: 'The provider is releasing the service, because the bulk is rolled back.' },
    RELEASED: { description: 'Released by the provider. The service was never operational. This state is final.' },
  },
});

const FINAL: readonly BulkItemStatus[] = [BulkItemStatus.COMPLETED, BulkItemStatus.FAILED, BulkItemStatus.SKIPPED, BulkItemStatus.RELEASED];
export const isFinal = ({ status }: { status: BulkItemStatus }): boolean => FINAL.includes(status);
