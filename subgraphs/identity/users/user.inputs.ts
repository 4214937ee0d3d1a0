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
  'Accounts that the user is limited to: 1 to 50 accounts that the caller can access (`acc_…`). Null gives access to all accounts. Default: null for users of the account of your own organization; for other users, their account. For the roles `OWNER`, `ADMIN` and `SUPPORT`, a list is refused, because these users can access all accounts. For the role `ACCOUNT_ADMIN`, null means the account of the user.';
const EMAIL_REASON = 'must be an e-mail address';
const PHONE = /^\+[1-9][0-9 ().-]{5,24}$/;
const PHONE_REASON = 'must be an international number such as +1 212 555 0100';

const AccountsFitRole = Rule<{ role?: UserRole | null; accounts?: string[] | null }>(({ role, accounts }) =>
  accountProblems(role ?? UserRole.MEMBER, accounts),
);

@InputType({ description: 'User to invite.' })
@AccountsFitRole
export class UserInviteInput {
  @Field(() => String, { description: 'E-mail address of the user, to which the invitation is sent. The user logs in with this address.' })
  @EmailAddress(EMAIL_REASON)
  email!: string;

  @Field(() => String, { description: 'Full name, 1 to 200 characters.' })
  @Name(200)
  name!: string;

  @Field(() => UserRole, {
    nullable: true,
    description: 'Role of the user. It cannot have more permissions than the caller. Default: member.',
  })
  role?: UserRole | null;

  @Field(() => [ID], { nullable: true, description: ACCOUNTS_OF_USERS })
  @AreAccounts()
  accounts?: string[] | null;

  @Field(() => String, { nullable: true, description: 'International mobile number, such as +1 212 555 0100.' })
  @IsOptional()
  @Matches(PHONE, { message: PHONE_REASON })
  phone?: string | null;
}

@InputType({ description: 'Fields to change. Omit a field to keep its value; null clears an optional field.' })
@AccountsFitRole
export class UserUpdateInput {
  @Field(() => String, { nullable: true, description: 'Full name, 1 to 200 characters.' })
  @NotNull()
  @Name(200)
  name?: string;

  @Field(() => UserRole, { nullable: true, description: 'Role of the user. It cannot have more permissions than the caller.' })
  @NotNull()
  role?: UserRole;

  @Field(() => UserStatus, { nullable: true, description: 'New state. `SUSPENDED` ends all sessions of the user.' })
  @NotNull()
  status?: UserStatus;

  @Field(() => [ID], {
    nullable: true,
    description:
      'Accounts that the user is limited to: 1 to 50 (`acc_…`). Null gives access to all accounts. For the roles `OWNER`, `ADMIN` and `SUPPORT`, a list is refused, because these users can access all accounts. For the role `ACCOUNT_ADMIN`, null means the account of the user.',
  })
  @AreAccounts()
  accounts?: string[] | null;

  @Field(() => String, { nullable: true, description: 'International mobile number, such as +1 212 555 0100. Null removes it.' })
  @IsOptional()
  @Matches(PHONE, { message: PHONE_REASON })
  phone?: string | null;
}

@InputType({ description: 'Conditions for a list of users. A user must meet all of them.' })
export class UserFilter {
  @Field(() => [UserRole], { nullable: true, description: 'Only users with one of these roles.' })
  role?: UserRole[];

  @Field(() => [UserStatus], { nullable: true })
  status?: UserStatus[];

  @Field(() => String, {
    nullable: true,
    description: 'Only users whose name or e-mail address contains this text, ignoring case. 1 to 200 characters.',
  })
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
export const UserSort = sortOf('User', UserSortField, { LAST_LOGIN: 'Time of the last login.' });
