import type { FilterQuery } from '@mikro-orm/core';
import type { Plan } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { NEWEST_FIRST, type Page, type PageInput, type SortBy } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import { containing, matching } from '../../../kernel/records/where.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { Account } from '../accounts/account.entity.ts';
import { type AuditTrail, byCaller } from '../audit/audit-trail.ts';
import type { ChangeFeed } from '../authentication/change-feed.ts';
import { insertOrganization } from '../create-organization.ts';
import { Organization } from '../organizations/organization.entity.ts';
import { OperatorsOwn } from '../organizations/organization.errors.ts';
import { OrganizationStatus } from '../organizations/organization.states.ts';
import type { PasswordService } from '../passwords/password.service.ts';
import type { SamlDomains } from '../saml-domains/saml-domains.ts';
import { recordPlan } from '../usage/plan-days.ts';
import { UserRole, UserStatus } from '../user.states.ts';
import { User } from '../users/user.entity.ts';
import { withoutLogin } from '../users/user-login-name.ts';
import type { FirstAdministratorInput, OrganizationCreateInput, OrganizationFilter } from './operator.inputs.ts';
import type { OrganizationClosing } from './organization-closing.ts';
import type { OrganizationExport } from './organization-export.entity.ts';
import type { OrganizationExports } from './organization-exports.ts';

export interface OperatorServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  trail: AuditTrail;
  feed: ChangeFeed;
  passwords: PasswordService;
  samlDomains: SamlDomains;
  closing: OrganizationClosing;
  exports: OrganizationExports;
}

/**
 * Manages the plan and status of all organizations for the operator of the platform. Gives no access to the records of
 * the organizations.
 */
export class OperatorService {
  constructor(private readonly deps: OperatorServiceDeps) {}

  find(id: string): Promise<Organization | null> {
    return this.deps.em.findOne(Organization, { id });
  }

  list(filter: OrganizationFilter, sort: SortBy[], page: PageInput): Promise<Page<Organization>> {
    return listPage(this.deps.em, Organization, { where: whereOf(filter), sort, page, defaultSort: NEWEST_FIRST });
  }

  /** Creates an organization and mails its first owner an invitation with a link to choose a password. */
  create({ name, plan, administrator }: OrganizationCreateInput): Promise<Organization> {
    const { em, clock } = this.deps;
    return em.transactional(async (tx) => {
      const { organization, account } = await insertOrganization(tx, { name, plan }, clock.now());
      await this.#invite(tx, account, administrator);
      await this.#audit(tx, organization, 'organization_created', `plan ${plan}`);
      return organization;
    });
  }

  /**
   * Changes the plan. The change takes effect in every process within 5 s. Requests that were already counted in the
   * current hour and minute count against the new limits.
   * @throws ResourceNotFound
   */
  changePlan(id: string, plan: Plan): Promise<Organization> {
    return this.#change(id, async (tx, organization) => {
      if (organization.plan === plan) return;
      const before = organization.plan;
      organization.plan = plan;
      await recordPlan(tx, organization.id, { before, plan }, this.deps.clock.now());
      await this.#audit(tx, organization, 'organization_plan_changed', `plan ${before} to ${plan}`);
    });
  }

  /**
   * Suspends an organization. All credentials of the organization are refused within 5 s. Deliveries and some jobs wait
   * (docs/decisions/operators.md). The organization's services keep running.
   * @throws ResourceNotFound, InvalidState
   */
  suspend(id: string, reason: string | undefined): Promise<Organization> {
    return this.#move(id, OrganizationStatus.SUSPENDED, 'organization_suspended', reason);
  }

  /**
   * Closes an organization. All credentials of the organization are refused within 5 s. Its records are deleted after a
   * grace period.
   * @throws ResourceNotFound, InvalidState, OrganizationInUse
   */
  async close(id: string, reason: string | undefined): Promise<Organization> {
    const { closing } = this.deps;
    this.#requireMove(orNotFound(await this.find(id), 'organization', id), OrganizationStatus.CLOSED);
    await closing.requireUnused(id);
    return this.#move(id, OrganizationStatus.CLOSED, 'organization_closed', reason, (tx, before) => closing.confirmLater(tx, id, before));
  }

  /**
   * Ends a suspension, or reopens a closed organization before the deletion of its records begins. Jobs that waited
   * continue. Deliveries that waited are sent in the order of the event log.
   * @throws ResourceNotFound, InvalidState
   */
  resume(id: string): Promise<Organization> {
    return this.#move(id, OrganizationStatus.ACTIVE, 'organization_resumed');
  }

  #move(
    id: string,
    status: OrganizationStatus,
    eventType: string,
    detail?: string,
    besides?: (tx: EntityManager, before: OrganizationStatus) => Promise<void>,
  ): Promise<Organization> {
    return this.#change(id, async (tx, organization) => {
      this.#requireMove(organization, status);
      const { status: before } = organization;
      organization.moveTo(status, this.deps.clock.now());
      await this.#audit(tx, organization, eventType, detail);
      await besides?.(tx, before);
    });
  }

  #requireMove(organization: Organization, status: OrganizationStatus): void {
    if (organization.operator) throw new OperatorsOwn(status);
    organization.requireMove(status);
  }

  /**
   * Requests an export of an organization's records. A job writes the export.
   * @throws ResourceNotFound, ExportRunning
   */
  export(id: string): Promise<OrganizationExport> {
    const { em, exports } = this.deps;
    return em.transactional(async (tx) => {
      const organization = orNotFound(await tx.findOne(Organization, { id }, LOCKED), 'organization', id);
      const begun = await exports.begin(tx, organization);
      await this.#audit(tx, organization, 'organization_exported', `export ${begun.id}`);
      return begun;
    });
  }

  /**
   * Returns the newest export of an organization. Returns null if there is no export.
   * @throws ResourceNotFound if there is no such organization
   */
  async findExport(id: string): Promise<OrganizationExport | null> {
    orNotFound(await this.find(id), 'organization', id);
    return this.deps.exports.newestOf(id);
  }

  /** Writes an audit record of the download of an archive. */
  async auditDownload({ id, organizationId }: OrganizationExport): Promise<void> {
    await this.deps.em.transactional(async (tx) => {
      const organization = await tx.findOneOrFail(Organization, { id: organizationId });
      await this.#audit(tx, organization, 'organization_export_downloaded', `export ${id}`);
    });
  }

  /**
   * Ends the review that began because an organization exceeded the burst limit repeatedly. Does nothing if the
   * organization is not under review.
   * @throws ResourceNotFound
   */
  clearReview(id: string): Promise<Organization> {
    return this.#change(id, async (tx, organization) => {
      if (!organization.underReviewSince) return;
      organization.clearReview();
      await this.#audit(tx, organization, 'organization_review_cleared');
    });
  }

  /**
   * Removes an organization's claim to an e-mail domain. Does nothing if the organization does not claim the domain.
   * @throws ResourceNotFound
   */
  withdrawSamlDomain(id: string, domain: string): Promise<Organization> {
    return this.#change(id, async (tx, organization) => {
      const isWithdrawn = await this.deps.samlDomains.withdraw(tx, id, domain.toLowerCase());
      if (isWithdrawn) await this.#audit(tx, organization, 'saml_domain_withdrawn', domain.toLowerCase());
    });
  }

  /**
   * Locks an organization and changes it. The change takes effect in this process before the response, and in all
   * processes within seconds.
   */
  async #change(id: string, act: (tx: EntityManager, organization: Organization) => Promise<void>): Promise<Organization> {
    const changed = await this.deps.em.transactional(async (tx) => {
      const organization = orNotFound(await tx.findOne(Organization, { id }, LOCKED), 'organization', id);
      await act(tx, organization);
      return organization;
    });
    this.deps.feed.changed(id);
    return changed;
  }

  async #invite(tx: EntityManager, { id: accountId, organizationId }: Account, { name, email }: FirstAdministratorInput): Promise<void> {
    const now = this.deps.clock.now();
    const id = newId('user');
    const owner = Object.assign(new User(), {
      id,
      organizationId,
      accountId,
      email: email.toLowerCase(),
      loginName: withoutLogin(id),
      name,
      role: UserRole.OWNER,
      status: UserStatus.INVITED,
      createdAt: now,
      updatedAt: now,
    });
    await tx.persist(owner).flush();
    await this.deps.passwords.invite(tx, owner);
  }

  /**
   * Writes an audit record for the operator's organization and one for the changed organization. Only the operator's
   * record names the caller.
   */
  async #audit(tx: EntityManager, { id, operator }: Organization, eventType: string, detail?: string): Promise<void> {
    const { trail, request } = this.deps;
    const because = (...parts: (string | undefined)[]): string => parts.filter(Boolean).join('; ');
    await trail.recordBy(request, { eventType, reason: because(`organization ${id}`, detail, byCaller(request.principal)) }, tx);
    if (!operator) await trail.record({ eventType, organizationId: id, reason: because('by the operator', detail) }, tx);
  }
}

function whereOf({ plan, status, underReview, search }: OrganizationFilter): FilterQuery<Organization> {
  const review = underReview === undefined || underReview === null ? undefined : underReview ? { $ne: null } : { $eq: null };
  return matching<Organization>({ plan, status, underReviewSince: review, name: search ? containing(search) : undefined });
}
