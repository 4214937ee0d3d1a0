import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { type Page, PageInput, pageOf } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { IdentityContext } from '../context.ts';
import { requireToGrantInput } from '../granting/grant-input.ts';
import { TrustedIssuer } from './trusted-issuer.entity.ts';
import { TrustedIssuerCreateInput, TrustedIssuerUpdateInput } from './trusted-issuer.inputs.ts';

const TrustedIssuerPage = pageOf('TrustedIssuer', TrustedIssuer);

@Resolver(() => TrustedIssuer)
export class TrustedIssuerResolver {
  @Query(() => TrustedIssuer, { nullable: true, description: 'Get a trusted token issuer by id. Null if it does not exist.' })
  @Requires('credentials:read', { scope: 'organization' })
  trustedIssuer(@Arg('id', () => ID) id: string, @Ctx() { trustedIssuers }: IdentityContext): Promise<TrustedIssuer | null> {
    return trustedIssuers.find(id);
  }

  @Query(() => TrustedIssuerPage, { description: 'List trusted token issuers, newest first.' })
  @Requires('credentials:read', { scope: 'organization' })
  trustedIssuers(
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { trustedIssuers }: IdentityContext,
  ): Promise<Page<TrustedIssuer>> {
    return trustedIssuers.list(page ?? {});
  }

  @Mutation(() => TrustedIssuer, {
    description: 'Trust your own authorization server. Its tokens cannot get more permissions than the caller has.',
  })
  @Requires('credentials:admin', { scope: 'organization', secondFactor: true, also: requireToGrantInput })
  createTrustedIssuer(
    @Arg('input', () => TrustedIssuerCreateInput) input: TrustedIssuerCreateInput,
    @Ctx() { trustedIssuers }: IdentityContext,
  ): Promise<TrustedIssuer> {
    return trustedIssuers.create(input);
  }

  @Mutation(() => TrustedIssuer, {
    description: 'Change a trusted token issuer. Omit a field to keep its value. The caller must have all permissions of its tokens.',
  })
  @Requires('credentials:admin', { scope: 'organization', secondFactor: true, also: requireToGrantInput })
  updateTrustedIssuer(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => TrustedIssuerUpdateInput) input: TrustedIssuerUpdateInput,
    @Ctx() { trustedIssuers }: IdentityContext,
  ): Promise<TrustedIssuer> {
    return trustedIssuers.update(id, input);
  }

  @Mutation(() => TrustedIssuer, {
    description: 'Delete a trusted token issuer. Its tokens stop working immediately. Returns the deleted record.',
  })
  @Requires('credentials:admin', { scope: 'organization', secondFactor: true })
  deleteTrustedIssuer(@Arg('id', () => ID) id: string, @Ctx() { trustedIssuers }: IdentityContext): Promise<TrustedIssuer> {
    return trustedIssuers.delete(id);
  }
}
