import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { SupportContext } from '../context.ts';
import { Report } from './report.entity.ts';
import { ReportInput } from './report.inputs.ts';
import { ReportStatus } from './report.states.ts';
import { ReportNotification } from './report.values.ts';

const ReportPage = pageOf('SupportReport', Report);

@Resolver(() => Report)
export class ReportResolver {
  @Mutation(() => Report, { description: 'Begins a report; `supportReport` says how far it is and where its file is.' })
  @Requires('support:write', { scope: 'organization' })
  generateSupportReport(@Arg('input', () => ReportInput) input: ReportInput, @Ctx() { reports }: SupportContext): Promise<Report> {
    return reports.generate(input);
  }

  @Mutation(() => Report, { description: 'Its file is deleted with it. 409 while it is being generated.' })
  @Requires('support:write', { scope: 'organization' })
  deleteSupportReport(@Arg('id', () => ID) id: string, @Ctx() { reports }: SupportContext): Promise<Report> {
    return reports.delete(id);
  }

  @Query(() => Report, { nullable: true })
  @Requires('support:read', { scope: 'organization' })
  supportReport(@Arg('id', () => ID) id: string, @Ctx() { reports }: SupportContext): Promise<Report | null> {
    return reports.find(id);
  }

  @Query(() => ReportPage, { description: 'The newest first.' })
  @Requires('support:read', { scope: 'organization' })
  supportReports(
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { reports }: SupportContext,
  ): Promise<Page<Report>> {
    return reports.list(page ?? {});
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'Where its file is, for whoever has this address, for a day; null until it is ready.',
  })
  downloadUrl(@Root() report: Report, @Ctx() { reportLinks, clock }: SupportContext): string | null {
    return report.status === ReportStatus.READY ? reportLinks.urlOf(report, clock.now()) : null;
  }

  @FieldResolver(() => ReportNotification, {
    nullable: true,
    description: 'What came of the mail to `delivery.notificationEmail`; null until it is ready, and where nobody is told.',
  })
  async notification(@Root() { notificationId }: Report, @Ctx() { loaders }: SupportContext): Promise<ReportNotification | null> {
    if (!notificationId) return null;
    const [recipient = null] = await loaders.notificationRecipients.newest('notificationId', notificationId, 1);
    return recipient;
  }
}
