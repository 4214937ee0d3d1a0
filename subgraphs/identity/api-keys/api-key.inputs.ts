import { ArrayMaxSize, ArrayMinSize, IsOptional, Max, Min, ValidateNested } from 'class-validator';
import { Field, ID, InputType, Int } from 'type-graphql';
import type { Grant } from '../../../kernel/access/principal.ts';
import { MaxCharacters, Name } from '../../../kernel/graphql/characters.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { sortOf } from '../../../kernel/graphql/page.ts';
import { ACCOUNTS_OF_CREDENTIALS, AreAccounts, CHANGED_ACCOUNTS } from '../granting/account-list.ts';
import { AreKeyGrants, KEY_GRANTS_MAX } from '../granting/grants.ts';
import { ApiKeyRateLimit, ApiKeyRestrictionsInput } from './api-key.values.ts';

/** How long the old text of a key may go on working: a deployment that is forgotten is found within a week. */
const GRACE_MAX_SECONDS = 7 * 86_400;
const GRACE_REASON = `must be between 0 and ${GRACE_MAX_SECONDS} seconds`;

@InputType()
export class ApiKeyCreateInput {
  @Field(() => String)
  @Name(100)
  name!: string;

  @Field(() => String, { nullable: true })
  @IsOptional()
  @MaxCharacters(1000)
  description?: string | null;

  @Field(() => [String], { description: "None beyond the caller's own." })
  @ArrayMinSize(1, { message: 'must hold at least one permission' })
  @ArrayMaxSize(KEY_GRANTS_MAX, { message: `must hold at most ${KEY_GRANTS_MAX} permissions` })
  @AreKeyGrants()
  permissions!: Grant[];

  @Field(() => [ID], { nullable: true, description: ACCOUNTS_OF_CREDENTIALS })
  @AreAccounts()
  accounts?: string[] | null;

  @Field(() => ApiKeyRateLimit, { nullable: true })
  @IsOptional()
  @ValidateNested()
  rateLimit?: ApiKeyRateLimit | null;

  @Field(() => ApiKeyRestrictionsInput, { nullable: true })
  @IsOptional()
  @ValidateNested()
  restrictions?: ApiKeyRestrictionsInput | null;

  @Field(() => Boolean, { defaultValue: false, description: 'Whether every request with it must be signed.' })
  requireSignature: boolean = false;
}

@InputType()
export class ApiKeyUpdateInput {
  @Field(() => String, { nullable: true })
  @NotNull()
  @Name(100)
  name?: string;

  @Field(() => String, { nullable: true, description: 'null removes it.' })
  @IsOptional()
  @MaxCharacters(1000)
  description?: string | null;

  @Field(() => [String], { nullable: true, description: "Replaces the permissions. None beyond the caller's own." })
  @NotNull()
  @ArrayMinSize(1, { message: 'must hold at least one permission' })
  @ArrayMaxSize(KEY_GRANTS_MAX, { message: `must hold at most ${KEY_GRANTS_MAX} permissions` })
  @AreKeyGrants()
  permissions?: Grant[];

  @Field(() => [ID], { nullable: true, description: CHANGED_ACCOUNTS })
  @AreAccounts()
  accounts?: string[] | null;

  @Field(() => ApiKeyRateLimit, { nullable: true, description: 'Replaces the limit; null removes it.' })
  @IsOptional()
  @ValidateNested()
  rateLimit?: ApiKeyRateLimit | null;

  @Field(() => ApiKeyRestrictionsInput, {
    nullable: true,
    description: 'What is left out of it keeps its value; null for one removes that one, null for all removes all.',
  })
  @IsOptional()
  @ValidateNested()
  restrictions?: ApiKeyRestrictionsInput | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether every request with it must be signed.' })
  @NotNull()
  requireSignature?: boolean;
}

@InputType()
export class ApiKeyRotateInput {
  @Field(() => Int, { nullable: true, description: 'Seconds for which the old key goes on working: 0, which is the default, to 604800.' })
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
