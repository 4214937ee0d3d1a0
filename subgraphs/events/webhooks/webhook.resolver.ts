import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { EventsContext } from '../context.ts';
import { Delivery } from '../deliveries/delivery.entity.ts';
import { Webhook } from './webhook.entity.ts';
import { WebhookCreateInput, WebhookSecretRotateInput, WebhookUpdateInput } from './webhook.inputs.ts';

/** A caller must be allowed to read the events that it sends to a receiver. */
const requireReadable = ({ input }: { input: Partial<WebhookCreateInput> }, { webhooks }: EventsContext): void =>
  webhooks.requireReadable(input.events ?? [], input.family);

const WebhookPage = pageOf('Webhook', Webhook);

@Resolver(() => Webhook)
export class WebhookResolver {
  @Query(() => Webhook, { nullable: true })
  @Requires('webhooks:read', { scope: 'organization' })
  webhook(@Arg('id', () => ID) id: string, @Ctx() { webhooks }: EventsContext): Promise<Webhook | null> {
    return webhooks.find(id);
  }

  @Query(() => WebhookPage, { description: 'Newest first.' })
  @Requires('webhooks:read', { scope: 'organization' })
  webhooks(
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { webhooks }: EventsContext,
  ): Promise<Page<Webhook>> {
    return webhooks.list(page ?? {});
  }

  @Mutation(() => Webhook)
  @Requires('webhooks:create', { scope: 'organization', also: requireReadable })
  createWebhook(@Arg('input', () => WebhookCreateInput) input: WebhookCreateInput, @Ctx() { webhooks }: EventsContext): Promise<Webhook> {
    return webhooks.create(input);
  }

  @Mutation(() => Webhook)
  @Requires('webhooks:write', { scope: 'organization', also: requireReadable })
  updateWebhook(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => WebhookUpdateInput) input: WebhookUpdateInput,
    @Ctx() { webhooks }: EventsContext,
  ): Promise<Webhook> {
    return webhooks.update(id, input);
  }

  @Mutation(() => Webhook, {
    description:
      'Gives it another secret, which this answer alone shows. For 24 hours the one before signs too: `webhook-signature` lists the signatures of both, the new one first; `signature` in the body is of the new one only. A second rotation ends the oldest at once.',
  })
  @Requires('webhooks:write', { scope: 'organization' })
  rotateWebhookSecret(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => WebhookSecretRotateInput, { nullable: true }) input: WebhookSecretRotateInput | undefined,
    @Ctx() { webhooks }: EventsContext,
  ): Promise<Webhook> {
    return webhooks.rotateSecret(id, input ?? {});
  }

  @Mutation(() => Webhook, {
    description:
      'Makes an inactive one active, whoever had stopped it, and delivers what waits. What the platform recorded as `SKIPPED` meanwhile is sent by `replayWebhook`. INVALID_STATE where it is active.',
  })
  @Requires('webhooks:write', { scope: 'organization' })
  resumeWebhook(@Arg('id', () => ID) id: string, @Ctx() { webhooks }: EventsContext): Promise<Webhook> {
    return webhooks.resume(id);
  }

  @Mutation(() => Webhook, { description: 'Stops what waits for it, forgets its history, and answers its last state.' })
  @Requires('webhooks:write', { scope: 'organization' })
  deleteWebhook(@Arg('id', () => ID) id: string, @Ctx() { webhooks }: EventsContext): Promise<Webhook> {
    return webhooks.delete(id);
  }

  @Mutation(() => Delivery, {
    description: 'Sends a signed `webhook.test` at once, also to an inactive webhook, without retries, and answers what came of it.',
  })
  @Requires('webhooks:write', { scope: 'organization' })
  testWebhook(@Arg('id', () => ID) id: string, @Ctx() { deliveries }: EventsContext): Promise<Delivery> {
    return deliveries.test(id);
  }
}
