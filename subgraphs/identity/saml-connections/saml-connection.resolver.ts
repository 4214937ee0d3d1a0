import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { IdentityContext } from '../context.ts';
import { requireToGrantInput } from '../granting/grant-input.ts';
import { SamlDomainClaim } from '../saml-domains/saml-domain-claim.entity.ts';
import { SamlConnection } from './saml-connection.entity.ts';
import { SamlConnectionCreateInput, SamlConnectionUpdateInput } from './saml-connection.inputs.ts';

const SamlConnectionPage = pageOf('SamlConnection', SamlConnection);

@Resolver(() => SamlConnection)
export class SamlConnectionResolver {
  @Query(() => SamlConnection, { nullable: true, description: 'Get a SAML connection by id. Null if it does not exist.' })
  @Requires('credentials:read', { scope: 'organization' })
  samlConnection(@Arg('id', () => ID) id: string, @Ctx() { samlConnections }: IdentityContext): Promise<SamlConnection | null> {
    return samlConnections.find(id);
  }

  @Query(() => SamlConnectionPage, { description: 'List SAML connections, newest first.' })
  @Requires('credentials:read', { scope: 'organization' })
  samlConnections(
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { samlConnections }: IdentityContext,
  ): Promise<Page<SamlConnection>> {
    return samlConnections.list(page ?? {});
  }

  @Mutation(() => SamlConnection, {
    description: 'Create a SAML connection. It cannot give a role with more permissions than the caller has.',
  })
  @Requires('credentials:create', { scope: 'organization', secondFactor: true, also: requireToGrantInput })
  createSamlConnection(
    @Arg('input', () => SamlConnectionCreateInput) input: SamlConnectionCreateInput,
    @Ctx() { samlConnections }: IdentityContext,
  ): Promise<SamlConnection> {
    return samlConnections.create(input);
  }

  @Mutation(() => SamlConnection, { description: 'Change a SAML connection. Omit a field to keep its value.' })
  @Requires('credentials:write', { scope: 'organization', secondFactor: true, also: requireToGrantInput })
  updateSamlConnection(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => SamlConnectionUpdateInput) input: SamlConnectionUpdateInput,
    @Ctx() { samlConnections }: IdentityContext,
  ): Promise<SamlConnection> {
    return samlConnections.update(id, input);
  }

  @Mutation(() => SamlConnection, { description: 'Delete a SAML connection. Returns the deleted record. Open sessions continue.' })
  @Requires('credentials:write', { scope: 'organization', secondFactor: true })
  deleteSamlConnection(@Arg('id', () => ID) id: string, @Ctx() { samlConnections }: IdentityContext): Promise<SamlConnection> {
    return samlConnections.delete(id);
  }

  @Mutation(() => SamlConnection, {
    description:
      'Query DNS for the TXT records of the e-mail domains now. The platform also does this automatically: soon after a domain was added, and less often afterwards.',
  })
  @Requires('credentials:write', { scope: 'organization' })
  verifySamlDomains(@Arg('id', () => ID) id: string, @Ctx() { samlConnections }: IdentityContext): Promise<SamlConnection> {
    return samlConnections.verifyDomains(id);
  }

  @FieldResolver(() => [SamlDomainClaim], { description: 'Proof of each e-mail domain.' })
  domains(@Root() { id }: SamlConnection, @Ctx() { loaders }: IdentityContext): Promise<SamlDomainClaim[]> {
    return loaders.samlDomainClaims.of('connectionId', id, 'domain');
  }

  @FieldResolver(() => String, {
    description: 'Entity id (audience) of the platform for this connection. Configure it at the identity provider.',
  })
  spEntityId(@Root() { id }: SamlConnection, @Ctx() { samlConnections }: IdentityContext): string {
    return samlConnections.addresses.entityIdOf(id);
  }

  @FieldResolver(() => String, {
    description: 'Address for responses of the identity provider (HTTP-POST binding). Configure it at the identity provider.',
  })
  acsUrl(@Ctx() { samlConnections }: IdentityContext): string {
    return samlConnections.addresses.acsUrl;
  }

  @FieldResolver(() => String, { description: 'Web page on which users start to sign in through this connection.' })
  signInUrl(@Root() { id }: SamlConnection, @Ctx() { samlConnections }: IdentityContext): string {
    return samlConnections.addresses.signInUrlOf(id);
  }
}
