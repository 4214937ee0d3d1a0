import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { EventsContext } from '../context.ts';
import { Delivery } from '../deliveries/delivery.entity.ts';
import { Webhook } from './webhook.entity.ts';
import { WebhookCreateInput, WebhookSecretRotateInput, WebhookUpdateInput } from './webhook.inputs.ts';

/** Checks that the caller may read the events that the webhook would send to its receiver. */
const requireReadable = ({ input }: { input: Partial<WebhookCreateInput> }, { webhooks }: EventsContext): void =>
  webhooks.requireReadable(input.events ?? [], input.family);

const WebhookPage = pageOf('Webhook', Webhook);

@Resolver(() => Webhook)
export class WebhookResolver {
  @Query(() => Webhook, { nullable: true, description: 'Get a webhook by id. Null if it does not exist.' })
  @Requires('webhooks:read', { scope: 'organization' })
  webhook(@Arg('id', () => ID) id: string, @Ctx() { webhooks }: EventsContext): Promise<Webhook | null> {
    return webhooks.find(id);
  }

  @Query(() => WebhookPage, { description: 'List webhooks, newest first.' })
  @Requires('webhooks:read', { scope: 'organization' })
  webhooks(
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { webhooks }: EventsContext,
  ): Promise<Page<Webhook>> {
    return webhooks.list(page ?? {});
  }

  @Mutation(() => Webhook, {
    description: 'Create a webhook. The caller must have the read permission of every event that it subscribes to.',
  })
  @Requires('webhooks:create', { scope: 'organization', also: requireReadable })
  createWebhook(@Arg('input', () => WebhookCreateInput) input: WebhookCreateInput, @Ctx() { webhooks }: EventsContext): Promise<Webhook> {
    return webhooks.create(input);
  }

  @Mutation(() => Webhook, { description: 'Change a webhook. Omit a field to keep its value.' })
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
      'Replace the secret of a webhook. Only this response shows the new secret. For 24 hours the previous secret also signs: `webhook-signature` lists both signatures, the new one first, and `signature` in the body uses the new secret. After a second rotation, the oldest secret no longer signs.',
  })
  @Requires('webhooks:write', { scope: 'organization' })
  rotateWebhookSecret(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => WebhookSecretRotateInput, { nullable: true, description: 'New secret. Default: the platform generates one.' })
    input: WebhookSecretRotateInput | undefined,
    @Ctx() { webhooks }: EventsContext,
  ): Promise<Webhook> {
    return webhooks.rotateSecret(id, input ?? {});
  }

  @Mutation(() => Webhook, {
    description:
      'Activate an inactive webhook and deliver the waiting events. Use `replayWebhook` for events that were recorded as `SKIPPED` in the meantime. Fails with INVALID_STATE if it is active.',
  })
  @Requires('webhooks:write', { scope: 'organization' })
  resumeWebhook(@Arg('id', () => ID) id: string, @Ctx() { webhooks }: EventsContext): Promise<Webhook> {
    return webhooks.resume(id);
  }

  @Mutation(() => Webhook, { description: 'Delete a webhook with its deliveries. Returns the deleted record.' })
  @Requires('webhooks:write', { scope: 'organization' })
  deleteWebhook(@Arg('id', () => ID) id: string, @Ctx() { webhooks }: EventsContext): Promise<Webhook> {
    return webhooks.delete(id);
  }

  @Mutation(() => Delivery, {
    description:
      'Send a signed `webhook.test` event now, even if the webhook is inactive. There are no retries. Returns the delivery with the result.',
  })
  @Requires('webhooks:write', { scope: 'organization' })
  testWebhook(
    @Arg('id', () => ID, { description: 'Id of the webhook (`wh_…`).' }) id: string,
    @Ctx() { deliveries }: EventsContext,
  ): Promise<Delivery> {
    return deliveries.test(id);
  }
}
