import type { Principal } from '../../../kernel/access/principal.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { orNotFound } from '../../../kernel/records/records.ts';
import type { Delivery, DeliveryStatus } from '../deliveries/delivery.entity.ts';
import { type DeliveryFollower, DeliverySelection } from '../deliveries/delivery-feed.ts';
import type { EventRecord } from '../log/event.entity.ts';
import type { EventService } from '../log/event.service.ts';
import { EventSelection } from '../log/event-selection.ts';
import type { Webhook } from '../webhooks/webhook.entity.ts';
import type { Follower } from './follower.ts';
import { LiveStream } from './live-stream.ts';

export type EventFollower = Follower<EventRecord, EventSelection>;

export interface StreamServiceDeps {
  principal: Principal;
  organizationId: string;
  events: EventService;
  webhooks: RecordLoader<Webhook>;
  followers: Followers;
}

/** The followers of this process: one for the feed of events, and one for the feed of deliveries. */
export interface Followers {
  events: EventFollower;
  deliveries: DeliveryFollower;
}

/** Start position and filters of a stream. A filter with an unknown id matches no record. */
export interface Narrowing {
  accountId?: string | null;
  subjectId?: string | null;
  after?: string | null;
}

/** Creates live streams for the caller's organization. */
export class StreamService {
  constructor(private readonly deps: StreamServiceDeps) {}

  /**
   * Streams the events that match `patterns`, in the order of the event log, without gaps or repetitions. Without
   * `patterns`, streams all events that the caller may read. Starts after the event with the id `after`. Without `after`,
   * starts with new events.
   * @throws InvalidParameters for an unknown pattern or event
   */
  async events({ patterns, after, ...narrowing }: EventArguments): Promise<AsyncIterableIterator<EventRecord>> {
    const { principal, events, followers } = this.deps;
    const selection = new EventSelection(principal, events.covered(patterns, 'patterns'), narrowing);
    const position = isGiven(after) ? await events.sequenceOf(after) : await followers.events.head();
    return new LiveStream(followers.events, selection, position);
  }

  /**
   * Streams deliveries in the order of their revisions. Starts after the revision `after`, or with new changes if
   * `after` is not set. If a delivery changes several times before the subscriber receives it, the stream contains it
   * once.
   * @throws LimitedToAccounts if the caller is limited to some accounts
   * @throws ResourceNotFound for a webhook that the organization does not have
   * @throws InvalidParameters for an invalid revision
   */
  async deliveries({ webhookId, status, after }: DeliveryArguments): Promise<AsyncIterableIterator<Delivery>> {
    const { principal, organizationId, webhooks, followers } = this.deps;
    principal.requireOrganization();
    if (isGiven(webhookId)) orNotFound(await webhooks.load(webhookId), 'webhook', webhookId);
    const head = await followers.deliveries.head();
    const position = isGiven(after) ? revisionOf(after, head) : head;
    return new LiveStream(followers.deliveries, new DeliverySelection(organizationId, webhookId, status), position);
  }
}

export interface EventArguments extends Narrowing {
  patterns?: readonly string[] | null;
}

export interface DeliveryArguments {
  webhookId?: string | null;
  status?: readonly DeliveryStatus[] | null;
  after?: string | null;
}

const isGiven = (value: string | null | undefined): value is string => value !== null && value !== undefined;

function revisionOf(after: string, head: number): number {
  const revision = /^\d{1,15}$/.test(after) ? Number(after) : Number.NaN;
  if (revision <= head) return revision;
  throw new InvalidParameters([{ field: 'after', value: after, reason: 'is not a revision of a delivery. Subscribe again without it' }]);
}
