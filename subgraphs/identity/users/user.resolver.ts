import { Arg, Ctx, FieldResolver, ID, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf, type SortBy } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import { relationLimit } from '../../../kernel/records/loaders.ts';
import { Account } from '../accounts/account.entity.ts';
import type { IdentityContext } from '../context.ts';
import { requireToGrantInput } from '../granting/grant-input.ts';
import { User } from './user.entity.ts';
import { UserFilter, UserInviteInput, UserSort, UserUpdateInput } from './user.inputs.ts';

const UserPage = pageOf('User', User);

@Resolver(() => User)
export class UserResolver {
  @Query(() => User, { nullable: true, description: 'Get a user by id. Null if it does not exist.' })
  @Requires('accounts:read')
  user(@Arg('id', () => ID) id: string, @Ctx() { users }: IdentityContext): Promise<User | null> {
    return users.find(id);
  }

  @Query(() => UserPage, { description: 'List users, newest first, including users without an account.' })
  @Requires('accounts:read')
  users(
    @Arg('accountId', () => ID, {
      nullable: true,
      description: 'Only users of this account (`acc_…`). Default: all users of the organization.',
    })
    accountId: string | undefined,
    @Arg('filter', () => UserFilter, { nullable: true }) filter: UserFilter | undefined,
    @Arg('sort', () => [UserSort], { nullable: true }) sort: SortBy[] | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { users }: IdentityContext,
  ): Promise<Page<User>> {
    return users.list(accountId ?? undefined, { filter, sort, page });
  }

  @Mutation(() => User, { description: 'Invite a user. An e-mail with a link to choose a password is sent.' })
  @Requires('accounts:create', { secondFactor: true, also: requireToGrantInput })
  inviteUser(
    @Arg('accountId', () => ID, { description: 'Account of the new user (`acc_…`).' }) accountId: string,
    @Arg('input', () => UserInviteInput, { description: 'User to invite.' }) input: UserInviteInput,
    @Ctx() { users }: IdentityContext,
  ): Promise<User> {
    return users.invite(accountId, input);
  }

  @Mutation(() => User, { description: 'Change a user. Omit a field to keep its value.' })
  @Requires('accounts:write', { secondFactor: true, also: requireToGrantInput })
  updateUser(
    @Arg('id', () => ID) id: string,
    @Arg('accountId', () => ID, {
      nullable: true,
      description:
        'Account of the user (`acc_…`). If the user belongs to another account, the response is the same as for an unknown user. Default: any account.',
    })
    accountId: string | undefined,
    @Arg('input', () => UserUpdateInput) input: UserUpdateInput,
    @Ctx() { users }: IdentityContext,
  ): Promise<User> {
    return users.update({ id, accountId: accountId ?? undefined }, input);
  }

  @Mutation(() => User, { description: 'Remove a user. Returns the deleted record. The last owner cannot be removed.' })
  @Requires('accounts:write', { secondFactor: true })
  removeUser(
    @Arg('id', () => ID) id: string,
    @Arg('accountId', () => ID, {
      nullable: true,
      description:
        'Account of the user (`acc_…`). If the user belongs to another account, the response is the same as for an unknown user. Default: any account.',
    })
    accountId: string | undefined,
    @Ctx() { users }: IdentityContext,
  ): Promise<User> {
    return users.remove({ id, accountId: accountId ?? undefined });
  }
}

@Resolver(() => User)
export class UserAccountResolver {
  @FieldResolver(() => Account, { nullable: true, description: 'Account that the user belongs to.' })
  @Requires('accounts:read')
  async account(@Root() { accountId }: User, @Ctx() { loaders }: IdentityContext): Promise<Account | null> {
    return accountId === null ? null : loaders.accounts.load(accountId);
  }
}

@Resolver(() => Account)
export class AccountUsersResolver {
  @FieldResolver(() => [User], { description: 'Newest users of the account.' })
  @Requires('accounts:read')
  users(
    @Root() { id }: Account,
    @Arg('limit', () => Int, { nullable: true, description: 'Maximum number of users, 1 to 200. Default: 50.' }) limit: number | undefined,
    @Ctx() { loaders }: IdentityContext,
  ): Promise<User[]> {
    return loaders.users.newest('accountId', id, relationLimit(limit));
  }
}
