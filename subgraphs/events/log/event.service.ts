import type { Principal } from '../../../kernel/access/principal.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters } from '../../../kernel/errors/errors.ts';
import { type Page, type PageInput, type SortBy, SortOrder } from '../../../kernel/graphql/page.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { between, matching } from '../../../kernel/records/where.ts';
import type { EventTypes } from '../event-types/event-types.ts';
import { EventRecord } from './event.entity.ts';
import type { EventFilter } from './event.inputs.ts';
import type { RecentEvents } from './recent.events.ts';

const LATEST_FIRST: SortBy[] = [{ field: 'sequence', order: SortOrder.DESC }];

export interface EventServiceDeps {
  em: EntityManager;
  principal: Principal;
  eventTypes: EventTypes;
  loader: RecordLoader<EventRecord>;
  recent: RecentEvents;
  retentionDays: number;
}

/**
 * Reads events of the caller's organization. An event that the caller may not read is treated as if it did not exist.
 */
export class EventService {
  constructor(private readonly deps: EventServiceDeps) {}

  async find(id: string): Promise<EventRecord | null> {
    const { eventTypes, loader, principal, recent } = this.deps;
    const event = recent.find(principal.organizationId, id) ?? (await loader.load(id));
    return event && principal.sees(event.accountId) && eventTypes.readable(principal).has(event.event) ? event : null;
  }

  async list(
    { event, subjectId, accountId, after, occurredAfter, occurredBefore }: EventFilter,
    page: PageInput,
  ): Promise<Page<EventRecord>> {
    const names = this.covered(event, 'event');
    const where = matching<EventRecord>({
      event: [...names],
      subjectId,
      accountId,
      sequence: after === undefined || after === null ? undefined : { $gt: await this.sequenceOf(after) },
      recordedAt: between(occurredAfter, occurredBefore),
    });
    return listPage(this.deps.em, EventRecord, { where, page, defaultSort: LATEST_FIRST });
  }

  /**
   * Returns the names of the events that match the patterns (default: all) and that the caller may read.
   * @throws InvalidParameters for a pattern that matches nothing
   * @throws InsufficientPermissions if the caller may read none of the events, because a stream of them would never
   * return an event
   */
  covered(patterns: readonly string[] | null | undefined, field: string): ReadonlySet<string> {
    const { eventTypes, principal } = this.deps;
    const names = patterns ? eventTypes.namesOf(patterns, field) : undefined;
    const readable = eventTypes.readable(principal, names);
    if (names && readable.size === 0) eventTypes.requireReadable(principal, names);
    return readable;
  }

  /**
   * Returns the position of an event in the log.
   * @throws InvalidParameters if the organization has no event with this id in the log
   */
  async sequenceOf(id: string): Promise<number> {
    const { loader, retentionDays } = this.deps;
    const event = await loader.load(id);
    if (event) return event.sequence;
    const reason = `is not an event of your organization in the log, which keeps ${retentionDays} days. Read your records again and begin without it`;
    throw new InvalidParameters([{ field: 'after', value: id, reason }]);
  }
}
