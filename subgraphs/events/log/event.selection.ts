import type { Selection } from '../stream/feed.ts';
import type { EventRecord } from './event.entity.ts';

export interface EventNarrowing {
  /** Of this account only; null and undefined: of all. */
  accountId?: string | null | undefined;
  /** About this record only. */
  subjectId?: string | null | undefined;
}

/** The events of one organization that a subscriber wants, and may read. */
export class EventSelection implements Selection<EventRecord> {
  readonly accountId: string | undefined;
  readonly subjectId: string | undefined;

  constructor(
    readonly organizationId: string,
    readonly names: ReadonlySet<string>,
    { accountId, subjectId }: EventNarrowing = {},
  ) {
    this.accountId = accountId ?? undefined;
    this.subjectId = subjectId ?? undefined;
  }

  covers({ event, accountId, subjectId }: EventRecord): boolean {
    return (
      this.names.has(event) &&
      (this.accountId === undefined || accountId === this.accountId) &&
      (this.subjectId === undefined || subjectId === this.subjectId)
    );
  }
}
