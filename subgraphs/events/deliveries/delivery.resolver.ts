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
  @Query(() => DeliveryPage, { description: 'What was delivered to a webhook, newest first.' })
  @Requires('webhooks:read', { scope: 'organization' })
  webhookDeliveries(
    @Arg('webhookId', () => ID) webhookId: string,
    @Arg('filter', () => DeliveryFilter, { nullable: true }) filter: DeliveryFilter | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { deliveries }: EventsContext,
  ): Promise<Page<Delivery>> {
    return deliveries.list(webhookId, filter ?? {}, page ?? {});
  }

  @Query(() => Delivery, { nullable: true })
  @Requires('webhooks:read', { scope: 'organization' })
  webhookDelivery(
    @Arg('webhookId', () => ID) webhookId: string,
    @Arg('id', () => ID) id: string,
    @Ctx() { deliveries }: EventsContext,
  ): Promise<Delivery | null> {
    return deliveries.find(webhookId, id);
  }

  @Query(() => WebhookUsage, { description: 'What the organization has used of the webhook deliveries of its plan.' })
  @Requires('webhooks:read', { scope: 'organization' })
  webhookUsage(@Ctx() { deliveries }: EventsContext): Promise<WebhookUsage> {
    return deliveries.usage();
  }

  @Mutation(() => Delivery, {
    description:
      'Sends the event once more, at once and beside those that wait in order, under the same `webhook-id`. If it fails again, the schedule goes on where attempts are left. Counts against the month. INVALID_STATE where the webhook is inactive, the delivery is under way or a test, its event has left the log, or the month is used up.',
  })
  @Requires('webhooks:write', { scope: 'organization' })
  redeliver(
    @Arg('webhookId', () => ID) webhookId: string,
    @Arg('deliveryId', () => ID) deliveryId: string,
    @Ctx() { deliveries }: EventsContext,
  ): Promise<Delivery> {
    return deliveries.redeliver(webhookId, deliveryId);
  }

  @FieldResolver(() => EventRecord, {
    nullable: true,
    description: 'The event as it was logged, with the record that it is about; null for a test, and for what the caller may not read.',
  })
  source(@Root() { eventId }: Delivery, @Ctx() { events }: EventsContext): Promise<EventRecord | null> {
    return events.find(eventId);
  }
}
