import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { IdentityContext } from '../context.ts';
import { Organization } from './organization.entity.ts';
import { OrganizationUpdateInput } from './organization.inputs.ts';

@Resolver(() => Organization)
export class OrganizationResolver {
  @Query(() => Organization, { description: 'Get your organization.' })
  @Requires('accounts:read', { scope: 'organization' })
  organization(@Ctx() { organizations }: IdentityContext): Promise<Organization> {
    return organizations.own();
  }

  @Mutation(() => Organization, { description: 'Change your organization. Omit a field to keep its value.' })
  @Requires('accounts:admin', { scope: 'organization', secondFactor: true })
  updateOrganization(
    @Arg('input', () => OrganizationUpdateInput) input: OrganizationUpdateInput,
    @Ctx() { organizations }: IdentityContext,
  ): Promise<Organization> {
    return organizations.update(input);
  }
}
