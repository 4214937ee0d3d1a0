import { ArrayMaxSize, ArrayMinSize, IsOptional, Max, Min, ValidateNested } from 'class-validator';
import { Field, ID, InputType, Int } from 'type-graphql';
import type { Grant } from '../../../kernel/access/principal.ts';
import { MaxCharacters, Name } from '../../../kernel/graphql/characters.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { sortOf } from '../../../kernel/graphql/page.ts';
import { ACCOUNTS_OF_CREDENTIALS, AreAccounts, CHANGED_ACCOUNTS } from '../granting/account-list.ts';
import { AreKeyGrants, KEY_GRANTS_MAX } from '../granting/grants.ts';
import { ApiKeyRateLimit, ApiKeyRestrictionsInput } from './api-key.values.ts';

/**
 * Maximum time for which the old key works after a rotation. After a week, a deployment that still uses the old key
 * fails and is noticed.
 */
const GRACE_MAX_SECONDS = 7 * 86_400;
const GRACE_REASON = `must be between 0 and ${GRACE_MAX_SECONDS} seconds`;

@InputType({ description: 'API key to create.' })
export class ApiKeyCreateInput {
  @Field(() => String, { description: 'Name shown in lists, 1 to 100 characters.' })
  @Name(100)
  name!: string;

  @Field(() => String, { nullable: true, description: 'Free text, at most 1000 characters.' })
  @IsOptional()
  @MaxCharacters(1000)
  description?: string | null;

  @Field(() => [String], {
    description: `Permissions as \`<area>:<action>\`, \`<area>:*\` or \`*:*\`. The caller must have each permission. At most ${KEY_GRANTS_MAX}.`,
  })
  @ArrayMinSize(1, { message: 'must have at least one permission' })
  @ArrayMaxSize(KEY_GRANTS_MAX, { message: `must have at most ${KEY_GRANTS_MAX} permissions` })
  @AreKeyGrants()
  permissions!: Grant[];

  @Field(() => [ID], { nullable: true, description: ACCOUNTS_OF_CREDENTIALS })
  @AreAccounts()
  accounts?: string[] | null;

  @Field(() => ApiKeyRateLimit, { nullable: true, description: 'Limits of this key, in addition to the limits of the plan.' })
  @IsOptional()
  @ValidateNested()
  rateLimit?: ApiKeyRateLimit | null;

  @Field(() => ApiKeyRestrictionsInput, { nullable: true, description: 'Where and when the key works. Default: no restrictions.' })
  @IsOptional()
  @ValidateNested()
  restrictions?: ApiKeyRestrictionsInput | null;

  @Field(() => Boolean, { defaultValue: false, description: 'Whether every request with this key must be signed.' })
  requireSignature: boolean = false;
}

@InputType({ description: 'Fields to change. Omit a field to keep its value.' })
export class ApiKeyUpdateInput {
  @Field(() => String, { nullable: true, description: 'Name shown in lists, 1 to 100 characters.' })
  @NotNull()
  @Name(100)
  name?: string;

  @Field(() => String, { nullable: true, description: 'Free text, at most 1000 characters. Null removes it.' })
  @IsOptional()
  @MaxCharacters(1000)
  description?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: `New permissions. The caller must have each permission. At most ${KEY_GRANTS_MAX}. Replaces the whole list.`,
  })
  @NotNull()
  @ArrayMinSize(1, { message: 'must have at least one permission' })
  @ArrayMaxSize(KEY_GRANTS_MAX, { message: `must have at most ${KEY_GRANTS_MAX} permissions` })
  @AreKeyGrants()
  permissions?: Grant[];

  @Field(() => [ID], { nullable: true, description: CHANGED_ACCOUNTS })
  @AreAccounts()
  accounts?: string[] | null;

  @Field(() => ApiKeyRateLimit, { nullable: true, description: 'Rate limits of this key. Replaces both limits. Null removes both limits.' })
  @IsOptional()
  @ValidateNested()
  rateLimit?: ApiKeyRateLimit | null;

  @Field(() => ApiKeyRestrictionsInput, {
    nullable: true,
    description:
      'Restrictions to change. Omit a restriction to keep it; set it to null to remove it. Null instead of the object removes all restrictions.',
  })
  @IsOptional()
  @ValidateNested()
  restrictions?: ApiKeyRestrictionsInput | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether every request with this key must be signed.' })
  @NotNull()
  requireSignature?: boolean;
}

@InputType({ description: 'Grace period for the old secret.' })
export class ApiKeyRotateInput {
  @Field(() => Int, { nullable: true, description: 'Seconds for which the old secret continues to work, 0 to 604800. Default: 0.' })
  @IsOptional()
  @Min(0, { message: GRACE_REASON })
  @Max(GRACE_MAX_SECONDS, { message: GRACE_REASON })
  gracePeriod?: number | null;
}

export enum ApiKeySortField {
  CREATED_AT = 'createdAt',
  NAME = 'name',
  EXPIRES_AT = 'expiresAt',
  LAST_USED = 'lastUsed',
  USAGE_COUNT = 'usageCount',
}
export const ApiKeySort = sortOf('ApiKey', ApiKeySortField);
