import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database.ts';
import { ResourceNotFound } from '../../../kernel/errors.ts';
import { envelopeOf } from '../../../kernel/events.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/ids.ts';
import type { RecordLoader } from '../../../kernel/loaders.ts';
import { listPage } from '../../../kernel/pagination.ts';
import type { SecretBox } from '../../../kernel/secret-box.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import type { Webhook } from '../webhooks/webhook.entity.ts';
import { TEST_EVENT, webhookTest } from '../webhooks/webhook.events.ts';
import { Delivery, DeliveryStatus } from './delivery.entity.ts';
import type { DeliveryFilter } from './delivery.inputs.ts';
import { type DeliverySender, isSuccess } from './delivery.sender.ts';

export interface DeliveryServiceDeps {
  em: EntityManager;
  clock: Clock;
  catalogue: Catalogue;
  sender: DeliverySender;
  secrets: SecretBox;
  loader: RecordLoader<Webhook>;
}

/** What was delivered to the webhooks of the caller's organization. */
export class DeliveryService {
  constructor(private readonly deps: DeliveryServiceDeps) {}

  /** Newest first. @throws ResourceNotFound for a webhook that the organization does not have */
  async list(webhookId: string, { status, event }: DeliveryFilter, page: PageInput): Promise<Page<Delivery>> {
    const { em, catalogue } = this.deps;
    await this.#webhook(webhookId);
    const names = event && [...catalogue.namesOf(event, 'event')];
    const where = { webhookId, ...(status && { status: { $in: status } }), ...(names && { event: { $in: names } }) };
    return listPage(em, Delivery, { where, page, defaultSort: NEWEST_FIRST });
  }

  find(webhookId: string, id: string): Promise<Delivery | null> {
    return this.deps.em.findOne(Delivery, { id, webhookId });
  }

  /** Sends a test event, which is in no log and is not tried again. @throws ResourceNotFound */
  async test(webhookId: string): Promise<Delivery> {
    const { em, clock, sender, secrets } = this.deps;
    const webhook = await this.#webhook(webhookId);
    const createdAt = clock.now();
    const { id: eventId, payload } = envelopeOf(webhookTest(webhook, createdAt));
    const attempt = await sender.send({ url: webhook.url, eventId, payload, secret: secrets.open(webhook.sealedSecret, webhookId) });
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
    const webhook = await this.deps.loader.load(id);
    if (!webhook) throw new ResourceNotFound('webhook', id);
    return webhook;
  }
}
