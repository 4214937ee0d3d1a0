import type { RecordScope } from '../../../kernel/access/principal.ts';
import type { Selection } from '../stream/feed.ts';
import type { EventRecord } from './event.entity.ts';

export interface EventNarrowing {
  /** Of this account only; null and undefined: of all. */
  accountId?: string | null | undefined;
  /** About this record only. */
  subjectId?: string | null | undefined;
}

/** The events of one organization, or of accounts of it, that a subscriber wants, and may read. */
export class EventSelection implements Selection<EventRecord> {
  readonly organizationId: string;
  /** Undefined: of all, and those that concern none. */
  readonly accounts: readonly string[] | undefined;
  readonly subjectId: string | undefined;

  constructor(
    { organizationId, accounts }: RecordScope,
    readonly names: ReadonlySet<string>,
    { accountId, subjectId }: EventNarrowing = {},
  ) {
    const asked = accountId ? [accountId] : undefined;
    this.organizationId = organizationId;
    this.accounts = accounts === null ? asked : (asked ?? accounts).filter((id) => accounts.includes(id));
    this.subjectId = subjectId ?? undefined;
  }

  covers({ event, accountId, subjectId }: EventRecord): boolean {
    return (
      this.names.has(event) &&
      (this.accounts === undefined || (accountId !== null && this.accounts.includes(accountId))) &&
      (this.subjectId === undefined || subjectId === this.subjectId)
    );
  }
}
