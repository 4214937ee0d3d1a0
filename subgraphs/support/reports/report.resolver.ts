import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { SupportContext } from '../context.ts';
import { Report } from './report.entity.ts';
import { ReportInput } from './report.inputs.ts';
import { ReportNotification } from './report.values.ts';

const ReportPage = pageOf('SupportReport', Report);

@Resolver(() => Report)
export class ReportResolver {
  @Mutation(() => Report, { description: 'Start to generate a report. Get its progress and its file with `supportReport`.' })
  @Requires('support:write', { scope: 'organization' })
  generateSupportReport(
    @Arg('input', () => ReportInput, { description: 'Content and delivery of the report.' }) input: ReportInput,
    @Ctx() { reports }: SupportContext,
  ): Promise<Report> {
    return reports.generate(input);
  }

  @Mutation(() => Report, {
    description: 'Delete a report and its file. Returns the deleted record. Fails with INVALID_STATE while it is being generated.',
  })
  @Requires('support:write', { scope: 'organization' })
  deleteSupportReport(@Arg('id', () => ID) id: string, @Ctx() { reports }: SupportContext): Promise<Report> {
    return reports.delete(id);
  }

  @Query(() => Report, { nullable: true, description: 'Get a report by id. Null if it does not exist.' })
  @Requires('support:read', { scope: 'organization' })
  supportReport(@Arg('id', () => ID) id: string, @Ctx() { reports }: SupportContext): Promise<Report | null> {
    return reports.find(id);
  }

  @Query(() => ReportPage, { description: 'List reports, newest first.' })
  @Requires('support:read', { scope: 'organization' })
  supportReports(
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { reports }: SupportContext,
  ): Promise<Page<Report>> {
    return reports.list(page ?? {});
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'Address of the file. It works without credentials for one day. Null until the report is ready.',
  })
  downloadUrl(@Root() report: Report, @Ctx() { reports }: SupportContext): string | null {
    return reports.urlOf(report);
  }

  @FieldResolver(() => ReportNotification, {
    nullable: true,
    description: 'E-mail about the finished report. Null until it is ready, and if nobody is notified.',
  })
  async notification(@Root() { notificationId }: Report, @Ctx() { loaders }: SupportContext): Promise<ReportNotification | null> {
    if (!notificationId) return null;
    const [recipient = null] = await loaders.notificationRecipients.newest('notificationId', notificationId, 1);
    return recipient;
  }
}
