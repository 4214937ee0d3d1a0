import type { Principal } from '../../../kernel/access/principal.ts';
import type { SecretBox } from '../../../kernel/access/secret-box.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { refuse } from '../../../kernel/errors/errors.ts';
import { NEWEST_FIRST, type Page, type PageInput } from '../../../kernel/graphql/page.ts';
import type { UrlGuard } from '../../../kernel/outbound/ssrf.ts';
import { newId } from '../../../kernel/records/ids.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { definedOnly, LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import type { DeliveryRemoval } from '../deliveries/delivery-removal.ts';
import type { EventTypes } from '../event-types/event-types.ts';
import { Webhook, type WebhookFamily } from './webhook.entity.ts';
import type { WebhookCreateInput, WebhookSecretRotateInput, WebhookUpdateInput } from './webhook.inputs.ts';
import { filterProblems } from './webhook-filters.ts';
import { generateSecret } from './webhook-secret.ts';
import { acceptedUrl } from './webhook-url.ts';

/** Time for which the previous secret still signs deliveries after a rotation. */
const PREVIOUS_SIGNS_MS = 24 * 3_600_000;

export interface WebhookServiceDeps {
  em: EntityManager;
  principal: Principal;
  clock: Clock;
  eventTypes: EventTypes;
  guard: UrlGuard;
  secrets: SecretBox;
  removal: DeliveryRemoval;
  loader: RecordLoader<Webhook>;
  /** Wakes the worker that sends the pending deliveries of a webhook. */
  wake(webhookId: string): void;
}

/** Manages the webhooks of the caller's organization (specification 2.8, 4.8). */
export class WebhookService {
  constructor(private readonly deps: WebhookServiceDeps) {}

  /**
   * Creates a webhook. The result contains the secret of the webhook, which is shown only once.
   * @throws InvalidParameters
   * @throws InsufficientPermissions for events that the caller may not read
   */
  async create({ secret: given, ...input }: WebhookCreateInput): Promise<Webhook> {
    const { em, clock, secrets, principal } = this.deps;
    this.requireReadable(input.events, input.family);
    const url = await acceptedUrl(this.deps.guard, input.url);
    const now = clock.now();
    const secret = given ?? generateSecret();
    const webhook = new Webhook();
    Object.assign(webhook, {
      ...input,
      url,
      id: newId('webhook'),
      organizationId: principal.organizationId,
      events: [...new Set(input.events)],
      createdAt: now,
      updatedAt: now,
    });
    webhook.sealedSecret = secrets.seal(secret, webhook.id);
    await em.transactional(async (tx) => {
      tx.persist(webhook);
    });
    webhook.secret = secret;
    return webhook;
  }

  find(id: string): Promise<Webhook | null> {
    return this.deps.loader.load(id);
  }

  list(page: PageInput): Promise<Page<Webhook>> {
    return listPage(this.deps.em, Webhook, { where: {}, page, defaultSort: NEWEST_FIRST });
  }

  /** Updates a webhook. @throws ResourceNotFound, InvalidParameters, InsufficientPermissions */
  async update(id: string, { url: sent, events, secret, active, ...nullable }: WebhookUpdateInput): Promise<Webhook> {
    const url = sent && (await acceptedUrl(this.deps.guard, sent));
    return this.#change(id, { events, filters: nullable.filters }, (found) => {
      if (url) found.url = url;
      if (events) found.events = [...new Set(events)];
      if (secret) found.replaceSecret(this.deps.secrets.seal(secret, id));
      if (active !== undefined) found.setActive(active);
      Object.assign(found, definedOnly(nullable));
    });
  }

  /**
   * Replaces the secret of a webhook. The result contains the new secret, which is shown only once.
   * @throws ResourceNotFound, InvalidParameters, InsufficientPermissions
   */
  async rotateSecret(id: string, { secret: given }: WebhookSecretRotateInput): Promise<Webhook> {
    const { clock, secrets } = this.deps;
    const secret = given ?? generateSecret();
    const webhook = await this.#change(id, {}, (found) =>
      found.rotateSecret(secrets.seal(secret, id), new Date(clock.now().getTime() + PREVIOUS_SIGNS_MS)),
    );
    webhook.secret = secret;
    return webhook;
  }

  /**
   * Activates the webhook. Deliveries that were already pending are sent first.
   * @throws ResourceNotFound, WebhookActive, InsufficientPermissions
   */
  async resume(id: string): Promise<Webhook> {
    return this.#change(id, {}, (found) => found.resume());
  }

  /**
   * Deletes a webhook and returns it. Pending deliveries of the webhook are not sent. A job deletes all deliveries of
   * the webhook.
   * @throws ResourceNotFound
   */
  async delete(id: string): Promise<Webhook> {
    return this.deps.em.transactional(async (tx) => {
      const webhook = await this.#locked(tx, id);
      await tx.nativeDelete(Webhook, { id });
      await this.deps.removal.enqueue(tx, id);
      return webhook;
    });
  }

  /**
   * Changes a webhook. The caller must be allowed to read all events that the webhook subscribes to before and after the
   * change, because deliveries that wait or are repeated go to the new URL, and are signed with the new secret. This applies
   * even if only the URL or the secret changes, because a new URL or secret also gives access to the events.
   */
  async #change(
    id: string,
    { events, filters }: Pick<WebhookUpdateInput, 'events' | 'filters'>,
    change: (webhook: Webhook) => void,
  ): Promise<Webhook> {
    const webhook = await this.deps.em.transactional(async (tx) => {
      const found = await this.#locked(tx, id);
      const { family } = found;
      refuse([...this.deps.eventTypes.problemsOf(events ?? [], 'events', family), ...filterProblems(filters, family)]);
      this.requireReadable([...found.events, ...(events ?? [])], family);
      change(found);
      found.updatedAt = this.deps.clock.now();
      return found;
    });
    if (webhook.active) this.deps.wake(id);
    return webhook;
  }

  async #locked(tx: EntityManager, id: string): Promise<Webhook> {
    return orNotFound(await tx.findOne(Webhook, { id }, LOCKED), 'webhook', id);
  }

  /** Checks that the caller may read the events that match the patterns. @throws InsufficientPermissions */
  requireReadable(patterns: readonly string[], family: WebhookFamily | null | undefined): void {
    const { eventTypes, principal } = this.deps;
    eventTypes.requireReadable(principal, eventTypes.coveredBy(patterns, family));
  }
}
