import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { IdentityContext } from '../context.ts';
import { UserRestrictions } from './user-restrictions.entity.ts';
import { UserRestrictionsInput } from './user-restrictions.inputs.ts';

@Resolver(() => UserRestrictions)
export class UserRestrictionsResolver {
  @Query(() => UserRestrictions)
  @Requires('accounts:read', { scope: 'organization' })
  userRestrictions(@Ctx() { userRestrictions }: IdentityContext): Promise<UserRestrictions> {
    return userRestrictions.own();
  }

  @Mutation(() => UserRestrictions, {
    description: 'What is left out keeps its value. A change that would refuse the user who makes it is refused.',
  })
  @Requires('accounts:admin', { scope: 'organization', secondFactor: true })
  updateUserRestrictions(
    @Arg('input', () => UserRestrictionsInput) input: UserRestrictionsInput,
    @Ctx() { userRestrictions }: IdentityContext,
  ): Promise<UserRestrictions> {
    return userRestrictions.update(input);
  }
}
