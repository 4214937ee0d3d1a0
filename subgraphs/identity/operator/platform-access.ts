import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import { InvalidState } from '../../../kernel/errors/errors.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import { storedForms } from '../../../kernel/values/email.ts';
import { openAccounts } from '../accounts/organization-accounts.ts';
import { type AuditTrail, byCaller } from '../audit/audit-trail.ts';
import type { ChangeFeed } from '../authentication/change-feed.ts';
import { Organization } from '../organizations/organization.entity.ts';
import { type PlatformAccess, UserStatus } from '../user.states.ts';
import { User } from '../users/user.entity.ts';

export interface PlatformAccessParts {
  orm: Orm;
  clock: Clock;
  trail: AuditTrail;
  feed: ChangeFeed;
}

/** Manages which users of the operator's organization may operate the platform. */
export class PlatformAccesses {
  constructor(private readonly parts: PlatformAccessParts) {}

  /** Returns the organization that operates the platform. Returns null if no organization operates it yet. */
  operator(): Promise<Organization | null> {
    return this.parts.orm.em.fork().findOne(Organization, { operator: true });
  }

  /**
   * Sets the platform access of a user of the caller's organization. If `access` is null, revokes the platform access.
   * @throws ResourceNotFound
   */
  async set(request: RequestContext, userId: string, access: PlatformAccess | null): Promise<User> {
    const { organizationId } = request.principal;
    const user = await this.parts.orm.em.fork().transactional(async (tx) => {
      const found = orNotFound(await tx.findOne(User, { id: userId, organizationId }, { ...EVERYWHERE, ...LOCKED }), 'user', userId);
      this.#give(found, access);
      const reason = `${shown(access)}; ${byCaller(request.principal)}`;
      await this.parts.trail.recordBy(request, { eventType: 'platform_access_changed', userId, reason }, tx);
      return found;
    });
    this.parts.feed.changed(userId);
    return user;
  }

  /**
   * Sets the platform access of the user who logs in with `address`. Used from the command line of the server. If there
   * is no operator yet, the organization of this user becomes the operator.
   * @throws ResourceNotFound, InvalidState
   */
  grant(address: string, access: PlatformAccess | null): Promise<User> {
    return this.parts.orm.em.fork().transactional(async (tx) => {
      const where = { loginName: { $in: storedForms(address) }, status: UserStatus.ACTIVE };
      const user = orNotFound(await tx.findOne(User, where, { ...EVERYWHERE, ...LOCKED }), 'user', address);
      await this.#requireOperator(tx, user.organizationId);
      this.#give(user, access);
      const { id: userId, organizationId } = user;
      const reason = `${shown(access)}; on the server`;
      await this.parts.trail.record({ eventType: 'platform_access_changed', organizationId, userId, reason }, tx);
      return user;
    });
  }

  async #requireOperator(tx: EntityManager, id: string): Promise<void> {
    const operator = await tx.findOne(Organization, { operator: true }, LOCKED);
    if (operator && operator.id !== id) throw new InvalidState('organization', 'customer', 'operator', [`users of ${operator.id}`]);
    if (operator) return;
    await tx.nativeUpdate(Organization, { id }, { operator: true });
    await openAccounts(tx, this.parts.clock.now());
  }

  #give(user: User, access: PlatformAccess | null): void {
    Object.assign(user, { platformAccess: access, updatedAt: this.parts.clock.now() });
  }
}

const shown = (access: PlatformAccess | null): string => (access ? `platform:${access}` : 'none');
