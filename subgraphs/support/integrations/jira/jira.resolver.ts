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
  @Query(() => JiraIntegration, { nullable: true, description: 'Get a Jira integration by id. Null if it does not exist.' })
  @Requires('support:admin', { scope: 'organization' })
  jiraIntegration(@Arg('id', () => ID) id: string, @Ctx() { jiraIntegrations }: SupportContext): Promise<JiraIntegration | null> {
    return jiraIntegrations.find(id);
  }

  @Query(() => JiraIntegrationPage, { description: 'List Jira integrations, newest first.' })
  @Requires('support:admin', { scope: 'organization' })
  jiraIntegrations(
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { jiraIntegrations }: SupportContext,
  ): Promise<Page<JiraIntegration>> {
    return jiraIntegrations.list(page ?? {});
  }

  @Query(() => IntegrationDeliveryPage, { description: 'List the events for a Jira integration with their results, newest first.' })
  @Requires('support:admin', { scope: 'organization' })
  jiraIntegrationDeliveries(
    @Arg('jiraIntegrationId', () => ID, { description: 'Id of the Jira integration (`intg_…`).' }) id: string,
    @Arg('filter', () => IntegrationDeliveryFilter, { nullable: true }) filter: IntegrationDeliveryFilter | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { jiraIntegrations }: SupportContext,
  ): Promise<Page<IntegrationDelivery>> {
    return jiraIntegrations.deliveries(id, filter ?? {}, page ?? {});
  }

  @Mutation(() => JiraIntegration, {
    description: 'Connect a Jira project. Fails with DUPLICATE_RESOURCE if this project is already connected.',
  })
  @Requires('support:admin', { scope: 'organization' })
  createJiraIntegration(
    @Arg('input', () => JiraIntegrationCreateInput) input: JiraIntegrationCreateInput,
    @Ctx() { jiraIntegrations }: SupportContext,
  ): Promise<JiraIntegration> {
    return jiraIntegrations.create(input);
  }

  @Mutation(() => JiraIntegration, { description: 'Change a Jira integration. Omit a field to keep its value.' })
  @Requires('support:admin', { scope: 'organization' })
  updateJiraIntegration(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => JiraIntegrationUpdateInput) input: JiraIntegrationUpdateInput,
    @Ctx() { jiraIntegrations }: SupportContext,
  ): Promise<JiraIntegration> {
    return jiraIntegrations.update(id, input);
  }

  @Mutation(() => JiraIntegration, {
    description:
      'Replace the secret of the webhook in Jira. Only this response shows the new secret. The old secret stops working immediately.',
  })
  @Requires('support:admin', { scope: 'organization' })
  rotateJiraIntegrationSecret(@Arg('id', () => ID) id: string, @Ctx() { jiraIntegrations }: SupportContext): Promise<JiraIntegration> {
    return jiraIntegrations.rotateSecret(id);
  }

  @Mutation(() => JiraIntegration, {
    description: 'Delete a Jira integration. Returns the deleted record. Issues stay in Jira, but tickets are no longer linked to them.',
  })
  @Requires('support:admin', { scope: 'organization' })
  deleteJiraIntegration(@Arg('id', () => ID) id: string, @Ctx() { jiraIntegrations }: SupportContext): Promise<JiraIntegration> {
    return jiraIntegrations.delete(id);
  }

  @Mutation(() => IntegrationTest, {
    description: 'Check that the credentials of an integration work and the project exists. Sends a request to Jira.',
  })
  @Requires('support:admin', { scope: 'organization' })
  testJiraIntegration(
    @Arg('id', () => ID, { description: 'Id of the Jira integration (`intg_…`).' }) id: string,
    @Ctx() { jiraIntegrations }: SupportContext,
  ): Promise<IntegrationTest> {
    return jiraIntegrations.test(id);
  }

  @FieldResolver(() => String, {
    description:
      'Address for a webhook in Jira that sends `comment_created`, `comment_updated`, `jira:issue_updated` and `jira:issue_deleted`, signed with `inboundSecret`.',
  })
  inboundUrl(@Root() { id }: JiraIntegration, @Ctx() { origin }: SupportContext): string {
    return `${origin}${inboundPath(id)}`;
  }
}

@Resolver(() => Ticket)
export class TicketIssuesResolver {
  @FieldResolver(() => [JiraIssue], {
    nullable: true,
    description: 'Jira issues of the ticket, newest first. For callers with `support:write`.',
  })
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
