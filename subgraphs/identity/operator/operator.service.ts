import type { FilterQuery } from '@mikro-orm/core';
import type { Plan } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { NEWEST_FIRST, type Page, type PageInput, type SortBy } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { existing, LOCKED } from '../../../kernel/records/records.ts';
import { containing, matching } from '../../../kernel/records/where.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { type AuditTrail, byCaller } from '../audit/audit.trail.ts';
import type { ChangeFeed } from '../authentication/change.feed.ts';
import { found } from '../organization.founding.ts';
import { Organization } from '../organizations/organization.entity.ts';
import { OperatorsOwn } from '../organizations/organization.errors.ts';
import { OrganizationStatus } from '../organizations/organization.states.ts';
import type { PasswordService } from '../passwords/password.service.ts';
import type { SamlDomains } from '../saml-domains/saml-domains.ts';
import { UserRole, UserStatus } from '../user.states.ts';
import { User } from '../users/user.entity.ts';
import { withoutLogin } from '../users/user.login-name.ts';
import type { FirstAdministratorInput, OrganizationCreateInput, OrganizationFilter } from './operator.inputs.ts';

export interface OperatorServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  trail: AuditTrail;
  feed: ChangeFeed;
  passwords: PasswordService;
  samlDomains: SamlDomains;
}

/** All organizations, for the operator of the platform: their plans and whether they may be used, and none of their records. */
export class OperatorService {
  constructor(private readonly deps: OperatorServiceDeps) {}

  find(id: string): Promise<Organization | null> {
    return this.deps.em.findOne(Organization, { id });
  }

  list(filter: OrganizationFilter, sort: SortBy[], page: PageInput): Promise<Page<Organization>> {
    return listPage(this.deps.em, Organization, { where: whereOf(filter), sort, page, defaultSort: NEWEST_FIRST });
  }

  /** Its first owner is invited by mail, as `inviteUser` does it. */
  create({ name, plan, administrator }: OrganizationCreateInput): Promise<Organization> {
    const { em, clock } = this.deps;
    return em.transactional(async (tx) => {
      const organization = found(tx, { name, plan }, clock.now());
      await tx.flush();
      await this.#invite(tx, organization, administrator);
      await this.#audit(tx, organization, 'organization_created', `plan ${plan}`);
      return organization;
    });
  }

  /** Counts in every process within 5 s; what was counted in this hour and minute counts against the new limits. @throws ResourceNotFound */
  changePlan(id: string, plan: Plan): Promise<Organization> {
    return this.#change(id, async (tx, organization) => {
      if (organization.plan === plan) return;
      const before = organization.plan;
      organization.plan = plan;
      await this.#audit(tx, organization, 'organization_plan_changed', `plan ${before} to ${plan}`);
    });
  }

  /**
   * Refuses all its credentials within 5 s, and has what others see of it wait; its services run on. @throws ResourceNotFound, InvalidState
   */
  suspend(id: string, reason: string | undefined): Promise<Organization> {
    return this.#move(id, OrganizationStatus.SUSPENDED, 'organization_suspended', reason);
  }

  /** What waited goes on in order. @throws ResourceNotFound, InvalidState */
  resume(id: string): Promise<Organization> {
    return this.#move(id, OrganizationStatus.ACTIVE, 'organization_resumed');
  }

  #move(id: string, status: OrganizationStatus, eventType: string, detail?: string): Promise<Organization> {
    return this.#change(id, async (tx, organization) => {
      if (organization.operator) throw new OperatorsOwn(status);
      organization.moveTo(status, this.deps.clock.now());
      await this.#audit(tx, organization, eventType, detail);
    });
  }

  /** Nothing where there is no review. @throws ResourceNotFound */
  clearReview(id: string): Promise<Organization> {
    return this.#change(id, async (tx, organization) => {
      if (!organization.underReviewSince) return;
      organization.clearReview();
      await this.#audit(tx, organization, 'organization_review_cleared');
    });
  }

  /** Nothing where the organization does not claim it. @throws ResourceNotFound */
  withdrawSamlDomain(id: string, domain: string): Promise<Organization> {
    return this.#change(id, async (tx, organization) => {
      const isWithdrawn = await this.deps.samlDomains.withdraw(tx, id, domain.toLowerCase());
      if (isWithdrawn) await this.#audit(tx, organization, 'saml_domain_withdrawn', domain.toLowerCase());
    });
  }

  /** Counts here before it is answered, and everywhere within seconds. */
  async #change(id: string, act: (tx: EntityManager, organization: Organization) => Promise<void>): Promise<Organization> {
    const changed = await this.deps.em.transactional(async (tx) => {
      const organization = existing(await tx.findOne(Organization, { id }, LOCKED), 'organization', id);
      await act(tx, organization);
      return organization;
    });
    this.deps.feed.changed(id);
    return changed;
  }

  async #invite(tx: EntityManager, { id: organizationId }: Organization, { name, email }: FirstAdministratorInput): Promise<void> {
    const now = this.deps.clock.now();
    const id = newId('user');
    const owner = Object.assign(new User(), {
      id,
      organizationId,
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

  /** In both organizations: who did it in the operator's, that the operator did it in the other. */
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
