import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { ExpectedRevision } from '../../../kernel/records/revision.ts';
import type { SupportContext } from '../context.ts';
import { SlaPolicy } from './sla-policy.entity.ts';
import { SlaPolicyCreateInput, SlaPolicyUpdateInput } from './sla-policy.inputs.ts';
import { SlaPolicyTarget, shownTargets } from './sla-policy.values.ts';

const SlaPolicyPage = pageOf('SlaPolicy', SlaPolicy);

@Resolver(() => SlaPolicy)
export class SlaPolicyResolver {
  @Query(() => SlaPolicy, { nullable: true, description: 'Get an SLA policy by id. Null if it does not exist.' })
  @Requires('support:write', { scope: 'organization' })
  slaPolicy(@Arg('id', () => ID) id: string, @Ctx() { slaPolicies }: SupportContext): Promise<SlaPolicy | null> {
    return slaPolicies.find(id);
  }

  @Query(() => SlaPolicyPage, { description: 'List SLA policies, newest first.' })
  @Requires('support:write', { scope: 'organization' })
  slaPolicies(
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { slaPolicies }: SupportContext,
  ): Promise<Page<SlaPolicy>> {
    return slaPolicies.list(page ?? {});
  }

  @Mutation(() => SlaPolicy, { description: 'Create an SLA policy. It applies to tickets once a category refers to it.' })
  @Requires('support:admin', { scope: 'organization' })
  createSlaPolicy(
    @Arg('input', () => SlaPolicyCreateInput) input: SlaPolicyCreateInput,
    @Ctx() { slaPolicies }: SupportContext,
  ): Promise<SlaPolicy> {
    return slaPolicies.create(input);
  }

  @Mutation(() => SlaPolicy, { description: 'Change an SLA policy. Omit a field to keep its value.' })
  @Requires('support:admin', { scope: 'organization' })
  updateSlaPolicy(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => SlaPolicyUpdateInput) input: SlaPolicyUpdateInput,
    @ExpectedRevision() expectedRevision: number | null | undefined,
    @Ctx() { slaPolicies }: SupportContext,
  ): Promise<SlaPolicy> {
    return slaPolicies.update(id, input, expectedRevision);
  }

  @Mutation(() => SlaPolicy, {
    description: 'Delete an SLA policy. Returns the deleted record. Fails with INVALID_STATE while a category refers to it.',
  })
  @Requires('support:admin', { scope: 'organization' })
  deleteSlaPolicy(@Arg('id', () => ID) id: string, @Ctx() { slaPolicies }: SupportContext): Promise<SlaPolicy> {
    return slaPolicies.delete(id);
  }

  @FieldResolver(() => [SlaPolicyTarget], { description: 'Targets for each priority, the most urgent first.' })
  targets(@Root() { targets }: SlaPolicy): SlaPolicyTarget[] {
    return shownTargets(targets);
  }
}
