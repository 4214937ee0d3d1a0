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

@InputType()
export class AccountCreateInput {
  @Field(() => String)
  @Name(200)
  name!: string;

  @Field(() => String)
  @EmailAddress(EMAIL_REASON)
  email!: string;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @Matches(PHONE, { message: PHONE_REASON })
  phone?: string | null;

  @Field(() => AccountContact, { nullable: true })
  @IsOptional()
  @ValidateNested()
  billingContact?: AccountContact | null;

  @Field(() => AccountContact, { nullable: true })
  @IsOptional()
  @ValidateNested()
  technicalContact?: AccountContact | null;

  @Field(() => AccountAddress, { nullable: true })
  @IsOptional()
  @ValidateNested()
  billingAddress?: AccountAddress | null;

  @Field(() => String, { nullable: true, description: 'IANA zone name. Default: UTC.' })
  @IsOptional()
  @IsZone()
  timezone?: string | null;

  @Field(() => String, { nullable: true, description: 'How the organization ranks it, such as `gold`.' })
  @IsOptional()
  @Matches(TIER, { message: TIER_REASON })
  tier?: string | null;

  @Field(() => JsonObject, { nullable: true, description: FREE_FORM })
  @IsOptional()
  @MaxJson()
  metadata?: Record<string, unknown> | null;
}

@InputType({ description: 'What is left out stays as it is; null clears what may be absent.' })
export class AccountUpdateInput {
  @Field(() => String, { nullable: true })
  @NotNull()
  @Name(200)
  name?: string;

  @Field(() => String, { nullable: true })
  @NotNull()
  @EmailAddress(EMAIL_REASON)
  email?: string;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @Matches(PHONE, { message: PHONE_REASON })
  phone?: string | null;

  @Field(() => AccountStatus, { nullable: true, description: 'Closing asks for what deleting does: no live services, no open invoices.' })
  @NotNull()
  status?: AccountStatus;

  @Field(() => AccountContact, { nullable: true })
  @IsOptional()
  @ValidateNested()
  billingContact?: AccountContact | null;

  @Field(() => AccountContact, { nullable: true })
  @IsOptional()
  @ValidateNested()
  technicalContact?: AccountContact | null;

  @Field(() => AccountAddress, { nullable: true })
  @IsOptional()
  @ValidateNested()
  billingAddress?: AccountAddress | null;

  @Field(() => String, { nullable: true })
  @NotNull()
  @IsZone()
  timezone?: string;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @Matches(TIER, { message: TIER_REASON })
  tier?: string | null;

  @Field(() => JsonObject, { nullable: true, description: `Replaces the metadata. ${FREE_FORM}` })
  @NotNull()
  @MaxJson()
  metadata?: Record<string, unknown>;
}

@InputType()
export class AccountFilter {
  @Field(() => [AccountStatus], { nullable: true })
  status?: AccountStatus[];

  @Field(() => [ID], { nullable: true })
  customerId?: string[];

  @Field(() => Boolean, {
    nullable: true,
    description: "True: the organization's own account alone. Default: customers, unless `customerId` names it. Null: all.",
  })
  own?: boolean | null;

  @Field(() => String, { nullable: true, description: 'Part of the name or e-mail address, in any case.' })
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
