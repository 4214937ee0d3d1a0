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
  /** The event needs no request, so no request was sent. */
  | { kind: 'skipped' }
  /** The remote service rejected this delivery permanently. Other deliveries may succeed. */
  | { kind: 'refused'; error: string }
  /**
   * The delivery must be retried, at the earliest after `afterMs`. Throttling does not count as a failure.
   * `isUncertain` means that the remote service may have processed the request.
   */
  | { kind: 'later'; error: string; afterMs?: number; isThrottling?: boolean; isUncertain?: boolean }
  /**
   * All deliveries would fail until the owner changes the integration or the remote service, so the integration is
   * disabled.
   */
  | { kind: 'disabled'; reason: string; error: string };

/** A delivery that this process may attempt, because it holds the lease of the integration. */
export interface LeasedDelivery<I extends Integration> {
  integration: I;
  delivery: IntegrationDelivery;
  /** True if the result of an earlier attempt is unknown. The remote service may have processed that attempt. */
  isRepeat: boolean;
}

export interface Attempt<I extends Integration> extends LeasedDelivery<I> {
  event: ParsedEvent;
}

/** Sends deliveries to one kind of remote service, Slack or Jira. */
export interface Provider<I extends Integration> {
  readonly kind: 'slack' | 'jira';
  readonly entity: EntityClass<I>;
  /** Pending deliveries that are older than this time are not sent. */
  readonly expiryMs: number;
  /** Minimum time between two deliveries. */
  readonly paceMs: number;
  readonly backoff: Backoff;
  wants(integration: I, event: ParsedEvent): boolean;
  /**
   * Makes one attempt, outside of any transaction. Failures of the remote service or the network are returned as an
   * outcome, not thrown.
   */
  deliver(attempt: Attempt<I>): Promise<Outcome>;
}

export const DELIVERED = { kind: 'delivered' } as const satisfies Outcome;
export const SKIPPED = { kind: 'skipped' } as const satisfies Outcome;
