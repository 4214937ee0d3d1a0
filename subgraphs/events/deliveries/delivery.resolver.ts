import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { EventsContext } from '../context.ts';
import { EventRecord } from '../log/event.entity.ts';
import { WebhookUsage } from '../quota/delivery-usage.ts';
import { Delivery } from './delivery.entity.ts';
import { DeliveryFilter } from './delivery.inputs.ts';

const DeliveryPage = pageOf('WebhookDelivery', Delivery);

@Resolver(() => Delivery)
export class DeliveryResolver {
  @Query(() => DeliveryPage, { description: 'List the deliveries of a webhook, newest first.' })
  @Requires('webhooks:read', { scope: 'organization' })
  webhookDeliveries(
    @Arg('webhookId', () => ID, { description: 'Id of the webhook (`wh_…`).' }) webhookId: string,
    @Arg('filter', () => DeliveryFilter, { nullable: true }) filter: DeliveryFilter | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { deliveries }: EventsContext,
  ): Promise<Page<Delivery>> {
    return deliveries.list(webhookId, filter ?? {}, page ?? {});
  }

  @Query(() => Delivery, { nullable: true, description: 'Get one delivery of a webhook. Null if it does not exist.' })
  @Requires('webhooks:read', { scope: 'organization' })
  webhookDelivery(
    @Arg('webhookId', () => ID, { description: 'Id of the webhook (`wh_…`).' }) webhookId: string,
    @Arg('id', () => ID, { description: 'Id of the delivery (`dlv_…`).' }) id: string,
    @Ctx() { deliveries }: EventsContext,
  ): Promise<Delivery | null> {
    return deliveries.find(webhookId, id);
  }

  @Query(() => WebhookUsage, {
    description: 'Get how many webhook deliveries the organization used this month, and the limit of its plan.',
  })
  @Requires('webhooks:read', { scope: 'organization' })
  webhookUsage(@Ctx() { deliveries }: EventsContext): Promise<WebhookUsage> {
    return deliveries.usage();
  }

  @Mutation(() => Delivery, {
    description:
      'Send the event of a delivery again immediately, with the same `webhook-id`. If the attempt fails and the retry schedule has attempts left, the schedule continues. Counts against the monthly limit. Fails with INVALID_STATE if the webhook is inactive, the delivery is pending or a test, its event is no longer in the log, or the monthly limit is reached.',
  })
  @Requires('webhooks:write', { scope: 'organization' })
  redeliverWebhookDelivery(
    @Arg('webhookId', () => ID, { description: 'Id of the webhook (`wh_…`).' }) webhookId: string,
    @Arg('id', () => ID) id: string,
    @Ctx() { deliveries }: EventsContext,
  ): Promise<Delivery> {
    return deliveries.redeliver(webhookId, id);
  }

  @Mutation(() => Delivery, {
    description: 'Send the event of a delivery again.',
    deprecationReason: 'Use `redeliverWebhookDelivery`.',
  })
  @Requires('webhooks:write', { scope: 'organization' })
  redeliver(
    @Arg('webhookId', () => ID, { description: 'Id of the webhook (`wh_…`).' }) webhookId: string,
    @Arg('deliveryId', () => ID, { description: 'Id of the delivery (`dlv_…`).' }) deliveryId: string,
    @Ctx() { deliveries }: EventsContext,
  ): Promise<Delivery> {
    return deliveries.redeliver(webhookId, deliveryId);
  }

  @FieldResolver(() => EventRecord, {
    nullable: true,
    description: 'The event as it was logged. Null for a test and for events that the caller may not read.',
  })
  source(@Root() { eventId }: Delivery, @Ctx() { events }: EventsContext): Promise<EventRecord | null> {
    return events.find(eventId);
  }
}
