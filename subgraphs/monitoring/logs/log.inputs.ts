import { ArrayMaxSize, IsOptional, Max, MaxLength, Min, ValidateBy } from 'class-validator';
import { ArgsType, Field, ID, Int } from 'type-graphql';
import { Characters } from '../../../kernel/graphql/characters.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../../../kernel/graphql/page.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { DAY_MS } from '../../../kernel/values/days.ts';
import type { MonitoringContext } from '../context.ts';
import { LogLevel } from './log.states.ts';
import { COUNTED_MAX } from './log.types.ts';
import { parseLogQuery, QUERY_MAX } from './log-query.ts';

const RANGE_DAYS_MAX = 31;
const SERVICES_MAX = 50;

/** Validates a log query. The error message states the position of the problem. */
const IsLogQuery = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isLogQuery',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && value.length <= QUERY_MAX && 'terms' in parseLogQuery(value),
        defaultMessage: (problem) => {
          const text: unknown = problem?.value;
          if (typeof text !== 'string' || text.length > QUERY_MAX) return `must have at most ${QUERY_MAX} characters`;
          const parsed = parseLogQuery(text);
          return 'problem' in parsed ? parsed.problem : 'is not a query';
        },
      },
    },
    jsonSchema({ maxLength: QUERY_MAX }),
  );

const QUERY_DESCRIPTION =
  'Only entries that match all terms: words and "phrases" of the message, ignoring case, and `key:value` for an attribute, `source`, `request_id` or `trace_id`. A `-` before a term excludes the entries that match the term. At most 32 terms.';

/** Filter for new log entries. */
@ArgsType()
export class LogTailArgs {
  @Field(() => String, { nullable: true, description: QUERY_DESCRIPTION })
  @IsOptional()
  @IsLogQuery()
  query?: string | null;

  @Field(() => [LogLevel], { nullable: true, description: 'Only entries with one of these levels.' })
  @IsOptional()
  @ArrayMaxSize(10, { message: 'must have at most 10 values' })
  levels?: LogLevel[] | null;

  @Field(() => [ID], { nullable: true, description: `Only entries about these services (\`svc_…\`). At most ${SERVICES_MAX}.` })
  @IsOptional()
  @ArrayMaxSize(SERVICES_MAX, { message: `must have at most ${SERVICES_MAX} values` })
  serviceIds?: string[] | null;

  @Field(() => String, {
    nullable: true,
    description: '`position` of the last message that the client received. Entries since then come first, the newest 50 of them.',
  })
  @IsOptional()
  @MaxLength(40)
  after?: string | null;
}

/** Filter for a list of log entries. */
@ArgsType()
@Rule<LogFilter, MonitoringContext>(({ from: value, to }, { clock }) => {
  if (!value) return [];
  const end = to ?? clock.now();
  if (to && to <= value) return [{ field: 'from', value, reason: 'must be before the end of the range' }];
  const isTooLong = end.getTime() - value.getTime() > RANGE_DAYS_MAX * DAY_MS;
  return isTooLong ? [{ field: 'from', value, reason: `must be at most ${RANGE_DAYS_MAX} days before the end of the range` }] : [];
})
@Rule<LogFilter>(({ page, perPage, cursor, limit }) => [
  ...(page && cursor ? [{ field: 'page', value: page, reason: 'cannot be combined with cursor' }] : []),
  ...(perPage && limit && perPage !== limit
    ? [{ field: 'limit', value: limit, reason: 'differs from perPage; send only one of them' }]
    : []),
  ...(page && page * (perPage ?? limit ?? PAGE_SIZE_DEFAULT) > COUNTED_MAX
    ? [{ field: 'page', value: page, reason: `must be within the first ${COUNTED_MAX} entries; use a cursor for the others` }]
    : []),
])
export class LogFilter {
  @Field(() => String, {
    nullable: true,
    description: QUERY_DESCRIPTION,
  })
  @IsOptional()
  @IsLogQuery()
  query?: string | null;

  @Field(() => [LogLevel], { nullable: true, description: 'Only entries with one of these levels.' })
  @IsOptional()
  @ArrayMaxSize(10, { message: 'must have at most 10 values' })
  levels?: LogLevel[] | null;

  @Field(() => Date, {
    nullable: true,
    description: `Start, inclusive. Default: 24 hours before the end. The range has at most ${RANGE_DAYS_MAX} days.`,
  })
  from?: Date | null;

  @Field(() => Date, { nullable: true, description: 'End, exclusive. Default: now.' })
  to?: Date | null;

  @Field(() => String, { nullable: true, description: 'Only entries about this request (`req_…`).' })
  @IsOptional()
  @Characters(1, 128)
  requestId?: string | null;

  @Field(() => String, { nullable: true, description: 'Only entries with this W3C trace id.' })
  @IsOptional()
  @Characters(1, 128)
  traceId?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: `Number of the page, from 1, within the first ${COUNTED_MAX} entries. Cannot be combined with \`cursor\`. Default: 1.`,
  })
  @IsOptional()
  @Min(1, { message: 'must be at least 1' })
  page?: number | null;

  @Field(() => Int, { nullable: true, description: `Entries per page, 1 to ${PAGE_SIZE_MAX}. Default: ${PAGE_SIZE_DEFAULT}.` })
  @IsOptional()
  @Min(1, { message: `must be between 1 and ${PAGE_SIZE_MAX}` })
  @Max(PAGE_SIZE_MAX, { message: `must be between 1 and ${PAGE_SIZE_MAX}` })
  perPage?: number | null;

  @Field(() => String, {
    nullable: true,
    description: '`nextCursor` of the previous response. Send the same conditions as in the previous request.',
  })
  @IsOptional()
  @MaxLength(2000)
  cursor?: string | null;

  @Field(() => Int, { nullable: true, description: `Maximum number of entries, 1 to ${PAGE_SIZE_MAX}. Default: ${PAGE_SIZE_DEFAULT}.` })
  @IsOptional()
  @Min(1, { message: `must be between 1 and ${PAGE_SIZE_MAX}` })
  @Max(PAGE_SIZE_MAX, { message: `must be between 1 and ${PAGE_SIZE_MAX}` })
  limit?: number | null;
}

@ArgsType()
export class LogQuery extends LogFilter {
  @Field(() => [ID], { nullable: true, description: `Only entries about these services (\`svc_…\`). At most ${SERVICES_MAX}.` })
  @IsOptional()
  @ArrayMaxSize(SERVICES_MAX, { message: `must have at most ${SERVICES_MAX} values` })
  serviceIds?: string[] | null;
}
