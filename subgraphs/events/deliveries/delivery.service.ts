import type { SecretBox } from '../../../kernel/access/secret-box.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { envelopeOf } from '../../../kernel/events/events.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/records/ids.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import { between, matching } from '../../../kernel/records/where.ts';
import type { DeliverySender } from '../dispatch/delivery-sender.ts';
import type { EventTypes } from '../event-types/event-types.ts';
import { EventRecord } from '../log/event.entity.ts';
import type { DeliveryQuota } from '../quota/delivery-quota.ts';
import type { WebhookUsage } from '../quota/delivery-usage.ts';
import type { Webhook } from '../webhooks/webhook.entity.ts';
import { WebhookInactive } from '../webhooks/webhook.errors.ts';
import { TEST_EVENT, webhookTest } from '../webhooks/webhook.events.ts';
import { dueNow } from '../webhooks/webhook-due.ts';
import { openSecrets } from '../webhooks/webhook-secret.ts';
import { isSuccess } from './attempt.ts';
import { Delivery, DeliveryStatus } from './delivery.entity.ts';
import { EventNotKept, QuotaUsedUp } from './delivery.errors.ts';
import type { DeliveryFilter } from './delivery.inputs.ts';

export interface DeliveryServiceDeps {
  em: EntityManager;
  clock: Clock;
  eventTypes: EventTypes;
  sender: DeliverySender;
  secrets: SecretBox;
  loader: RecordLoader<Webhook>;
  quota: DeliveryQuota;
  organizationId: string;
  /** Wakes the worker that sends the pending deliveries of a webhook. */
  wake(webhookId: string): void;
}

/** Lists deliveries to the webhooks of the caller's organization, sends them again, and sends test events. */
export class DeliveryService {
  constructor(private readonly deps: DeliveryServiceDeps) {}

  /**
   * Lists deliveries, newest first.
   * @throws ResourceNotFound for a webhook that the organization does not have
   */
  async list(webhookId: string, { status, event, createdAfter, createdBefore }: DeliveryFilter, page: PageInput): Promise<Page<Delivery>> {
    const { em, eventTypes } = this.deps;
    await this.#webhook(webhookId);
    const names = event && [...eventTypes.namesOf(event, 'event')];
    const where = matching<Delivery>({ webhookId, status, event: names, createdAt: between(createdAfter, createdBefore) });
    return listPage(em, Delivery, { where, page, defaultSort: NEWEST_FIRST });
  }

  async find(webhookId: string, id: string): Promise<Delivery | null> {
    const { em, loader } = this.deps;
    // checks first that the webhook exists, because a job deletes the deliveries some time after the webhook
    return (await loader.load(webhookId)) && em.findOne(Delivery, { id, webhookId });
  }

  /** Sends a delivery again immediately. @throws ResourceNotFound, WebhookInactive, NotRedelivered */
  async redeliver(webhookId: string, id: string): Promise<Delivery> {
    const { em, clock, quota, wake } = this.deps;
    const webhook = await this.#webhook(webhookId);
    const limits = await quota.limitsOf([webhook.organizationId]);
    const delivery = await em.transactional(async (tx) => {
      // the quota is locked before the delivery, as in the planning of deliveries, because a different order could
      // cause a deadlock
      const allowance = await quota.open(tx, limits, clock.now());
      await dueNow(tx, [webhookId]);
      const found = orNotFound(await tx.findOne(Delivery, { id, webhookId }, LOCKED), 'webhook_delivery', id);
      if (!webhook.active) throw new WebhookInactive(webhookId);
      found.redeliver(clock.now());
      if (!(await tx.count(EventRecord, { id: found.eventId, recordedAt: found.occurredAt }))) throw new EventNotKept(id);
      if (!allowance.take(webhook.organizationId)) throw new QuotaUsedUp(id);
      await quota.close(tx, allowance);
      return found;
    });
    wake(webhookId);
    return delivery;
  }

  /** Returns how many deliveries the organization has used in the current month, and its limit. */
  async usage(): Promise<WebhookUsage> {
    const { quota, organizationId, clock } = this.deps;
    return quota.usageOf(organizationId, clock.now());
  }

  /**
   * Sends a test event. The test event is not stored in the event log. Its delivery is not retried.
   * @throws ResourceNotFound
   */
  async test(webhookId: string): Promise<Delivery> {
    const { em, clock, sender, secrets } = this.deps;
    const webhook = await this.#webhook(webhookId);
    const createdAt = clock.now();
    const { id: eventId, payload } = envelopeOf(webhookTest(webhook, createdAt));
    const attempt = await sender.send({ url: webhook.url, eventId, payload, secrets: openSecrets(secrets, webhookId, webhook, createdAt) });
    const delivery = Object.assign(new Delivery(), {
      id: newId('delivery'),
      organizationId: webhook.organizationId,
      webhookId,
      eventId,
      event: TEST_EVENT,
      url: webhook.url,
      attempt: 1,
      status: isSuccess(attempt) ? DeliveryStatus.DELIVERED : DeliveryStatus.FAILED,
      responseStatus: attempt.status,
      responseBody: attempt.body,
      error: attempt.error,
      durationMs: attempt.durationMs,
      attemptedAt: attempt.at,
      occurredAt: createdAt,
      createdAt,
    });
    await em.transactional(async (tx) => {
      tx.persist(delivery);
    });
    return delivery;
  }

  async #webhook(id: string): Promise<Webhook> {
    return orNotFound(await this.deps.loader.load(id), 'webhook', id);
  }
}
