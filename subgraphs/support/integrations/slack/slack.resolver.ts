import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../../kernel/graphql/page.ts';
import { Requires } from '../../../../kernel/graphql/requires.ts';
import type { SupportContext } from '../../context.ts';
import type { IntegrationDelivery } from '../integration-delivery.entity.ts';
import { IntegrationDeliveryFilter } from '../integration-delivery.inputs.ts';
import { IntegrationDeliveryPage } from '../integration-delivery-page.ts';
import { IntegrationTest } from '../integration-test-result.ts';
import { SlackIntegrationCreateInput, SlackIntegrationUpdateInput } from './slack.inputs.ts';
import { SlackIntegration } from './slack-integration.entity.ts';

const SlackIntegrationPage = pageOf('SlackIntegration', SlackIntegration);

@Resolver(() => SlackIntegration)
export class SlackIntegrationResolver {
  @Query(() => SlackIntegration, { nullable: true, description: 'Get a Slack integration by id. Null if it does not exist.' })
  @Requires('support:admin', { scope: 'organization' })
  slackIntegration(@Arg('id', () => ID) id: string, @Ctx() { slackIntegrations }: SupportContext): Promise<SlackIntegration | null> {
    return slackIntegrations.find(id);
  }

  @Query(() => SlackIntegrationPage, { description: 'List Slack integrations, newest first.' })
  @Requires('support:admin', { scope: 'organization' })
  slackIntegrations(
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { slackIntegrations }: SupportContext,
  ): Promise<Page<SlackIntegration>> {
    return slackIntegrations.list(page ?? {});
  }

  @Query(() => IntegrationDeliveryPage, { description: 'List the events for a Slack integration with their results, newest first.' })
  @Requires('support:admin', { scope: 'organization' })
  slackIntegrationDeliveries(
    @Arg('slackIntegrationId', () => ID, { description: 'Id of the Slack integration (`intg_…`).' }) id: string,
    @Arg('filter', () => IntegrationDeliveryFilter, { nullable: true }) filter: IntegrationDeliveryFilter | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { slackIntegrations }: SupportContext,
  ): Promise<Page<IntegrationDelivery>> {
    return slackIntegrations.deliveries(id, filter ?? {}, page ?? {});
  }

  @Mutation(() => SlackIntegration, {
    description: 'Connect a Slack channel. Fails with DUPLICATE_RESOURCE if this webhook and channel are already connected.',
  })
  @Requires('support:admin', { scope: 'organization' })
  createSlackIntegration(
    @Arg('input', () => SlackIntegrationCreateInput) input: SlackIntegrationCreateInput,
    @Ctx() { slackIntegrations }: SupportContext,
  ): Promise<SlackIntegration> {
    return slackIntegrations.create(input);
  }

  @Mutation(() => SlackIntegration, { description: 'Change a Slack integration. Omit a field to keep its value.' })
  @Requires('support:admin', { scope: 'organization' })
  updateSlackIntegration(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => SlackIntegrationUpdateInput) input: SlackIntegrationUpdateInput,
    @Ctx() { slackIntegrations }: SupportContext,
  ): Promise<SlackIntegration> {
    return slackIntegrations.update(id, input);
  }

  @Mutation(() => SlackIntegration, {
    description: 'Delete a Slack integration. Returns the deleted record. Waiting messages are not sent.',
  })
  @Requires('support:admin', { scope: 'organization' })
  deleteSlackIntegration(@Arg('id', () => ID) id: string, @Ctx() { slackIntegrations }: SupportContext): Promise<SlackIntegration> {
    return slackIntegrations.delete(id);
  }

  @Mutation(() => IntegrationTest, { description: 'Post a test message now, even if the integration is inactive. Returns the result.' })
  @Requires('support:admin', { scope: 'organization' })
  testSlackIntegration(
    @Arg('id', () => ID, { description: 'Id of the Slack integration (`intg_…`).' }) id: string,
    @Ctx() { slackIntegrations }: SupportContext,
  ): Promise<IntegrationTest> {
    return slackIntegrations.test(id);
  }
}
