import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Large } from '../../../kernel/graphql/large.ts';
import { MAX_JSON } from '../../../kernel/graphql/max-json.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { LogLevel } from './log.states.ts';

/** Maximum size of a log message in bytes. */
export const MESSAGE_MAX = 8 * 1024;

@ObjectType({ description: 'A line of the log of an organization. Secrets in it were redacted before it was stored.' })
export class LogEntry {
  @Field(() => ID)
  id!: string;

  @Field(() => Date, { description: 'When it happened.' })
  at!: Date;

  @Field(() => LogLevel, { description: 'Importance of the entry.' })
  level!: LogLevel;

  @Field(() => String, {
    description:
      'Where the entry comes from. The platform writes `request`, `job`, `provisioning`, `webhook` and `service`; `ingest` is for entries that you send.',
  })
  source!: string;

  @Field(() => String, { description: 'What happened.' })
  @Large(MESSAGE_MAX)
  message!: string;

  @Field(() => JsonObject, { description: 'Details. A query finds them as `key:value`; nested names are joined with dots.' })
  @Large(MAX_JSON)
  attributes!: Record<string, unknown>;

  @Field(() => ID, { nullable: true, description: 'Service that the entry is about (`svc_…`). Null if it is about no service.' })
  serviceId!: string | null;

  @Field(() => String, { nullable: true, description: 'Request that the entry is about (`req_…`). Null if it is about no request.' })
  requestId!: string | null;

  @Field(() => String, { nullable: true, description: 'W3C trace id. Null if the trace is unknown.' })
  traceId!: string | null;
}

/** Maximum number of log entries that are counted. */
export const COUNTED_MAX = 10_000;

/** Number of log entries in the whole searched range. */
export interface LogCount {
  total: number;
  isExact: boolean;
}

@ObjectType({ description: 'Position of a page of log entries.' })
export class LogPageInfo {
  @Field(() => Int, { description: 'Maximum number of entries of the page.' })
  limit!: number;

  @Field(() => Int, { description: 'Number of this page, from 1. Always 1 with a cursor.' })
  page!: number;

  @Field(() => Boolean, { description: 'True if there may be more entries in the range.' })
  hasMore!: boolean;

  @Field(() => String, { nullable: true, description: 'Value of `cursor` for the next page. Null on the last page.' })
  nextCursor!: string | null;

  @Field(() => Date, {
    nullable: true,
    description:
      'Set if the search ended early, because it took two seconds: entries before this time were not searched yet. Continue with `nextCursor`. Otherwise null.',
  })
  scannedUntil!: Date | null;

  /** Counts the log entries. Counting costs as much as a search, so it happens only if the client selects the number. */
  count!: () => Promise<LogCount>;
}

@ObjectType({ description: 'A page of log entries, newest first.' })
export class LogPage {
  @Field(() => [LogEntry], { description: 'Entries of this page, newest first.' })
  nodes!: LogEntry[];

  @Field(() => LogPageInfo, { description: 'Position of this page, and how to get the next page.' })
  pageInfo!: LogPageInfo;
}

@ObjectType({ description: 'New log entries.' })
export class LogTailMessage {
  @Field(() => [LogEntry], { description: 'The new entries, oldest first: at most 50.' })
  entries!: LogEntry[];

  @Field(() => Int, {
    description: 'Number of older entries that are left out, because there were more than 50 since the last message. A search finds them.',
  })
  dropped!: number;

  @Field(() => Date, {
    nullable: true,
    description:
      'Set in the first message if the position in `after` is older than 15 minutes, or too many entries came since then: entries since this time are missing. Otherwise null.',
  })
  gapSince!: Date | null;

  @Field(() => String, { description: 'Value of `after` for a subscription that continues after this message.' })
  position!: string;
}
