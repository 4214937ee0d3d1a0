import { Arg, Args, Ctx, FieldResolver, ID, Int, Query, Resolver, Root, Subscription } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { MonitoringContext } from '../context.ts';
import { liveArgs } from '../live/live-args.ts';
import { LogFilter, LogQuery, LogTailArgs } from './log.inputs.ts';
import { COUNTED_MAX, LogPage, LogPageInfo, LogTailMessage } from './log.types.ts';

@Resolver()
export class LogResolver {
  @Query(() => LogPage, {
    description:
      'Get log entries, newest first: entries that the platform writes for your organization, and the entries that you have sent.',
  })
  @Requires('monitoring:read', { scope: 'account' })
  logs(@Args(() => LogQuery) query: LogQuery, @Ctx() { logs }: MonitoringContext): Promise<LogPage> {
    return logs.search(query);
  }

  @Query(() => LogPage, { description: 'Search log entries, like `logs`.' })
  @Requires('monitoring:read', { scope: 'account' })
  searchLogs(@Args(() => LogQuery) query: LogQuery, @Ctx() { logs }: MonitoringContext): Promise<LogPage> {
    return logs.search(query);
  }

  @Query(() => LogPage, { nullable: true, description: 'Get the log entries about one service, newest first. Null if it does not exist.' })
  @Requires('monitoring:read', { scope: 'account' })
  serviceLogs(
    @Arg('id', () => ID, { description: 'Id of the service (`svc_…`).' }) id: string,
    @Args(() => LogFilter) filter: LogFilter,
    @Ctx() { logs }: MonitoringContext,
  ): Promise<LogPage | null> {
    return logs.ofService(id, filter);
  }

  @Subscription(() => LogTailMessage, {
    subscribe: ({ args, context }: { args: LogTailArgs; context: MonitoringContext }) =>
      context.logs.follow(liveArgs(LogTailArgs, args, context)),
    description:
      'Follow new log entries, at most 50 in a second. Conditions are those of `logs`. An entry comes at most two seconds after it was stored.',
  })
  @Requires('monitoring:read', { scope: 'account' })
  logTail(@Root() message: LogTailMessage, @Args(() => LogTailArgs) _args: LogTailArgs): LogTailMessage {
    return message;
  }
}

@Resolver(() => LogPageInfo)
export class LogPageInfoResolver {
  @FieldResolver(() => Int, { description: 'Maximum number of entries of the page, the same as `limit`.' })
  perPage(@Root() { limit }: LogPageInfo): number {
    return limit;
  }

  @FieldResolver(() => Int, {
    description: `Number of entries in the range, up to ${COUNTED_MAX}. Counting costs up to half a second.`,
  })
  async total(@Root() { count }: LogPageInfo): Promise<number> {
    return (await count()).total;
  }

  @FieldResolver(() => Boolean, {
    description: `False if there are, or may be, more entries than \`total\`: more than ${COUNTED_MAX}, or not all of the range was counted in half a second.`,
  })
  async isTotalExact(@Root() { count }: LogPageInfo): Promise<boolean> {
    return (await count()).isExact;
  }

  @FieldResolver(() => Int, { description: 'Number of pages that `total` entries have.' })
  async pages(@Root() { count, limit }: LogPageInfo): Promise<number> {
    return Math.ceil((await count()).total / limit);
  }
}
