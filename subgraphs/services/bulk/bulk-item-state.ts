import type { Service } from '../inventory/service.entity.ts';
import { ServiceHold, ServiceStatus } from '../inventory/service.states.ts';
import { BulkItemStatus } from './bulk.states.ts';
import type { BulkItemError } from './bulk.values.ts';

const { PENDING, IN_PROGRESS, BUILT, COMPLETED, FAILED, RELEASING, RELEASED } = BulkItemStatus;

/** Fields of a service that determine the state of its bulk item. */
export type ObservedService = Pick<Service, 'id' | 'status' | 'statusReason' | 'held' | 'provisionedAt' | 'providerReference' | 'askedAt'>;

/** State of a bulk item, and the error if the item failed. */
export interface ItemState {
  status: BulkItemStatus;
  error: BulkItemError | null;
}

/** Returns the state of a bulk item whose service was ordered. `present` is the last known state of the item. */
export function itemStateOf(service: ObservedService, present: BulkItemStatus): ItemState {
  const { status, held, statusReason } = service;
  const isReleased = held === ServiceHold.RELEASING;
  // a service that was operational has fulfilled its order, even if it has another status now
  if (service.provisionedAt) return state(COMPLETED);
  switch (status) {
    case ServiceStatus.PENDING:
      return state(present === IN_PROGRESS ? IN_PROGRESS : PENDING);
    case ServiceStatus.PROVISIONING:
      return state(held === ServiceHold.BUILT ? BUILT : isReleased ? RELEASING : IN_PROGRESS);
    case ServiceStatus.DECOMMISSIONING:
      return isReleased ? state(RELEASING) : failed(ENDED);
    case ServiceStatus.DECOMMISSIONED:
      return isReleased ? state(RELEASED) : failed(ENDED);
    default:
      // the provider may have refused to end the service meanwhile
      if (isReleased) return state(mayStand(service) ? RELEASING : RELEASED);
      return failed(statusReason ?? 'The service could not be built.');
  }
}

/** Returns true if the provider has built the service, or may still build it. */
const mayStand = ({ providerReference, askedAt }: ObservedService): boolean => providerReference !== null || askedAt !== null;

const ENDED = 'The service was ended before it was operational.';
const state = (status: BulkItemStatus): ItemState => ({ status, error: null });
const failed = (message: string): ItemState => ({ status: FAILED, error: { code: 'PROVISIONING_FAILED', message, details: {} } });
