import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf, type SortBy } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { IdentityContext } from '../context.ts';
import { requireToGrantInput } from '../granting/grant-input.ts';
import { ApiKey } from './api-key.entity.ts';
import { ApiKeyCreateInput, ApiKeyRotateInput, ApiKeySort, ApiKeyUpdateInput } from './api-key.inputs.ts';
import { ApiKeyRestrictions } from './api-key.values.ts';

const ApiKeyPage = pageOf('ApiKey', ApiKey);

@Resolver(() => ApiKey)
export class ApiKeyResolver {
  @Query(() => ApiKeyPage)
  @Requires('credentials:read', { scope: 'organization' })
  apiKeys(
    @Arg('sort', () => [ApiKeySort], { nullable: true }) sort: SortBy[] | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { apiKeys }: IdentityContext,
  ): Promise<Page<ApiKey>> {
    return apiKeys.list(sort ?? [], page ?? {});
  }

  @Query(() => ApiKey, { nullable: true })
  @Requires('credentials:read', { scope: 'organization' })
  apiKey(@Arg('id', () => ID) id: string, @Ctx() { apiKeys }: IdentityContext): Promise<ApiKey | null> {
    return apiKeys.find(id);
  }

  @Mutation(() => ApiKey)
  @Requires('credentials:create', { scope: 'organization', secondFactor: true, also: requireToGrantInput })
  createApiKey(@Arg('input', () => ApiKeyCreateInput) input: ApiKeyCreateInput, @Ctx() { apiKeys }: IdentityContext): Promise<ApiKey> {
    return apiKeys.create(input);
  }

  @Mutation(() => ApiKey, { description: 'What is left out keeps its value. Only who holds all that the key holds may change it.' })
  @Requires('credentials:write', { scope: 'organization', secondFactor: true, also: requireToGrantInput })
  updateApiKey(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => ApiKeyUpdateInput) input: ApiKeyUpdateInput,
    @Ctx() { apiKeys }: IdentityContext,
  ): Promise<ApiKey> {
    return apiKeys.update(id, input);
  }

  @Mutation(() => ApiKey, { description: 'Gives the key another text and signing secret, shown in this answer only. All else stays.' })
  @Requires('credentials:write', { scope: 'organization', secondFactor: true })
  rotateApiKey(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => ApiKeyRotateInput, { nullable: true }) input: ApiKeyRotateInput | undefined,
    @Ctx() { apiKeys }: IdentityContext,
  ): Promise<ApiKey> {
    return apiKeys.rotate(id, input?.gracePeriod ?? 0);
  }

  @Mutation(() => ApiKey, { description: 'Ends the key at once, and answers its last state. A key does not delete itself.' })
  @Requires('credentials:write', { scope: 'organization', secondFactor: true })
  deleteApiKey(@Arg('id', () => ID) id: string, @Ctx() { apiKeys }: IdentityContext): Promise<ApiKey> {
    return apiKeys.delete(id);
  }

  @FieldResolver(() => ApiKeyRestrictions)
  restrictions(@Root() { ipWhitelist, expiresAt, timeWindows, countries }: ApiKey): ApiKeyRestrictions {
    return { ipWhitelist, expiresAt, timeWindows, countries };
  }
}
