import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../../kernel/database.ts';
import { ResourceNotFound } from '../../../kernel/errors.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { AuditTrail } from '../audit/audit.trail.ts';
import type { ChangeFeed } from '../authentication/change.feed.ts';
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

  /** The caller's own. */
  async own(): Promise<Organization> {
    const { em, request } = this.deps;
    const { organizationId: id } = request.principal;
    const organization = await em.findOne(Organization, { id });
    if (!organization) throw new ResourceNotFound('organization', id);
    return organization;
  }

  /** Whoever is asked for a second factor from now on, and has none, can still enrol one. */
  async update({ name, secondFactorRequired }: OrganizationUpdateInput): Promise<Organization> {
    const { em, feed, request } = this.deps;
    const { organizationId: id } = request.principal;
    const organization = await em.transactional(async (tx) => {
      const found = await tx.findOneOrFail(Organization, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (name !== undefined) found.name = name;
      if (secondFactorRequired !== undefined && secondFactorRequired !== found.secondFactorRequired) {
        found.secondFactorRequired = secondFactorRequired;
        await this.#audit(tx, id, secondFactorRequired);
      }
      return found;
    });
    feed.changed(id);
    return organization;
  }

  #audit(tx: EntityManager, organizationId: string, isRequired: boolean): Promise<void> {
    const { principal, client } = this.deps.request;
    const { kind, id, sessionId } = principal;
    const entry = {
      eventType: 'organization_updated',
      organizationId,
      userId: kind === 'user' ? id : null,
      clientId: kind === 'user' ? null : id,
      sessionId,
      client,
      reason: `second factor ${isRequired ? '' : 'not '}required`,
    };
    return this.deps.trail.record(entry, tx);
  }
}
