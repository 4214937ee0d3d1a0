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
  @Query(() => SamlConnection, { nullable: true })
  @Requires('credentials:read', { scope: 'organization' })
  samlConnection(@Arg('id', () => ID) id: string, @Ctx() { samlConnections }: IdentityContext): Promise<SamlConnection | null> {
    return samlConnections.find(id);
  }

  @Query(() => SamlConnectionPage)
  @Requires('credentials:read', { scope: 'organization' })
  samlConnections(
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { samlConnections }: IdentityContext,
  ): Promise<Page<SamlConnection>> {
    return samlConnections.list(page ?? {});
  }

  @Mutation(() => SamlConnection)
  @Requires('credentials:create', { scope: 'organization', secondFactor: true, also: requireToGrantInput })
  createSamlConnection(
    @Arg('input', () => SamlConnectionCreateInput) input: SamlConnectionCreateInput,
    @Ctx() { samlConnections }: IdentityContext,
  ): Promise<SamlConnection> {
    return samlConnections.create(input);
  }

  @Mutation(() => SamlConnection)
  @Requires('credentials:write', { scope: 'organization', secondFactor: true, also: requireToGrantInput })
  updateSamlConnection(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => SamlConnectionUpdateInput) input: SamlConnectionUpdateInput,
    @Ctx() { samlConnections }: IdentityContext,
  ): Promise<SamlConnection> {
    return samlConnections.update(id, input);
  }

  @Mutation(() => SamlConnection, { description: 'Answers the connection as it last was. Open sessions stay.' })
  @Requires('credentials:write', { scope: 'organization', secondFactor: true })
  deleteSamlConnection(@Arg('id', () => ID) id: string, @Ctx() { samlConnections }: IdentityContext): Promise<SamlConnection> {
    return samlConnections.delete(id);
  }

  @Mutation(() => SamlConnection, {
    description:
      'Looks for the TXT records of its domains now. They are looked for by themselves too: soon after they were claimed, then less often.',
  })
  @Requires('credentials:write', { scope: 'organization' })
  verifySamlDomains(@Arg('id', () => ID) id: string, @Ctx() { samlConnections }: IdentityContext): Promise<SamlConnection> {
    return samlConnections.verifyDomains(id);
  }

  @FieldResolver(() => [SamlDomainClaim], { description: 'What DNS says of `emailDomains`.' })
  domains(@Root() { id }: SamlConnection, @Ctx() { loaders }: IdentityContext): Promise<SamlDomainClaim[]> {
    return loaders.samlDomainClaims.of('connectionId', id, 'domain');
  }

  @FieldResolver(() => String, { description: 'What the identity provider knows this platform by, for this connection: its audience.' })
  spEntityId(@Root() { id }: SamlConnection, @Ctx() { samlConnections }: IdentityContext): string {
    return samlConnections.addresses.entityIdOf(id);
  }

  @FieldResolver(() => String, { description: 'Where the identity provider sends its answers (HTTP-POST).' })
  acsUrl(@Ctx() { samlConnections }: IdentityContext): string {
    return samlConnections.addresses.acsUrl;
  }

  @FieldResolver(() => String, { description: 'Where a browser begins to sign in by this connection.' })
  signInUrl(@Root() { id }: SamlConnection, @Ctx() { samlConnections }: IdentityContext): string {
    return samlConnections.addresses.signInUrlOf(id);
  }
}
