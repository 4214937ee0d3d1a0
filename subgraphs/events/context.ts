import type { RecordLoader } from '../../kernel/loaders.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { EventTypeRecord } from './catalogue/event-type.ts';
import type { DeliveryService } from './deliveries/delivery.service.ts';
import type { EventService } from './log/event.service.ts';
import type { ReplayService } from './replays/replay.service.ts';
import type { StreamService } from './stream/stream.service.ts';
import type { Webhook } from './webhooks/webhook.entity.ts';
import type { WebhookService } from './webhooks/webhook.service.ts';

/** What the resolvers of one request work with. */
export interface EventsContext {
  principal: Principal;
  eventTypes: readonly EventTypeRecord[];
  events: EventService;
  stream: StreamService;
  webhooks: WebhookService;
  deliveries: DeliveryService;
  replays: ReplayService;
  loaders: { webhooks: RecordLoader<Webhook> };
}
