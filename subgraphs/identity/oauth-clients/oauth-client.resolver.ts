import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { IdentityContext } from '../context.ts';
import { requireToGrantInput } from '../granting/grant-input.ts';
import { OAuthClient } from './oauth-client.entity.ts';
import { OAuthClientCreateInput, OAuthClientRotateInput, OAuthClientUpdateInput } from './oauth-client.inputs.ts';

const OAuthClientPage = pageOf('OAuthClient', OAuthClient);

@Resolver(() => OAuthClient)
export class OAuthClientResolver {
  @Query(() => OAuthClientPage, { description: 'List OAuth clients, newest first. Secrets are not included.' })
  @Requires('credentials:read', { scope: 'organization' })
  oauthClients(
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { oauthClients }: IdentityContext,
  ): Promise<Page<OAuthClient>> {
    return oauthClients.list(page ?? {});
  }

  @Query(() => OAuthClient, { nullable: true, description: 'Get an OAuth client by id, without its secret. Null if it does not exist.' })
  @Requires('credentials:read', { scope: 'organization' })
  oauthClient(@Arg('id', () => ID) id: string, @Ctx() { oauthClients }: IdentityContext): Promise<OAuthClient | null> {
    return oauthClients.find(id);
  }

  @Mutation(() => OAuthClient, {
    description: 'Create an OAuth client. Only this response shows its secret. It cannot get more permissions than the caller has.',
  })
  @Requires('credentials:create', { scope: 'organization', secondFactor: true, also: requireToGrantInput })
  createOAuthClient(
    @Arg('input', () => OAuthClientCreateInput) input: OAuthClientCreateInput,
    @Ctx() { oauthClients }: IdentityContext,
  ): Promise<OAuthClient> {
    return oauthClients.create(input);
  }

  @Mutation(() => OAuthClient, { description: 'Change an OAuth client. Omit a field to keep its value.' })
  @Requires('credentials:write', { scope: 'organization', secondFactor: true, also: requireToGrantInput })
  updateOAuthClient(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => OAuthClientUpdateInput) input: OAuthClientUpdateInput,
    @Ctx() { oauthClients }: IdentityContext,
  ): Promise<OAuthClient> {
    return oauthClients.update(id, input);
  }

  @Mutation(() => OAuthClient, { description: 'Replace the secret of an OAuth client. Only this response shows the new secret.' })
  @Requires('credentials:write', { scope: 'organization', secondFactor: true })
  rotateOAuthClientSecret(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => OAuthClientRotateInput, {
      nullable: true,
      description: 'Grace period for the old secret, and whether to revoke tokens. Default: no grace period, and tokens are not revoked.',
    })
    input: OAuthClientRotateInput | undefined,
    @Ctx() { oauthClients }: IdentityContext,
  ): Promise<OAuthClient> {
    return oauthClients.rotateSecret(id, input ?? {});
  }

  @Mutation(() => OAuthClient, { description: 'Delete an OAuth client. Its tokens stop working immediately. Returns the deleted record.' })
  @Requires('credentials:write', { scope: 'organization', secondFactor: true })
  deleteOAuthClient(@Arg('id', () => ID) id: string, @Ctx() { oauthClients }: IdentityContext): Promise<OAuthClient> {
    return oauthClients.remove(id);
  }
}
