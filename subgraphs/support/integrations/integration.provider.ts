import type { EntityClass } from '@mikro-orm/core';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Backoff } from '../../../kernel/outbound/backoff.ts';
import type { Integration } from './integration.entity.ts';
import type { IntegrationDelivery } from './integration-delivery.entity.ts';
import type { ParsedEvent } from './parsed-event.ts';

/** Result of an attempt. `error` is meant for the integration's owner and contains no secret. */
export type Outcome =
  /** `record` stores data from the response, in the transaction that finishes the delivery. */
  | { kind: 'delivered'; record?(tx: EntityManager): Promise<void> }
  /** There is nothing to send; no request was made. */
  | { kind: 'skipped' }
  /** The remote rejects this delivery for good. Later deliveries may succeed. */
  | { kind: 'refused'; error: string }
  /** Retried, not before `afterMs`. Throttling does not count as failure. `isUncertain`: the remote may have processed the request. */
  | { kind: 'later'; error: string; afterMs?: number; isThrottling?: boolean; isUncertain?: boolean }
  /** Deliveries fail until the owner changes something. */
  | { kind: 'disabled'; reason: string; error: string };

/** A delivery that this process may attempt, because it holds the lease of the integration. */
export interface LeasedDelivery<I extends Integration> {
  integration: I;
  delivery: IntegrationDelivery;
  /** Whether an earlier attempt has an unknown result, so the remote may have processed it. */
  isRepeat: boolean;
}

export interface Attempt<I extends Integration> extends LeasedDelivery<I> {
  event: ParsedEvent;
}

/** A kind of remote service. */
export interface Provider<I extends Integration> {
  readonly kind: 'slack' | 'jira';
  readonly entity: EntityClass<I>;
  /** Pending deliveries older than this are not sent. */
  readonly expiryMs: number;
  /** Minimum interval between two deliveries. */
  readonly paceMs: number;
  readonly backoff: Backoff;
  wants(integration: I, event: ParsedEvent): boolean;
  /** Makes one attempt, outside of any transaction. Failures of the remote or the network are returned, not thrown. */
  deliver(attempt: Attempt<I>): Promise<Outcome>;
}

export const DELIVERED = { kind: 'delivered' } as const satisfies Outcome;
export const SKIPPED = { kind: 'skipped' } as const satisfies Outcome;
