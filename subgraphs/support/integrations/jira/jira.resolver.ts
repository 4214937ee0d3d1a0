import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../../kernel/graphql/page.ts';
import { Requires } from '../../../../kernel/graphql/requires.ts';
import { ReadsFields } from '../../../../kernel/graphql/selected-fields.ts';
import { relationLimit } from '../../../../kernel/records/loaders.ts';
import type { SupportContext } from '../../context.ts';
import { Ticket } from '../../tickets/ticket.entity.ts';
import type { IntegrationDelivery } from '../integration-delivery.entity.ts';
import { IntegrationDeliveryFilter } from '../integration-delivery.inputs.ts';
import { IntegrationDeliveryPage } from '../integration-delivery-page.ts';
import { IntegrationTest } from '../integration-test-result.ts';
import { JiraIntegrationCreateInput, JiraIntegrationUpdateInput } from './jira.inputs.ts';
import { JiraIntegration } from './jira-integration.entity.ts';
import { JiraIssue } from './jira-issue.entity.ts';
import { inboundPath } from './jira-paths.ts';

const JiraIntegrationPage = pageOf('JiraIntegration', JiraIntegration);

@Resolver(() => JiraIntegration)
export class JiraIntegrationResolver {
  @Query(() => JiraIntegration, { nullable: true })
  @Requires('support:admin', { scope: 'organization' })
  jiraIntegration(@Arg('id', () => ID) id: string, @Ctx() { jiraIntegrations }: SupportContext): Promise<JiraIntegration | null> {
    return jiraIntegrations.find(id);
  }

  @Query(() => JiraIntegrationPage)
  @Requires('support:admin', { scope: 'organization' })
  jiraIntegrations(
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { jiraIntegrations }: SupportContext,
  ): Promise<Page<JiraIntegration>> {
    return jiraIntegrations.list(page ?? {});
  }

  @Query(() => IntegrationDeliveryPage, { description: 'What it was to be told of, and what came of it: the newest first.' })
  @Requires('support:admin', { scope: 'organization' })
  jiraIntegrationDeliveries(
    @Arg('jiraIntegrationId', () => ID) id: string,
    @Arg('filter', () => IntegrationDeliveryFilter, { nullable: true }) filter: IntegrationDeliveryFilter | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { jiraIntegrations }: SupportContext,
  ): Promise<Page<IntegrationDelivery>> {
    return jiraIntegrations.deliveries(id, filter ?? {}, page ?? {});
  }

  @Mutation(() => JiraIntegration, { description: 'DUPLICATE_RESOURCE where there is one with this project of this site.' })
  @Requires('support:admin', { scope: 'organization' })
  createJiraIntegration(
    @Arg('input', () => JiraIntegrationCreateInput) input: JiraIntegrationCreateInput,
    @Ctx() { jiraIntegrations }: SupportContext,
  ): Promise<JiraIntegration> {
    return jiraIntegrations.create(input);
  }

  @Mutation(() => JiraIntegration)
  @Requires('support:admin', { scope: 'organization' })
  updateJiraIntegration(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => JiraIntegrationUpdateInput) input: JiraIntegrationUpdateInput,
    @Ctx() { jiraIntegrations }: SupportContext,
  ): Promise<JiraIntegration> {
    return jiraIntegrations.update(id, input);
  }

  @Mutation(() => JiraIntegration, {
    description: 'Makes a secret for the webhook in Jira, which this answer alone shows; the one before counts no more.',
  })
  @Requires('support:admin', { scope: 'organization' })
  rotateJiraIntegrationSecret(@Arg('id', () => ID) id: string, @Ctx() { jiraIntegrations }: SupportContext): Promise<JiraIntegration> {
    return jiraIntegrations.rotateSecret(id);
  }

  @Mutation(() => JiraIntegration, { description: 'Answers its last state. Its issues stay in Jira, and tickets know of them no more.' })
  @Requires('support:admin', { scope: 'organization' })
  deleteJiraIntegration(@Arg('id', () => ID) id: string, @Ctx() { jiraIntegrations }: SupportContext): Promise<JiraIntegration> {
    return jiraIntegrations.delete(id);
  }

  @Mutation(() => IntegrationTest, { description: 'Asks Jira at once whether the credentials hold and the project is there for them.' })
  @Requires('support:admin', { scope: 'organization' })
  testJiraIntegration(@Arg('id', () => ID) id: string, @Ctx() { jiraIntegrations }: SupportContext): Promise<IntegrationTest> {
    return jiraIntegrations.test(id);
  }

  @FieldResolver(() => String, {
    description:
      'Where a webhook in Jira sends `comment_created`, `comment_updated`, `jira:issue_updated` and `jira:issue_deleted`, signed with `inboundSecret`.',
  })
  inboundUrl(@Root() { id }: JiraIntegration, @Ctx() { origin }: SupportContext): string {
    return `${origin}${inboundPath(id)}`;
  }
}

@Resolver(() => Ticket)
export class TicketIssuesResolver {
  @FieldResolver(() => [JiraIssue], { nullable: true, description: 'The issues that it is in Jira, the newest first. For the desk only.' })
  @Requires('support:write')
  @ReadsFields('id')
  issues(
    @Root() { id }: Pick<Ticket, 'id'>,
    @Arg('limit', () => Int, { nullable: true }) limit: number | undefined,
    @Ctx() { loaders }: SupportContext,
  ): Promise<JiraIssue[]> {
    return loaders.jiraIssues.newest('ticketId', id, relationLimit(limit));
  }
}
