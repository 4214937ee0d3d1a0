import { IsOptional, Matches, ValidateNested } from 'class-validator';
import { Field, ID, InputType } from 'type-graphql';
import { Characters, Name } from '../../../kernel/graphql/characters.ts';
import { EmailAddress } from '../../../kernel/graphql/email-address.ts';
import { IsZone } from '../../../kernel/graphql/is-zone.ts';
import { FREE_FORM, MaxJson } from '../../../kernel/graphql/max-json.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { sortOf } from '../../../kernel/graphql/page.ts';
import { JsonObject } from '../../../kernel/graphql/scalars.ts';
import { AccountStatus } from './account.states.ts';
import { AccountAddress, AccountContact, EMAIL_REASON, PHONE, PHONE_REASON } from './account.values.ts';

const TIER = /^[a-z0-9][a-z0-9_-]{0,49}$/;
const TIER_REASON = 'must have 1 to 50 lower-case letters, digits, underscores and hyphens';

@InputType({ description: 'Account to create.' })
export class AccountCreateInput {
  @Field(() => String, { description: 'Name of the customer, 1 to 200 characters.' })
  @Name(200)
  name!: string;

  @Field(() => String, { description: 'E-mail address of the customer.' })
  @EmailAddress(EMAIL_REASON)
  email!: string;

  @Field(() => String, { nullable: true, description: 'International telephone number, such as +1 212 555 0100.' })
  @IsOptional()
  @Matches(PHONE, { message: PHONE_REASON })
  phone?: string | null;

  @Field(() => AccountContact, { nullable: true, description: 'Person to contact about invoices.' })
  @IsOptional()
  @ValidateNested()
  billingContact?: AccountContact | null;

  @Field(() => AccountContact, { nullable: true, description: 'Person to contact about services.' })
  @IsOptional()
  @ValidateNested()
  technicalContact?: AccountContact | null;

  @Field(() => AccountAddress, { nullable: true, description: 'Postal address for invoices.' })
  @IsOptional()
  @ValidateNested()
  billingAddress?: AccountAddress | null;

  @Field(() => String, { nullable: true, description: 'IANA time zone, such as America/New_York. Default: UTC.' })
  @IsOptional()
  @IsZone()
  timezone?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Your own rank of the customer, such as `gold`. 1 to 50 lower-case letters, digits, underscores and hyphens.',
  })
  @IsOptional()
  @Matches(TIER, { message: TIER_REASON })
  tier?: string | null;

  @Field(() => JsonObject, { nullable: true, description: FREE_FORM })
  @IsOptional()
  @MaxJson()
  metadata?: Record<string, unknown> | null;
}

@InputType({ description: 'Fields to change. Omit a field to keep its value; null clears an optional field.' })
export class AccountUpdateInput {
  @Field(() => String, { nullable: true, description: 'Name of the customer, 1 to 200 characters.' })
  @NotNull()
  @Name(200)
  name?: string;

  @Field(() => String, { nullable: true, description: 'E-mail address of the customer.' })
  @NotNull()
  @EmailAddress(EMAIL_REASON)
  email?: string;

  @Field(() => String, { nullable: true, description: 'International telephone number, such as +1 212 555 0100. Null removes it.' })
  @IsOptional()
  @Matches(PHONE, { message: PHONE_REASON })
  phone?: string | null;

  @Field(() => AccountStatus, {
    nullable: true,
    description: 'New state. An account with live services or open invoices cannot be set to `CLOSED`.',
  })
  @NotNull()
  status?: AccountStatus;

  @Field(() => AccountContact, { nullable: true, description: 'Person to contact about invoices. Null removes the contact.' })
  @IsOptional()
  @ValidateNested()
  billingContact?: AccountContact | null;

  @Field(() => AccountContact, { nullable: true, description: 'Person to contact about services. Null removes the contact.' })
  @IsOptional()
  @ValidateNested()
  technicalContact?: AccountContact | null;

  @Field(() => AccountAddress, { nullable: true, description: 'Postal address for invoices. Null removes the address.' })
  @IsOptional()
  @ValidateNested()
  billingAddress?: AccountAddress | null;

  @Field(() => String, { nullable: true, description: 'IANA time zone, such as America/New_York.' })
  @NotNull()
  @IsZone()
  timezone?: string;

  @Field(() => String, {
    nullable: true,
    description:
      'Your own rank of the customer, such as `gold`. 1 to 50 lower-case letters, digits, underscores and hyphens. Null removes it.',
  })
  @IsOptional()
  @Matches(TIER, { message: TIER_REASON })
  tier?: string | null;

  @Field(() => JsonObject, { nullable: true, description: `${FREE_FORM} Replaces the current object.` })
  @NotNull()
  @MaxJson()
  metadata?: Record<string, unknown>;
}

@InputType({ description: 'Conditions for a list of accounts. An account must meet all of them.' })
export class AccountFilter {
  @Field(() => [ID], { nullable: true, description: 'Only accounts with one of these ids. Unknown ids are ignored.' })
  id?: string[];

  @Field(() => [AccountStatus], { nullable: true })
  status?: AccountStatus[];

  @Field(() => [ID], { nullable: true })
  customerId?: string[];

  @Field(() => Boolean, {
    nullable: true,
    description:
      'True returns only the account of your own organization. False returns only customers. Null returns both; only GraphQL accepts null. Default: only customers, or both if `id` or `customerId` is given.',
  })
  own?: boolean | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only accounts whose name or e-mail address contains this text, ignoring case. 1 to 200 characters.',
  })
  @IsOptional()
  @Characters(1, 200)
  search?: string;

  @Field(() => Date, { nullable: true })
  createdAfter?: Date;

  @Field(() => Date, { nullable: true })
  createdBefore?: Date;
}

export enum AccountSortField {
  CREATED_AT = 'createdAt',
  UPDATED_AT = 'updatedAt',
  NAME = 'name',
  STATUS = 'status',
}
export const AccountSort = sortOf('Account', AccountSortField);
