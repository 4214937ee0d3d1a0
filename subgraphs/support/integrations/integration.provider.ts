import type { EntityClass } from '@mikro-orm/core';
import type { EntityManager } from '../../../kernel/database/database.ts';
import type { Backoff } from '../../../kernel/outbound/backoff.ts';
import type { Integration } from './integration.entity.ts';
import type { IntegrationDelivery } from './integration-delivery.entity.ts';
import type { ParsedEvent } from './parsed-event.ts';

/** What came of an attempt. `error` is in words for the integration's owner and holds no secret. */
export type Outcome =
  /** `record` writes what was learnt into the transaction that settles the delivery. */
  | { kind: 'delivered'; record?(tx: EntityManager): Promise<void> }
  /** There is nothing to tell: the remote was not asked. */
  | { kind: 'skipped' }
  /** The remote will never want this one; the next may be fine. */
  | { kind: 'refused'; error: string }
  /** Tried again, not before `afterMs`. A remote that is only throttling is not failing. `isUncertain`: it may have been done. */
  | { kind: 'later'; error: string; afterMs?: number; isThrottling?: boolean; isUncertain?: boolean }
  /** Nothing will get through until its owner does something. */
  | { kind: 'disabled'; reason: string; error: string };

/** A delivery that this process may attempt, since it holds the lease of the integration. */
export interface LeasedDelivery<I extends Integration> {
  integration: I;
  delivery: IntegrationDelivery;
  /** Of an attempt before this one nobody knows what came: it may have been done. */
  isRepeat: boolean;
}

export interface Attempt<I extends Integration> extends LeasedDelivery<I> {
  event: ParsedEvent;
}

/** A kind of remote: what it wants to be told, and how it is. */
export interface Provider<I extends Integration> {
  readonly kind: 'slack' | 'jira';
  readonly entity: EntityClass<I>;
  /** What waited longer is not sent any more. */
  readonly expiryMs: number;
  /** Between two deliveries. */
  readonly paceMs: number;
  readonly backoff: Backoff;
  wants(integration: I, event: ParsedEvent): boolean;
  /** Makes one attempt, outside of any transaction. Never throws for what a remote or the network does. */
  deliver(attempt: Attempt<I>): Promise<Outcome>;
}

export const DELIVERED = { kind: 'delivered' } as const satisfies Outcome;
export const SKIPPED = { kind: 'skipped' } as const satisfies Outcome;
