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

/**
 * Operations of the platform's operator on organizations. Only the query `organization` is for every caller: it returns
 * the caller's own organization.
 */
@Resolver(() => Organization)
export class OperatorResolver {
  @Query(() => Organization, {
    nullable: true,
    description: 'Get any organization by id. For the operator of the platform. Null if it does not exist.',
  })
  @Requires('platform:read', { scope: 'organization' })
  organizationById(@Arg('id', () => ID) id: string, @Ctx() { operator }: IdentityContext): Promise<Organization | null> {
    return operator.find(id);
  }

  @Query(() => OrganizationPage, { description: 'List all organizations, newest first. For the operator of the platform.' })
  @Requires('platform:read', { scope: 'organization' })
  organizations(
    @Arg('filter', () => OrganizationFilter, { nullable: true }) filter: OrganizationFilter | undefined,
    @Arg('sort', () => [OrganizationSort], { nullable: true }) sort: SortBy[] | undefined,
    @Arg('page', () => PageInput, { nullable: true }) page: PageInput | undefined,
    @Ctx() { operator }: IdentityContext,
  ): Promise<Page<Organization>> {
    return operator.list(filter ?? {}, sort ?? [], page ?? {});
  }

  @Mutation(() => Organization, {
    description: 'Create an organization and send an invitation to its first owner. For the operator of the platform.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  createOrganization(
    @Arg('input', () => OrganizationCreateInput) input: OrganizationCreateInput,
    @Ctx() { operator }: IdentityContext,
  ): Promise<Organization> {
    return operator.create(input);
  }

  @Mutation(() => Organization, {
    description:
      'Change the plan of an organization. It takes effect within 5 seconds; usage of the current hour and minute counts against the new limits. For the operator of the platform.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  changeOrganizationPlan(
    @Arg('id', () => ID) id: string,
    @Arg('plan', () => ORGANIZATION_PLANS, { description: 'New plan.' }) plan: Plan,
    @Ctx() { operator }: IdentityContext,
  ): Promise<Organization> {
    return operator.changePlan(id, plan);
  }

  @Mutation(() => Organization, {
    description:
      'Suspend an organization. Within 5 seconds all its credentials are refused with ORGANIZATION_SUSPENDED and its WebSocket connections are closed with code 4403. Its services continue. For the operator of the platform.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  suspendOrganization(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => OrganizationSuspendInput, { nullable: true, description: 'Reason, for the audit records.' }) input:
      | OrganizationSuspendInput
      | undefined,
    @Ctx() { operator }: IdentityContext,
  ): Promise<Organization> {
    return operator.suspend(id, input?.reason ?? undefined);
  }

  @Mutation(() => Organization, {
    description:
      'Close an organization. Within 5 seconds all its credentials are refused with ORGANIZATION_CLOSED and its WebSocket connections are closed with code 4403. Its records are deleted 30 days later. Fails with INVALID_STATE while it has live services or open provisioning requests. For the operator of the platform.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  closeOrganization(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => OrganizationCloseInput, { nullable: true, description: 'Reason, for the audit records.' }) input:
      | OrganizationCloseInput
      | undefined,
    @Ctx() { operator }: IdentityContext,
  ): Promise<Organization> {
    return operator.close(id, input?.reason ?? undefined);
  }

  @Mutation(() => Organization, {
    description:
      'End the suspension of an organization; waiting work continues in order. Also reopens a closed organization until its records are deleted. For the operator of the platform.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  resumeOrganization(@Arg('id', () => ID) id: string, @Ctx() { operator }: IdentityContext): Promise<Organization> {
    return operator.resume(id);
  }

  @Mutation(() => OrganizationExport, {
    description:
      'Start an archive of the records and files of an organization, without secrets. It replaces the previous archive. Get its progress with `organizationExport`. Fails with INVALID_STATE while another archive is being written. For the operator of the platform.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  exportOrganization(
    @Arg('id', () => ID, { description: 'Id of the organization (`org_…`).' }) id: string,
    @Ctx() { operator }: IdentityContext,
  ): Promise<OrganizationExport> {
    return operator.export(id);
  }

  @Query(() => OrganizationExport, {
    nullable: true,
    description: 'Get the newest export of an organization. Null if there is none. For the operator of the platform.',
  })
  @Requires('platform:read', { scope: 'organization' })
  organizationExport(
    @Arg('id', () => ID, { description: 'Id of the organization (`org_…`).' }) id: string,
    @Ctx() { operator }: IdentityContext,
  ): Promise<OrganizationExport | null> {
    return operator.findExport(id);
  }

  @Mutation(() => Organization, {
    description:
      'Remove an e-mail domain from the SAML connection of an organization. Does nothing if no SAML connection of the organization has the domain. For the operator of the platform.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  withdrawSamlDomain(
    @Arg('id', () => ID) id: string,
    @Arg('domain', () => String, { description: 'Domain to remove, such as example.com.' }) domain: string,
    @Ctx() { operator }: IdentityContext,
  ): Promise<Organization> {
    return operator.withdrawSamlDomain(id, domain);
  }

  @Mutation(() => User, { description: "Set the platform permission of a user of the operator's organization." })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  setPlatformAccess(
    @Arg('userId', () => ID, { description: 'Id of the user (`user_…`).' }) userId: string,
    @Arg('access', () => PlatformAccess, { nullable: true, description: 'New permission. Null removes it.' }) access:
      | PlatformAccess
      | undefined,
    @Ctx() { request, platformAccesses }: IdentityContext,
  ): Promise<User> {
    return platformAccesses.set(request, userId, access ?? null);
  }

  @Mutation(() => Organization, {
    description: 'End the review of an organization that exceeded the burst limit repeatedly. For the operator of the platform.',
  })
  @Requires('platform:admin', { scope: 'organization', secondFactor: true })
  clearOrganizationReview(@Arg('id', () => ID) id: string, @Ctx() { operator }: IdentityContext): Promise<Organization> {
    return operator.clearReview(id);
  }
}

@Resolver(() => Organization)
export class OrganizationAccountResolver {
  @FieldResolver(() => ID, {
    nullable: true,
    description:
      "Account of the operator's organization that is invoiced for this organization (`acc_…`). Null for callers of other organizations, and for the operator's own organization.",
  })
  async accountId(@Root() { id }: Organization, @Ctx() { loaders }: IdentityContext): Promise<string | null> {
    // the loader finds only accounts of the caller's organization
    return (await loaders.accounts.one('billedOrganizationId', id))?.id ?? null;
  }
}

@Resolver(() => OrganizationExport)
export class OrganizationExportResolver {
  @FieldResolver(() => String, {
    nullable: true,
    description: 'Address of the archive. A download requires `platform:admin` and a second factor. Null until it is ready.',
  })
  downloadUrl(@Root() { status, organizationId }: OrganizationExport, @Ctx() { origin }: IdentityContext): string | null {
    return status === OrganizationExportStatus.READY ? `${origin}${exportFilePath(organizationId)}` : null;
  }
}
