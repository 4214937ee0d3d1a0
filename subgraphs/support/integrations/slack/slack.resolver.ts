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
  @Query(() => SlackIntegration, { nullable: true })
  @Requires('support:admin', { scope: 'organization' })
  slackIntegration(@Arg('id', () => ID) id: string, @Ctx() { slackIntegrations }: SupportContext): Promise<SlackIntegration | null> {
    return slackIntegrations.find(id);
  }

  @Query(() => SlackIntegrationPage)
  @Requires('support:admin', { scope: 'organization' })
  slackIntegrations(
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { slackIntegrations }: SupportContext,
  ): Promise<Page<SlackIntegration>> {
    return slackIntegrations.list(page ?? {});
  }

  @Query(() => IntegrationDeliveryPage, { description: 'What it was to be told of, and what came of it: the newest first.' })
  @Requires('support:admin', { scope: 'organization' })
  slackIntegrationDeliveries(
    @Arg('slackIntegrationId', () => ID) id: string,
    @Arg('filter', () => IntegrationDeliveryFilter, { nullable: true }) filter: IntegrationDeliveryFilter | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { slackIntegrations }: SupportContext,
  ): Promise<Page<IntegrationDelivery>> {
    return slackIntegrations.deliveries(id, filter ?? {}, page ?? {});
  }

  @Mutation(() => SlackIntegration, { description: 'DUPLICATE_RESOURCE where there is one with this webhook and channel.' })
  @Requires('support:admin', { scope: 'organization' })
  createSlackIntegration(
    @Arg('input', () => SlackIntegrationCreateInput) input: SlackIntegrationCreateInput,
    @Ctx() { slackIntegrations }: SupportContext,
  ): Promise<SlackIntegration> {
    return slackIntegrations.create(input);
  }

  @Mutation(() => SlackIntegration)
  @Requires('support:admin', { scope: 'organization' })
  updateSlackIntegration(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => SlackIntegrationUpdateInput) input: SlackIntegrationUpdateInput,
    @Ctx() { slackIntegrations }: SupportContext,
  ): Promise<SlackIntegration> {
    return slackIntegrations.update(id, input);
  }

  @Mutation(() => SlackIntegration, { description: 'Answers its last state. What waits for it is not sent.' })
  @Requires('support:admin', { scope: 'organization' })
  deleteSlackIntegration(@Arg('id', () => ID) id: string, @Ctx() { slackIntegrations }: SupportContext): Promise<SlackIntegration> {
    return slackIntegrations.delete(id);
  }

  @Mutation(() => IntegrationTest, { description: 'Posts a test message at once, also where it is inactive, and answers what came of it.' })
  @Requires('support:admin', { scope: 'organization' })
  testSlackIntegration(@Arg('id', () => ID) id: string, @Ctx() { slackIntegrations }: SupportContext): Promise<IntegrationTest> {
    return slackIntegrations.test(id);
  }
}
