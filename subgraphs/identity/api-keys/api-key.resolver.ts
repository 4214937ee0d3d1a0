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
  @Query(() => ApiKeyPage, { description: 'List API keys, newest first. Secrets are not included.' })
  @Requires('credentials:read', { scope: 'organization' })
  apiKeys(
    @Arg('sort', () => [ApiKeySort], { nullable: true }) sort: SortBy[] | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { apiKeys }: IdentityContext,
  ): Promise<Page<ApiKey>> {
    return apiKeys.list(sort ?? [], page ?? {});
  }

  @Query(() => ApiKey, { nullable: true, description: 'Get an API key by id, without its secret. Null if it does not exist.' })
  @Requires('credentials:read', { scope: 'organization' })
  apiKey(@Arg('id', () => ID) id: string, @Ctx() { apiKeys }: IdentityContext): Promise<ApiKey | null> {
    return apiKeys.find(id);
  }

  @Mutation(() => ApiKey, {
    description: 'Create an API key. Only this response shows the secret. The key cannot get more permissions than the caller has.',
  })
  @Requires('credentials:create', { scope: 'organization', secondFactor: true, also: requireToGrantInput })
  createApiKey(@Arg('input', () => ApiKeyCreateInput) input: ApiKeyCreateInput, @Ctx() { apiKeys }: IdentityContext): Promise<ApiKey> {
    return apiKeys.create(input);
  }

  @Mutation(() => ApiKey, {
    description: 'Change an API key. Omit a field to keep its value. The caller must have all permissions of the key.',
  })
  @Requires('credentials:write', { scope: 'organization', secondFactor: true, also: requireToGrantInput })
  updateApiKey(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => ApiKeyUpdateInput) input: ApiKeyUpdateInput,
    @Ctx() { apiKeys }: IdentityContext,
  ): Promise<ApiKey> {
    return apiKeys.update(id, input);
  }

  @Mutation(() => ApiKey, {
    description: 'Replace the secret and signing secret of an API key. Only this response shows them. Everything else stays.',
  })
  @Requires('credentials:write', { scope: 'organization', secondFactor: true })
  rotateApiKey(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => ApiKeyRotateInput, { nullable: true, description: 'Grace period for the old secret. Default: none.' }) input:
      | ApiKeyRotateInput
      | undefined,
    @Ctx() { apiKeys }: IdentityContext,
  ): Promise<ApiKey> {
    return apiKeys.rotate(id, input?.gracePeriod ?? 0);
  }

  @Mutation(() => ApiKey, {
    description: 'Delete an API key. It stops working immediately. Returns the deleted record. A key cannot delete itself.',
  })
  @Requires('credentials:write', { scope: 'organization', secondFactor: true })
  deleteApiKey(@Arg('id', () => ID) id: string, @Ctx() { apiKeys }: IdentityContext): Promise<ApiKey> {
    return apiKeys.delete(id);
  }

  @FieldResolver(() => ApiKeyRestrictions, { description: 'Where and when the key works.' })
  restrictions(@Root() { ipWhitelist, expiresAt, timeWindows, countries }: ApiKey): ApiKeyRestrictions {
    return { ipWhitelist, expiresAt, timeWindows, countries };
  }
}
