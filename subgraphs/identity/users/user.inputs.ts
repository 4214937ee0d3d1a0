import { IsOptional, Matches } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { Characters, Name } from '../../../kernel/graphql/characters.ts';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { sortOf } from '../../../kernel/graphql/page.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { AreAccounts } from '../granting/account-list.ts';
import { accountProblems } from '../granting/user-roles.ts';
import { UserRole, UserStatus } from '../user.states.ts';

const ACCOUNTS_OF_USERS =
  'The accounts that they are limited to, 1 to 50 of those that the caller sees; null: the whole organization. Default: for users of the own account null, for others their account. Owners, administrators and support agents are never limited, administrators of accounts always.';
const EMAIL_REASON = 'must be an e-mail address';
const PHONE = /^\+[1-9][0-9 ().-]{5,24}$/;
const PHONE_REASON = 'must be an international number such as +1 212 555 0100';

const AccountsFitRole = Rule<{ role?: UserRole | null; accounts?: string[] | null }>(({ role, accounts }) =>
  accountProblems(role ?? UserRole.MEMBER, accounts),
);

@InputType()
@AccountsFitRole
export class UserInviteInput {
  @Field(() => String)
  @EmailAddress(EMAIL_REASON)
  email!: string;

  @Field(() => String)
  @Name(200)
  name!: string;

  @Field(() => UserRole, { nullable: true, description: 'Default: member. Nobody gives a role that may do more than they may.' })
  role?: UserRole | null;

  @Field(() => [ID], { nullable: true, description: ACCOUNTS_OF_USERS })
  @AreAccounts()
  accounts?: string[] | null;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @Matches(PHONE, { message: PHONE_REASON })
  phone?: string | null;
}

@InputType({ description: 'What is left out stays as it is; null clears what may be absent.' })
@AccountsFitRole
export class UserUpdateInput {
  @Field(() => String, { nullable: true })
  @NotNull()
  @Name(200)
  name?: string;

  @Field(() => UserRole, { nullable: true })
  @NotNull()
  role?: UserRole;

  @Field(() => UserStatus, { nullable: true, description: 'Suspending ends all sessions of the user.' })
  @NotNull()
  status?: UserStatus;

  @Field(() => [ID], {
    nullable: true,
    description: 'Replaces the accounts that they are limited to; null: they see the whole organization.',
  })
  @AreAccounts()
  accounts?: string[] | null;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @Matches(PHONE, { message: PHONE_REASON })
  phone?: string | null;
}

@InputType()
export class UserFilter {
  @Field(() => [UserRole], { nullable: true })
  role?: UserRole[];

  @Field(() => [UserStatus], { nullable: true })
  status?: UserStatus[];

  @Field(() => String, { nullable: true, description: 'Part of the name or e-mail address, in any case.' })
  @IsOptional()
  @Characters(1, 200)
  search?: string;
}

export enum UserSortField {
  CREATED_AT = 'createdAt',
  NAME = 'name',
  EMAIL = 'email',
  LAST_LOGIN = 'lastLogin',
}
export const UserSort = sortOf('User', UserSortField);
