import type { FilterQuery } from '@mikro-orm/core';
import type { EntityManager } from '../../../kernel/database.ts';
import { InvalidParameters } from '../../../kernel/errors.ts';
import { type Page, type PageInput, type SortBy, SortOrder } from '../../../kernel/graphql/page.ts';
import type { RecordLoader } from '../../../kernel/loaders.ts';
import { listPage } from '../../../kernel/pagination.ts';
import type { Principal } from '../../../kernel/principal.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { EventRecord } from './event.entity.ts';
import type { EventFilter } from './event.inputs.ts';

const LATEST_FIRST: SortBy[] = [{ field: 'sequence', order: SortOrder.DESC }];

export interface EventServiceDeps {
  em: EntityManager;
  principal: Principal;
  catalogue: Catalogue;
  loader: RecordLoader<EventRecord>;
  retentionDays: number;
}

/** The caller's events: of its organization, and of the families whose records it may read; others read as absent. */
export class EventService {
  constructor(private readonly deps: EventServiceDeps) {}

  async find(id: string): Promise<EventRecord | null> {
    const event = await this.deps.loader.load(id);
    return event && this.deps.catalogue.readable(this.deps.principal).has(event.event) ? event : null;
  }

  async list(
    { event, subjectId, accountId, after, occurredAfter, occurredBefore }: EventFilter,
    page: PageInput,
  ): Promise<Page<EventRecord>> {
    const names = this.covered(event, 'event');
    const where: FilterQuery<EventRecord> = {
      event: { $in: [...names] },
      ...(subjectId && { subjectId: { $in: subjectId } }),
      ...(accountId && { accountId: { $in: accountId } }),
      ...(after !== undefined && after !== null && { sequence: { $gt: await this.sequenceOf(after) } }),
      ...((occurredAfter || occurredBefore) && {
        occurredAt: { ...(occurredAfter && { $gte: occurredAfter }), ...(occurredBefore && { $lt: occurredBefore }) },
      }),
    };
    return listPage(this.deps.em, EventRecord, { where, page, defaultSort: LATEST_FIRST });
  }

  /**
   * The names that patterns cover (default: all) and the caller may read.
   * @throws InvalidParameters for a pattern that covers none; InsufficientPermissions where the caller may read none of them:
   * waiting for what will never be shown helps nobody
   */
  covered(patterns: readonly string[] | null | undefined, field: string): ReadonlySet<string> {
    const { catalogue, principal } = this.deps;
    const names = patterns ? catalogue.namesOf(patterns, field) : undefined;
    const readable = catalogue.readable(principal, names);
    if (names && readable.size === 0) catalogue.requireReadable(principal, names);
    return readable;
  }

  /**
   * The place in the log of an event that the caller saw.
   * @throws InvalidParameters for an id that is none of its organization's, and for an event that is no longer kept
   */
  async sequenceOf(id: string): Promise<number> {
    const { loader, retentionDays } = this.deps;
    const event = await loader.load(id);
    if (event) return event.sequence;
    const reason = `is no event of yours that the log still has (it keeps ${retentionDays} days); read your records anew and begin without it`;
    throw new InvalidParameters([{ field: 'after', value: id, reason }]);
  }
}
