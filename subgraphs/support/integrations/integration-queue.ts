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

/** Longer than any attempt and the pause after it take. */
const LEASE_MS = 90_000;
/** How long a remote that is throttling is left alone where it does not say. */
const THROTTLED_MS = 1000;
/** How often it is looked whether an organization is still suspended. */
const SUSPENDED_MS = 10_000;
/** A job ends well before the queue takes it for hung, and another goes on. */
const JOB_MS = 45_000;
/** What is settled is remembered for so long that no event comes again after it. */
const REMEMBERED_MS = 30 * 24 * 3_600_000;
/** What its owner is told where the fault is ours; the log has the details. */
const FAULT = 'the platform could not make what is to be sent, or read what came back; it tries again';

export interface IntegrationQueueDeps {
  orm: Orm;
  jobs: Jobs;
  clock: Clock;
  log: Logger;
  isSuspended?: IsSuspended;
  metrics?: Pick<Metrics, 'integrationDuration'>;
}

interface LaneJob {
  organizationId: string;
  integrationId: string;
  /** Of the job that looks again whether the organization is still suspended. */
  waitsUntil?: string;
}

/**
 * Brings events to the integrations of one kind: each event once, of each integration one after the other in the order of the
 * log. A job says that there may be something to do for an integration. Who works on it has its lease; others look again when
 * that runs out, so a process that was killed delays its integrations by 90 s. What it had begun is attempted again: at least
 * once, and a provider that can finds out what came of it. Nothing is asked of a remote within a transaction.
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
    deps.jobs.define<LaneJob>(this.#queue, (job) => this.#tracked(this.#run(job)), { retryLimit: 100_000, retryDelayMaxSeconds: 300 });
  }

  /** Keeps events for each integration that wants them, however often they come. */
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

  /** One event that cannot be read must not keep all others from everybody. */
  #isWanted(integration: I, { id, payload }: LoggedEvent): boolean {
    const event = tryParseEvent(payload);
    if (!event) this.deps.log.error({ event: id, integration: integration.id }, 'an event is of no shape that integrations know');
    return event !== undefined && this.provider.wants(integration, event);
  }

  async #keep({ id: integrationId, organizationId }: I, events: readonly LoggedEvent[]): Promise<void> {
    const { orm, clock } = this.deps;
    await organizationEm(orm, organizationId).transactional(async (tx) => {
      // one that is deleted meanwhile leaves nothing behind
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

  /** Has what waits for an integration sent, with the transaction, or at an instant. */
  wake(
    tx: EntityManager,
    { organizationId, id }: Pick<Integration, 'organizationId' | 'id'>,
    at?: Date,
    more: Partial<LaneJob> = {},
  ): Promise<void> {
    const job: LaneJob = { ...more, organizationId, integrationId: id };
    return this.deps.jobs.enqueue(tx, this.#queue, job, at ? { startAfter: at } : {});
  }

  /** Lets the attempts that are under way end, and begins no other. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled(this.#running);
  }

  #tracked(running: Promise<void>): Promise<void> {
    this.#running.add(running);
    return running.finally(() => this.#running.delete(running));
  }

  async #run({ organizationId, integrationId, waitsUntil }: LaneJob): Promise<void> {
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

  /** Events of a suspended organization are kept, and told in their order when it is resumed. One job looks for that, however many events come. */
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

  /** What fails in us fails like what fails there: it waits for a mended release, and its owner sees that it does. */
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
        'an integration could not be told',
      );
      return { kind: 'later', error: FAULT, isUncertain: true };
    }
  }

  /** Waits until the remote wants the next one, whichever job sent the last. Ends early when the platform stops. */
  async #pace({ lastSuccessAt }: I): Promise<void> {
    const { paceMs } = this.provider;
    const sinceMs = this.deps.clock.now().getTime() - (lastSuccessAt?.getTime() ?? 0);
    if (sinceMs >= paceMs) return;
    const { signal } = this.#stopping;
    await setTimeout(Math.min(paceMs, paceMs - sinceMs), undefined, { signal }).catch(() => undefined);
  }

  /** The next delivery, unless another process has the lease, or it is too early: then this is looked at again at that instant. */
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

  /** What waited because the organization was suspended expires no sooner than the log forgets it. */
  #expiryMs({ waitedUntil }: I, now: Date): number {
    const { expiryMs } = this.provider;
    return waitedUntil && now.getTime() - waitedUntil.getTime() < expiryMs ? REMEMBERED_MS : expiryMs;
  }

  /** Begins an attempt of the oldest one that waits; without one the lease ends, and who comes later finds it free. */
  async #next(tx: EntityManager, integration: I, now: Date): Promise<LeasedDelivery<I> | undefined> {
    const waiting = { integrationId: integration.id, status: IntegrationDeliveryStatus.PENDING };
    const expired = { status: IntegrationDeliveryStatus.EXPIRED, settledAt: now, payload: null };
    const oldest = new Date(now.getTime() - this.#expiryMs(integration, now));
    await tx.nativeUpdate(IntegrationDelivery, { ...waiting, createdAt: { $lt: oldest } }, expired);
    const delivery = await tx.findOne(IntegrationDelivery, waiting, { orderBy: { eventSequence: 'asc' } });
    if (!delivery) {
      integration.leaseUntil = null;
      const forgotten = new Date(now.getTime() - REMEMBERED_MS);
      // planned before it was settled: by the index of what was planned
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
      // what is learnt is kept, even where somebody has settled it since
      if (outcome.kind === 'delivered') await outcome.record?.(tx);
      if (!integration || !delivery) return undefined;
      const hasLease = integration.leaseUntil?.getTime() === leased.integration.leaseUntil?.getTime();
      const wasActive = integration.active;
      if (delivery.status === IntegrationDeliveryStatus.PENDING) this.#apply(integration, delivery, outcome, now);
      if (wasActive && !integration.active) await record(tx, integrationDisabled(integration, kind, now));
      if (!hasLease) return undefined;
      // what is settled must not be found as waiting
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
      'an integration failed',
    );
  }

  #locked(tx: EntityManager, id: string): Promise<I | null> {
    return tx.findOne(this.provider.entity, { id } as never, LOCKED) as Promise<I | null>;
  }
}
