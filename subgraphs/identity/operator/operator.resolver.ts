import { Arg, Ctx, FieldResolver, ID, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { Plan } from '../../../kernel/access/principal.ts';
import { type Page, PageInput, pageOf, type SortBy } from '../../../kernel/graphql/page.ts';
import { Requires } from '../../../kernel/graphql/requires.ts';
import type { IdentityContext } from '../context.ts';
import { ORGANIZATION_PLANS, Organization } from '../organizations/organization.entity.ts';
import { PlatformAccess } from '../user.states.ts';
import { User } from '../users/user.entity.ts';
import {
  OrganizationCloseInput,
  OrganizationCreateInput,
  OrganizationFilter,
  OrganizationSort,
  OrganizationSuspendInput,
} from './operator.inputs.ts';
import { OrganizationExport, OrganizationExportStatus } from './organization-export.entity.ts';
import { exportFilePath } from './organization-export-paths.ts';

const OrganizationPage = pageOf('Organization', Organization);

/** What the operator of the platform does about organizations; `organization` is everybody's own. */
@Resolver(() => Organization)
export class OperatorResolver {
  @Query(() => Organization, { nullable: true, description: 'Any organization, for the operator of the platform.' })
  @Requires('platform:read', { scope: 'organization' })
  organizationById(@Arg('id', () => ID) id: string, @Ctx() { operator }: IdentityContext): Promise<Organization | null> {
    return operator.find(id);
  }

  @Query(() => OrganizationPage, { description: 'All organizations, for the operator of the platform.' })
  @Requires('platform:read', { scope: 'organization' })
  organizations(
    @Arg('filter', () => OrganizationFilter, { nullable: true }) filter: OrganizationFilter | undefined,
    @Arg('sort', () => [OrganizationSort], { nullable: true }) sort: SortBy[] | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { operator }: IdentityContext,
  ): Promise<Page<Organization>> {
    return operator.list(filter ?? {}, sort ?? [], page ?? {});
  }

  @Mutation(() => Organization, { description: 'Mails an invitation to its first owner.' })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  createOrganization(
    @Arg('input', () => OrganizationCreateInput) input: OrganizationCreateInput,
    @Ctx() { operator }: IdentityContext,
  ): Promise<Organization> {
    return operator.create(input);
  }

  @Mutation(() => Organization, {
    description: 'Counts everywhere within 5 seconds. What was counted in this hour and minute counts against the new limits.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  changeOrganizationPlan(
    @Arg('id', () => ID) id: string,
    @Arg('plan', () => ORGANIZATION_PLANS) plan: Plan,
    @Ctx() { operator }: IdentityContext,
  ): Promise<Organization> {
    return operator.changePlan(id, plan);
  }

  @Mutation(() => Organization, {
    description:
      'Refuses all its credentials within 5 seconds with 403 ORGANIZATION_SUSPENDED and closes its sockets (4403). Its services run on.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  suspendOrganization(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => OrganizationSuspendInput, { nullable: true }) input: OrganizationSuspendInput | undefined,
    @Ctx() { operator }: IdentityContext,
  ): Promise<Organization> {
    return operator.suspend(id, input?.reason ?? undefined);
  }

  @Mutation(() => Organization, {
    description:
      'Refuses all its credentials within 5 seconds with 403 ORGANIZATION_CLOSED and closes its sockets (4403). Its records are deleted 30 days later (`deleteAfter`). 409 while services live or provisioning requests are open: `details` names the first of them.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  closeOrganization(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => OrganizationCloseInput, { nullable: true }) input: OrganizationCloseInput | undefined,
    @Ctx() { operator }: IdentityContext,
  ): Promise<Organization> {
    return operator.close(id, input?.reason ?? undefined);
  }

  @Mutation(() => Organization, {
    description: 'Ends a suspension: what waited goes on in order. Reopens a closed organization until its records are deleted.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  resumeOrganization(@Arg('id', () => ID) id: string, @Ctx() { operator }: IdentityContext): Promise<Organization> {
    return operator.resume(id);
  }

  @Mutation(() => OrganizationExport, {
    description:
      'Begins an archive of its records and files, without secrets, in place of the last one; `organizationExport` says how far it is. 409 while one is being written.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  exportOrganization(@Arg('id', () => ID) id: string, @Ctx() { operator }: IdentityContext): Promise<OrganizationExport> {
    return operator.export(id);
  }

  @Query(() => OrganizationExport, { nullable: true, description: 'The newest export of an organization.' })
  @Requires('platform:read', { scope: 'organization' })
  organizationExport(@Arg('id', () => ID) id: string, @Ctx() { operator }: IdentityContext): Promise<OrganizationExport | null> {
    return operator.findExport(id);
  }

  @Mutation(() => Organization, {
    description: 'Takes an e-mail domain from the SAML connection of an organization that claims it. Nothing where none does.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  withdrawSamlDomain(
    @Arg('id', () => ID) id: string,
    @Arg('domain', () => String) domain: string,
    @Ctx() { operator }: IdentityContext,
  ): Promise<Organization> {
    return operator.withdrawSamlDomain(id, domain);
  }

  @Mutation(() => User, { description: "What a user of the operator's organization may do of the platform; null takes it away." })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  setPlatformAccess(
    @Arg('userId', () => ID) userId: string,
    @Arg('access', () => PlatformAccess, { nullable: true }) access: PlatformAccess | undefined,
    @Ctx() { request, platformAccesses }: IdentityContext,
  ): Promise<User> {
    return platformAccesses.set(request, userId, access ?? null);
  }

  @Mutation(() => Organization, { description: 'Ends the review that exceeding the burst limit again and again has begun.' })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  clearOrganizationReview(@Arg('id', () => ID) id: string, @Ctx() { operator }: IdentityContext): Promise<Organization> {
    return operator.clearReview(id);
  }
}

@Resolver(() => OrganizationExport)
export class OrganizationExportResolver {
  @FieldResolver(() => String, {
    nullable: true,
    description: 'Where the archive is, for who holds platform:admin and shows a second factor; null until it is ready.',
  })
  downloadUrl(@Root() { status, organizationId }: OrganizationExport, @Ctx() { origin }: IdentityContext): string | null {
    return status === OrganizationExportStatus.READY ? `${origin}${exportFilePath(organizationId)}` : null;
  }
}
