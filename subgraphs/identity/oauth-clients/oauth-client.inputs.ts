import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsOptional, IsUrl, Max, Min, ValidateBy } from 'class-validator';
import { Field, ID, InputType, Int } from 'type-graphql';
import { ACTIONS, AREAS, grantOf, grantPattern, isGrant } from '../../../kernel/access/principal.ts';
import { MaxCharacters, Name } from '../../../kernel/graphql/characters.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';
import { NotNull } from '../../../kernel/graphql/not-null.ts';
import { Rule } from '../../../kernel/graphql/rule.ts';
import { ACCOUNTS_OF_CREDENTIALS, AreAccounts, CHANGED_ACCOUNTS } from '../granting/account-list.ts';
import { grantTypeProblems, OAuthGrantType } from './oauth-client-grant-types.ts';
import { IsRedirectUri } from './redirect-uri.ts';

const SCOPES_MAX = AREAS.length * (ACTIONS.length + 1) + 1;
const URIS_MAX = 20;
const GRACE_MAX_S = 30 * 86_400;
const SCOPE_REASON = `must be a list of scopes such as services.read; areas: ${AREAS.join(', ')}; actions: ${ACTIONS.join(', ')}, *`;
const SCOPES_REASON = `must have 1 to ${SCOPES_MAX} scopes`;
const URIS_REASON = `must have at most ${URIS_MAX} addresses`;
const URL_REASON = 'must be an https address';

const isScope = (value: unknown): boolean => typeof value === 'string' && !value.includes(':') && isGrant(grantOf(value));
const IsScope = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isScope', validator: { validate: isScope } },
    { each: true, message: SCOPE_REASON, ...jsonSchema({ pattern: grantPattern('\\.') }) },
  );
const IsHttpsUrl = (): PropertyDecorator =>
  IsUrl({ protocols: ['https'], require_protocol: true, require_tld: false }, { message: URL_REASON });

@InputType({ description: 'OAuth client to create.' })
@Rule<OAuthClientCreateInput>(grantTypeProblems)
export class OAuthClientCreateInput {
  @Field(() => String, { description: 'Name shown to users who are asked for consent, 1 to 100 characters.' })
  @Name(100)
  name!: string;

  @Field(() => String, { nullable: true, description: 'Free text, at most 1000 characters.' })
  @IsOptional()
  @MaxCharacters(1000)
  description?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether the program can keep a secret. Default: true.' })
  isConfidential?: boolean | null;

  @Field(() => [String], {
    nullable: true,
    description: `Redirect URIs to which users are sent back: https, or http on the local machine. Required for \`AUTHORIZATION_CODE\`. At most ${URIS_MAX}.`,
  })
  @IsOptional()
  @ArrayMaxSize(URIS_MAX, { message: URIS_REASON })
  @IsRedirectUri()
  redirectUris?: string[] | null;

  @Field(() => [OAuthGrantType], {
    nullable: true,
    description: 'Grant types that the client can use. Default: `AUTHORIZATION_CODE` and `REFRESH_TOKEN`.',
  })
  @IsOptional()
  @ArrayMinSize(1, { message: 'must have at least one grant type' })
  @ArrayUnique({ message: 'must not repeat a grant type' })
  grantTypes?: OAuthGrantType[] | null;

  @Field(() => [String], {
    description: 'Scopes that the client can request, such as `services.read`. The caller must have the permission of each scope.',
  })
  @ArrayMinSize(1, { message: SCOPES_REASON })
  @ArrayMaxSize(SCOPES_MAX, { message: SCOPES_REASON })
  @IsScope()
  scopes!: string[];

  @Field(() => [ID], { nullable: true, description: ACCOUNTS_OF_CREDENTIALS })
  @AreAccounts()
  accounts?: string[] | null;

  @Field(() => String, { nullable: true, description: 'https address of the website of the program.' })
  @IsOptional()
  @IsHttpsUrl()
  homepageUrl?: string | null;

  @Field(() => String, { nullable: true, description: 'https address of a logo that lists of applications can show.' })
  @IsOptional()
  @IsHttpsUrl()
  logoUrl?: string | null;
}

@InputType({ description: 'Fields to change. Omit a field to keep its value; null clears an optional field.' })
export class OAuthClientUpdateInput {
  @Field(() => String, { nullable: true, description: 'Name shown to users who are asked for consent, 1 to 100 characters.' })
  @NotNull()
  @Name(100)
  name?: string;

  @Field(() => String, { nullable: true, description: 'Free text, at most 1000 characters. Null removes it.' })
  @IsOptional()
  @MaxCharacters(1000)
  description?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: `Redirect URIs: addresses to which users are sent back, at most ${URIS_MAX}. Replaces the whole list.`,
  })
  @NotNull()
  @ArrayMaxSize(URIS_MAX, { message: URIS_REASON })
  @IsRedirectUri()
  redirectUris?: string[];

  @Field(() => [OAuthGrantType], { nullable: true, description: 'Grant types that the client can use. Replaces the whole list.' })
  @NotNull()
  @ArrayMinSize(1, { message: 'must have at least one grant type' })
  @ArrayUnique({ message: 'must not repeat a grant type' })
  grantTypes?: OAuthGrantType[];

  @Field(() => [String], {
    nullable: true,
    description: 'Scopes that the client can request. Replaces the whole list. Existing tokens immediately lose the removed scopes.',
  })
  @NotNull()
  @ArrayMinSize(1, { message: SCOPES_REASON })
  @ArrayMaxSize(SCOPES_MAX, { message: SCOPES_REASON })
  @IsScope()
  scopes?: string[];

  @Field(() => [ID], { nullable: true, description: CHANGED_ACCOUNTS })
  @AreAccounts()
  accounts?: string[] | null;

  @Field(() => String, { nullable: true, description: 'https address of the website of the program. Null removes it.' })
  @IsOptional()
  @IsHttpsUrl()
  homepageUrl?: string | null;

  @Field(() => String, { nullable: true, description: 'https address of a logo that lists of applications can show. Null removes it.' })
  @IsOptional()
  @IsHttpsUrl()
  logoUrl?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'False deactivates the client and permanently revokes all its tokens.' })
  @NotNull()
  active?: boolean;
}

@InputType({ description: 'Grace period for the old secret, and whether to revoke tokens.' })
export class OAuthClientRotateInput {
  @Field(() => Int, { nullable: true, description: `Seconds for which the old secret continues to work, 0 to ${GRACE_MAX_S}. Default: 0.` })
  @IsOptional()
  @Min(0, { message: `must be between 0 and ${GRACE_MAX_S}` })
  @Max(GRACE_MAX_S, { message: `must be between 0 and ${GRACE_MAX_S}` })
  gracePeriod?: number | null;

  @Field(() => Boolean, { nullable: true, description: 'Whether all tokens of the client are also revoked. Default: false.' })
  revokeTokens?: boolean | null;
}
