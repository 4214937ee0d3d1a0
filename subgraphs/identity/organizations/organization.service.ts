import type { EntityManager } from '../../../kernel/database/database.ts';
import { LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { ChangeFeed } from '../authentication/change-feed.ts';
import { Organization } from './organization.entity.ts';
import type { OrganizationUpdateInput } from './organization.inputs.ts';

export interface OrganizationServiceDeps {
  em: EntityManager;
  request: RequestContext;
  trail: AuditTrail;
  feed: ChangeFeed;
}

export class OrganizationService {
  constructor(private readonly deps: OrganizationServiceDeps) {}

  /** Returns the caller's organization. */
  async own(): Promise<Organization> {
    const { em, request } = this.deps;
    const { organizationId: id } = request.principal;
    return orNotFound(await em.findOne(Organization, { id }), 'organization', id);
  }

  /**
   * Updates the caller's organization. If second factors become required, users without a second factor can still enrol
   * one.
   */
  async update({ name, secondFactorRequired }: OrganizationUpdateInput): Promise<Organization> {
    const { em, feed, request } = this.deps;
    const { organizationId: id } = request.principal;
    const organization = await em.transactional(async (tx) => {
      const found = await tx.findOneOrFail(Organization, { id }, LOCKED);
      if (name !== undefined) found.name = name;
      if (secondFactorRequired !== undefined && secondFactorRequired !== found.secondFactorRequired) {
        found.secondFactorRequired = secondFactorRequired;
        await this.#audit(tx, secondFactorRequired);
      }
      return found;
    });
    feed.changed(id);
    return organization;
  }

  #audit(tx: EntityManager, isRequired: boolean): Promise<void> {
    const { trail, request } = this.deps;
    const reason = `second factor ${isRequired ? '' : 'not '}required`;
    return trail.recordBy(request, { eventType: 'organization_updated', sessionId: request.principal.sessionId, reason }, tx);
  }
}
