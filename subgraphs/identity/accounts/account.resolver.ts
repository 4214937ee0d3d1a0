import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type Page, PageInput, pageOf, type SortBy } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { IdentityContext } from '../context.ts';
import { Account } from './account.entity.ts';
import { AccountCreateInput, AccountFilter, AccountSort, AccountUpdateInput } from './account.inputs.ts';

const AccountPage = pageOf('Account', Account);

@Resolver(() => Account)
export class AccountResolver {
  @Query(() => Account, { nullable: true, description: 'Get an account by id. Null if it does not exist.' })
  @Requires('accounts:read')
  account(@Arg('id', () => ID) id: string, @Ctx() { accounts }: IdentityContext): Promise<Account | null> {
    return accounts.find(id);
  }

  @Query(() => Account, {
    nullable: true,
    description:
      "Get the account that orders use if they name no account: your organization's own account, or your only account if you are limited to one account. Null if you are limited to several accounts, because your orders must name the account in this case.",
  })
  @Requires('accounts:read')
  defaultAccount(@Ctx() { accounts }: IdentityContext): Promise<Account | null> {
    return accounts.findDefault();
  }

  @Query(() => AccountPage, { description: 'List accounts, newest first.' })
  @Requires('accounts:read')
  accounts(
    @Arg('filter', () => AccountFilter, { nullable: true }) filter: AccountFilter | undefined,
    @Arg('sort', () => [AccountSort], { nullable: true }) sort: SortBy[] | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { accounts }: IdentityContext,
  ): Promise<Page<Account>> {
    return accounts.list(filter ?? {}, sort ?? [], page ?? {});
  }

  @Mutation(() => Account, { description: 'Create an account for a customer.' })
  @Requires('accounts:create', { scope: 'organization' })
  createAccount(@Arg('input', () => AccountCreateInput) input: AccountCreateInput, @Ctx() { accounts }: IdentityContext): Promise<Account> {
    return accounts.create(input);
  }

  @Mutation(() => Account, { description: 'Change an account. Omit a field to keep its value.' })
  @Requires('accounts:write', { scope: 'organization' })
  updateAccount(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => AccountUpdateInput) input: AccountUpdateInput,
    @Ctx() { accounts }: IdentityContext,
  ): Promise<Account> {
    return accounts.update(id, input);
  }

  @Mutation(() => Account, {
    description: 'Delete an account. Returns the deleted record. Fails with INVALID_STATE while it has live services or open invoices.',
  })
  @Requires('accounts:write', { scope: 'organization' })
  deleteAccount(@Arg('id', () => ID) id: string, @Ctx() { accounts }: IdentityContext): Promise<Account> {
    return accounts.delete(id);
  }
}
