import { setTimeout } from 'node:timers/promises';
import { LockMode } from '@mikro-orm/core';
import { SpanKind } from '@opentelemetry/api';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { IsSuspended } from '../../../kernel/domain.ts';
import type { LoggedEvent } from '../../../kernel/events/events.ts';
import { record } from '../../../kernel/events/outbox.ts';
import type { Jobs } from '../../../kernel/jobs/jobs.ts';
import type { Logger } from '../../../kernel/log/log.ts';
import type { Metrics } from '../../../kernel/metrics/metrics.ts';
import { pauseAfter, retryAt } from '../../../kernel/outbound/backoff.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { EVERYWHERE, organizationEm } from '../../../kernel/records/organization-filter.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { inTrace } from '../../../kernel/tracing/tracing.ts';
import { FAILING, type Integration } from './integration.entity.ts';
import { integrationDisabled } from './integration.events.ts';
import type { LeasedDelivery, Outcome, Provider } from './integration.provider.ts';
import { IntegrationDelivery, IntegrationDeliveryStatus } from './integration-delivery.entity.ts';
import { parseEvent, tryParseEvent } from './parsed-event.ts';

/** Duration of a lease. It is longer than any attempt together with the pause before the attempt. */
const LEASE_MS = 90_000;
/** Default delay after a throttling response without `Retry-After`. */
const THROTTLED_MS = 1000;
/** Interval at which deliveries of a suspended organization are checked again. */
const SUSPENDED_MS = 10_000;
/**
 * Maximum duration of a job. After this time, another job continues. The duration is shorter than the time after which the queue considers
 * a job dead.
 */
const JOB_MS = 45_000;
/**
 * Time for which finished deliveries are kept. They are needed to detect an event that is read from the log a second time. After this time,
 * no event is read again.
 */
const REMEMBERED_MS = 30 * 24 * 3_600_000;
/** Error message for the owner of an integration if the platform itself failed. The log has the details. */
const FAULT = 'The platform failed to create the request or to read the response. It will try again.';

export interface IntegrationQueueDeps {
  orm: Orm;
  jobs: Jobs;
  clock: Clock;
  log: Logger;
  isSuspended?: IsSuspended;
  metrics?: Pick<Metrics, 'integrationDuration'>;
}

interface QueueJob {
  organizationId: string;
  integrationId: string;
  /**
   * Time at which the job checks again whether the organization is suspended. Set only for the job that waits for the end of a suspension.
   */
  waitsUntil?: string;
}

/**
 * Delivers events to the integrations of one kind, Slack or Jira. Each integration gets its events one at a time, in
 * the order of the event log. A job sends the pending deliveries of one integration while it holds the integration's
 * lease. If another job holds the lease, a new job is enqueued for the time at which the lease expires. A killed
 * process does not release its leases, so the affected integrations wait up to 90 s. An interrupted delivery is
 * attempted again, so an event may arrive more than once. Providers look for the result of an earlier attempt if the
 * remote service allows this. No request to Slack or Jira is made within a transaction.
 */
export class IntegrationQueue<I extends Integration> {
  readonly #queue: string;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(
    private readonly deps: IntegrationQueueDeps,
    private readonly provider: Provider<I>,
  ) {
    this.#queue = `support.${provider.kind}`;
    deps.jobs.define<QueueJob>(this.#queue, (job) => this.#tracked(this.#run(job)), { retryLimit: 100_000, retryDelayMaxSeconds: 300 });
  }

  /**
   * Stores a delivery of each event for each integration that is configured to receive it. A delivery that is already stored is not stored
   * again.
   */
  async plan(events: readonly LoggedEvent[]): Promise<void> {
    const organizationId = { $in: [...new Set(events.map((event) => event.organizationId))] };
    const active = { active: true, organizationId } as never;
    const integrations = (await this.deps.orm.em.fork().find(this.provider.entity, active, EVERYWHERE)) as I[];
    for (const integration of integrations) {
      const own = events.filter((event) => event.organizationId === integration.organizationId);
      const wanted = own.filter((event) => this.#isWanted(integration, event));
      if (wanted.length > 0) await this.#keep(integration, wanted);
    }
  }

  /**
   * Returns whether the integration is configured to receive the event. An event that cannot be parsed is logged and
   * skipped, so that it does not block later events.
   */
  #isWanted(integration: I, { id, payload }: LoggedEvent): boolean {
    const event = tryParseEvent(payload);
    if (!event)
      this.deps.log.error({ event: id, integration: integration.id }, 'an event does not have the fields that integrations expect');
    return event !== undefined && this.provider.wants(integration, event);
  }

  async #keep({ id: integrationId, organizationId }: I, events: readonly LoggedEvent[]): Promise<void> {
    const { orm, clock } = this.deps;
    await organizationEm(orm, organizationId).transactional(async (tx) => {
      // the integration may have been deleted since it was read
      const found = await tx.findOne(this.provider.entity, { id: integrationId } as never, { lockMode: LockMode.PESSIMISTIC_READ });
      if (!found) return;
      const shared = { organizationId, integrationId, status: IntegrationDeliveryStatus.PENDING, attempts: 0, uncertain: false };
      const rows = events.map(({ id: eventId, sequence, event, payload, traceparent = null }) => ({
        ...shared,
        id: newId('integrationDelivery'),
        eventId,
        eventSequence: Number(sequence),
        event,
        payload,
        traceparent,
        createdAt: clock.now(),
      }));
      await tx.upsertMany(IntegrationDelivery, rows, {
        onConflictFields: ['integrationId', 'eventId'],
        onConflictAction: 'ignore',
      });
      await this.wake(tx, { organizationId, id: integrationId });
    });
  }

  /**
   * Enqueues a job that sends pending deliveries. The job runs after the transaction has committed, or at the time
   * `at`.
   */
  wake(
    tx: EntityManager,
    { organizationId, id }: Pick<Integration, 'organizationId' | 'id'>,
    at?: Date,
    more: Partial<QueueJob> = {},
  ): Promise<void> {
    const job: QueueJob = { ...more, organizationId, integrationId: id };
    return this.deps.jobs.enqueue(tx, this.#queue, job, at ? { startAfter: at } : {});
  }

  /** Waits for running attempts to finish. No new attempts start. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled(this.#running);
  }

  #tracked(running: Promise<void>): Promise<void> {
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }

  async #run({ organizationId, integrationId, waitsUntil }: QueueJob): Promise<void> {
    if (this.#stopping.signal.aborted) throw new Error('The platform is stopping.');
    const em = organizationEm(this.deps.orm, organizationId);
    const until = performance.now() + JOB_MS;
    if (await this.#isSuspended(organizationId)) return this.#wait(em, integrationId, waitsUntil);
    let leased = await em.fork().transactional((tx) => this.#take(tx, integrationId));
    while (leased) {
      await this.#pace(leased.integration);
      const began = performance.now();
      const outcome = await this.#attempt(leased);
      const labels = { provider: this.provider.kind, outcome: outcome.kind };
      this.deps.metrics?.integrationDuration.observe(labels, (performance.now() - began) / 1000);
      const mayGoOn = performance.now() < until && !this.#stopping.signal.aborted && !(await this.#isSuspended(organizationId));
      leased = await this.#settle(em, leased, outcome, mayGoOn);
    }
  }

  #isSuspended(organizationId: string): Promise<boolean> {
    return this.deps.isSuspended?.(organizationId) ?? Promise.resolve(false);
  }

  /**
   * Postpones the deliveries of a suspended organization. They are sent in order after the suspension. Only one job for
   * each integration waits, regardless of the number of events.
   */
  #wait(em: EntityManager, integrationId: string, waitsUntil: string | undefined): Promise<void> {
    const now = this.deps.clock.now();
    return em.transactional(async (tx) => {
      const integration = await this.#locked(tx, integrationId);
      if (!integration) return;
      const { waitedUntil } = integration;
      if (waitedUntil && waitedUntil > now && waitedUntil.toISOString() !== waitsUntil) return;
      const later = new Date(now.getTime() + SUSPENDED_MS);
      integration.waitedUntil = later;
      await this.wake(tx, integration, later, { waitsUntil: later.toISOString() });
    });
  }

  /**
   * Makes an attempt. A failure of the platform itself is handled like a failure of the remote service: the delivery is
   * retried, and the owner can read an error message.
   */
  async #attempt(leased: LeasedDelivery<I>): Promise<Outcome> {
    try {
      const { kind } = this.provider;
      const attempt = { ...leased, event: parseEvent(leased.delivery.payload ?? '') };
      return await inTrace(leased.delivery.traceparent, { name: `${kind} delivery`, kind: SpanKind.CLIENT }, () =>
        this.provider.deliver(attempt),
      );
    } catch (error) {
      this.deps.log.error(
        { err: error, integration: leased.integration.id, delivery: leased.delivery.id },
        'a delivery to an integration failed in the platform',
      );
      return { kind: 'later', error: FAULT, isUncertain: true };
    }
  }

  /**
   * Waits until the provider's minimum interval since the last successful delivery has passed. Stops waiting when the
   * platform stops.
   */
  async #pace({ lastSuccessAt }: I): Promise<void> {
    const { paceMs } = this.provider;
    const sinceMs = this.deps.clock.now().getTime() - (lastSuccessAt?.getTime() ?? 0);
    if (sinceMs >= paceMs) return;
    const { signal } = this.#stopping;
    await setTimeout(Math.min(paceMs, paceMs - sinceMs), undefined, { signal }).catch(() => undefined);
  }

  /**
   * Acquires the lease and starts the next delivery. If another process holds the lease, enqueues a job for the time at
   * which the lease expires. If a retry is not due yet, enqueues a job for the time of the retry.
   */
  async #take(tx: EntityManager, integrationId: string): Promise<LeasedDelivery<I> | undefined> {
    const now = this.deps.clock.now();
    const integration = await this.#locked(tx, integrationId);
    if (!integration?.active) return undefined;
    const { leaseUntil, retryAt } = integration;
    const later = leaseUntil && leaseUntil > now ? leaseUntil : retryAt && retryAt > now ? retryAt : undefined;
    if (!later) return this.#next(tx, integration, now);
    await this.wake(tx, integration, later);
    return undefined;
  }

  /**
   * Returns the age at which pending deliveries expire. This age is higher after a suspension, so that no delivery
   * expires because of the suspension.
   */
  #expiryMs({ waitedUntil }: I, now: Date): number {
    const { expiryMs } = this.provider;
    return waitedUntil && now.getTime() - waitedUntil.getTime() < expiryMs ? REMEMBERED_MS : expiryMs;
  }

  /**
   * Starts an attempt of the oldest pending delivery. If no delivery is pending, releases the lease and deletes old
   * deliveries.
   */
  async #next(tx: EntityManager, integration: I, now: Date): Promise<LeasedDelivery<I> | undefined> {
    const waiting = { integrationId: integration.id, status: IntegrationDeliveryStatus.PENDING };
    const expired = { status: IntegrationDeliveryStatus.EXPIRED, settledAt: now, payload: null };
    const oldest = new Date(now.getTime() - this.#expiryMs(integration, now));
    await tx.nativeUpdate(IntegrationDelivery, { ...waiting, createdAt: { $lt: oldest } }, expired);
    const delivery = await tx.findOne(IntegrationDelivery, waiting, { orderBy: { eventSequence: 'asc' } });
    if (!delivery) {
      integration.leaseUntil = null;
      const forgotten = new Date(now.getTime() - REMEMBERED_MS);
      // the condition on `createdAt` is redundant, because `createdAt` is always before `settledAt`; but it lets the
      // query use an index
      const old = { createdAt: { $lt: forgotten }, settledAt: { $lt: forgotten } };
      await tx.nativeDelete(IntegrationDelivery, { integrationId: integration.id, ...old });
      return undefined;
    }
    integration.leaseUntil = new Date(now.getTime() + LEASE_MS);
    integration.retryAt = null;
    const isRepeat = delivery.uncertain;
    delivery.attempts += 1;
    delivery.uncertain = true;
    return { integration, delivery, isRepeat };
  }

  async #settle(em: EntityManager, leased: LeasedDelivery<I>, outcome: Outcome, mayGoOn: boolean): Promise<LeasedDelivery<I> | undefined> {
    const { kind } = this.provider;
    return em.fork().transactional(async (tx) => {
      const now = this.deps.clock.now();
      const integration = await this.#locked(tx, leased.integration.id);
      const delivery = await tx.findOne(IntegrationDelivery, { id: leased.delivery.id });
      // stores data from the response, even if another process has already finished the delivery
      if (outcome.kind === 'delivered') await outcome.record?.(tx);
      if (!integration || !delivery) return undefined;
      const hasLease = integration.leaseUntil?.getTime() === leased.integration.leaseUntil?.getTime();
      const wasActive = integration.active;
      if (delivery.status === IntegrationDeliveryStatus.PENDING) this.#apply(integration, delivery, outcome, now);
      if (wasActive && !integration.active) await record(tx, integrationDisabled(integration, kind, now));
      if (!hasLease) return undefined;
      // writes the changes, so that the next query does not select the finished delivery again
      await tx.flush();
      if (integration.active && !integration.retryAt && mayGoOn) return this.#next(tx, integration, now);
      integration.leaseUntil = null;
      if (integration.active) await this.wake(tx, integration, integration.retryAt ?? undefined);
      return undefined;
    });
  }

  #apply(integration: I, delivery: IntegrationDelivery, outcome: Outcome, now: Date): void {
    if (outcome.kind === 'delivered') {
      delivery.finish(IntegrationDeliveryStatus.DELIVERED, now);
      integration.succeeded(now);
      return;
    }
    if (outcome.kind === 'skipped') {
      delivery.finish(IntegrationDeliveryStatus.SKIPPED, now);
      return;
    }
    const { error } = outcome;
    if (outcome.kind === 'disabled') {
      integration.disable(outcome.reason, error, now);
    } else if (outcome.kind === 'later' && outcome.isThrottling) {
      integration.retryAt = retryAt(now, THROTTLED_MS, outcome.afterMs);
      integration.lastError = error;
    } else if (integration.failed(error, now)) {
      integration.disable(FAILING, error, now);
    } else if (outcome.kind === 'refused') {
      delivery.finish(IntegrationDeliveryStatus.REFUSED, now, error);
      integration.failures = 0;
    } else {
      integration.retryAt = retryAt(now, pauseAfter(integration.failures, this.provider.backoff), outcome.afterMs);
    }
    if (outcome.kind !== 'refused') delivery.error = error;
    delivery.uncertain = outcome.kind === 'later' && outcome.isUncertain === true;
    this.deps.log.warn(
      { integration: integration.id, delivery: delivery.id, outcome: outcome.kind, reason: error },
      'a delivery to an integration failed',
    );
  }

  #locked(tx: EntityManager, id: string): Promise<I | null> {
    return tx.findOne(this.provider.entity, { id } as never, LOCKED) as Promise<I | null>;
  }
}
