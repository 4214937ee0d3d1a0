import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import { type Page, PageInput, pageOf, type SortBy } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { IdentityContext } from '../context.ts';
import { requireToGrantInput } from '../granting/grant-input.ts';
import { Certificate } from './certificate.entity.ts';
import { CertificateRegisterInput, CertificateSort } from './certificate.inputs.ts';
import { CertificateValidity } from './certificate.states.ts';

const CertificatePage = pageOf('Certificate', Certificate);

@Resolver(() => Certificate)
export class CertificateResolver {
  @Query(() => Certificate, { nullable: true, description: 'Get a client certificate by id. Null if it does not exist.' })
  @Requires('credentials:read', { scope: 'organization' })
  certificate(@Arg('id', () => ID) id: string, @Ctx() { certificates }: IdentityContext): Promise<Certificate | null> {
    return certificates.find(id);
  }

  @Query(() => CertificatePage, { description: 'List client certificates, newest first.' })
  @Requires('credentials:read', { scope: 'organization' })
  certificates(
    @Arg('sort', () => [CertificateSort], { nullable: true }) sort: SortBy[] | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { certificates }: IdentityContext,
  ): Promise<Page<Certificate>> {
    return certificates.list(sort ?? [], page ?? {});
  }

  @Mutation(() => Certificate, { description: 'Register a client certificate. It cannot get more permissions than the caller has.' })
  @Requires('credentials:create', { scope: 'organization', secondFactor: true, also: requireToGrantInput })
  registerCertificate(
    @Arg('input', () => CertificateRegisterInput, { description: 'Certificate and its permissions.' }) input: CertificateRegisterInput,
    @Ctx() { certificates }: IdentityContext,
  ): Promise<Certificate> {
    return certificates.register(input);
  }

  @Mutation(() => Certificate, {
    description: 'Revoke a client certificate. The record stays, and the certificate cannot be registered again.',
  })
  @Requires('credentials:write', { scope: 'organization', secondFactor: true })
  revokeCertificate(@Arg('id', () => ID) id: string, @Ctx() { certificates }: IdentityContext): Promise<Certificate> {
    return certificates.revoke(id);
  }

  @FieldResolver(() => CertificateValidity, { description: 'Whether the certificate is valid now. Only valid certificates are accepted.' })
  validity(@Root() certificate: Certificate, @Ctx() { certificates }: IdentityContext): CertificateValidity {
    return certificates.validityOf(certificate);
  }
}
