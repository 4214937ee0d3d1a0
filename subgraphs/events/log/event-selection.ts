import type { RecordScope } from '../../../kernel/access/principal.ts';
import type { Selection } from '../stream/feed.ts';
import type { EventRecord } from './event.entity.ts';

export interface EventNarrowing {
  /** Account whose events are selected. Default: all accounts. */
  accountId?: string | null | undefined;
  /** Id of the record whose events are selected. Default: events about any record. */
  subjectId?: string | null | undefined;
}

/**
 * Filter of a subscriber. Selects events of one organization by name, subject and account. Never selects events of
 * accounts outside of the subscriber's account scope.
 */
export class EventSelection implements Selection<EventRecord> {
  readonly organizationId: string;
  /** Accounts whose events are selected. Undefined selects all events, including events without an account. */
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
