import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { IdentityContext } from '../context.ts';
import { UserRestrictions } from './user-restrictions.entity.ts';
import { UserRestrictionsInput } from './user-restrictions.inputs.ts';

@Resolver(() => UserRestrictions)
export class UserRestrictionsResolver {
  @Query(() => UserRestrictions, { description: 'Get the rules for when and from where users of your organization may log in.' })
  @Requires('accounts:read', { scope: 'organization' })
  userRestrictions(@Ctx() { userRestrictions }: IdentityContext): Promise<UserRestrictions> {
    return userRestrictions.own();
  }

  @Mutation(() => UserRestrictions, {
    description:
      'Change when and from where users of your organization may log in. Omit a field to keep its value. A change that would lock out the user who makes it is rejected.',
  })
  @Requires('accounts:admin', { scope: 'organization', secondFactor: true })
  updateUserRestrictions(
    @Arg('input', () => UserRestrictionsInput) input: UserRestrictionsInput,
    @Ctx() { userRestrictions }: IdentityContext,
  ): Promise<UserRestrictions> {
    return userRestrictions.update(input);
  }
}
