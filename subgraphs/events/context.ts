import type { Principal } from '../../kernel/access/principal.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { EntityManager } from '../../kernel/database/database.ts';
import { once } from '../../kernel/once.ts';
import { loadersOf } from '../../kernel/records/loaders.ts';
import { organizationEm } from '../../kernel/records/organization-filter.ts';
import type { EventsCore } from './core.ts';
import { DeliveryService } from './deliveries/delivery.service.ts';
import type { EventTypeRecord } from './event-types/event-type.types.ts';
import type { EventTypes } from './event-types/event-types.ts';
import { EventService } from './log/event.service.ts';
import { ReplayService } from './replays/replay.service.ts';
import { StreamService } from './stream/stream.service.ts';
import { WebhookService } from './webhooks/webhook.service.ts';

/**
 * Services, loaders and values that the resolvers of one request use. Each of them is created when it is used first.
 */
export class EventsContext {
  readonly clock: Clock;
  readonly eventTypes: EventTypes;
  readonly eventTypeRecords: readonly EventTypeRecord[];
  readonly #core: EventsCore;

  constructor(
    core: EventsCore,
    readonly principal: Principal,
  ) {
    this.clock = core.ports.clock;
    this.eventTypes = core.eventTypes;
    this.eventTypeRecords = core.eventTypeRecords;
    this.#core = core;
  }

  /** Number of whole days for which the log keeps events. */
  get retentionDays(): number {
    return this.#core.ports.retentionDays;
  }

  @once get loaders() {
    return loadersOf(this.#core.readers, this.principal);
  }

  @once get events(): EventService {
    const { eventLog } = this.#core;
    const { retentionDays } = this;
    return new EventService({ ...this.shared, loader: this.loaders.events, recent: eventLog.recent, retentionDays });
  }

  @once get stream(): StreamService {
    const { followers } = this.#core;
    return new StreamService({ ...this.shared, events: this.events, webhooks: this.loaders.webhooks, followers });
  }

  @once get webhooks(): WebhookService {
    const { guard, secrets, removal, wake } = this.#core;
    return new WebhookService({ ...this.shared, guard, secrets, removal, loader: this.loaders.webhooks, wake });
  }

  @once get deliveries(): DeliveryService {
    const { sender, secrets, quota, wake } = this.#core;
    return new DeliveryService({ ...this.shared, sender, secrets, quota, loader: this.loaders.webhooks, wake });
  }

  @once get replays(): ReplayService {
    const { eventLog, replays } = this.#core;
    return new ReplayService({ ...this.shared, eventLog, replays, loader: this.loaders.webhooks });
  }

  @once private get em(): EntityManager {
    return organizationEm(this.#core.ports.orm, this.principal);
  }

  /** Dependencies that all services of a request receive. */
  @once private get shared() {
    const { em, clock, eventTypes, principal } = this;
    return { em, clock, eventTypes, principal, organizationId: principal.organizationId };
  }
}
