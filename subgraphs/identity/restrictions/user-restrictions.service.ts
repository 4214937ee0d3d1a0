import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { ChangeFeed } from '../authentication/change-feed.ts';
import { Organization } from '../organizations/organization.entity.ts';
import { AccessRules } from './access.rules.ts';
import type { CountryLocator } from './country-locator.ts';
import { CountriesUnknown, WouldLockOut } from './restriction.errors.ts';
import { UserRestrictions } from './user-restrictions.entity.ts';
import type { UserRestrictionsInput } from './user-restrictions.inputs.ts';

export interface UserRestrictionsServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  locator: CountryLocator;
  trail: AuditTrail;
  feed: ChangeFeed;
}

/** Manages the restrictions that an organization sets for its users (specification 5.1). */
export class UserRestrictionsService {
  constructor(private readonly deps: UserRestrictionsServiceDeps) {}

  /** Returns the restrictions of the caller's organization. They are empty if the organization never set any. */
  async own(): Promise<UserRestrictions> {
    const { organizationId: id } = this.deps.request.principal;
    return (await this.deps.em.findOne(UserRestrictions, { id })) ?? Object.assign(new UserRestrictions(), { id });
  }

  /**
   * Updates the restrictions. They apply to the next request with any access token. A restriction that is left out
   * keeps its value.
   * @throws WouldLockOut if the restrictions would refuse the user who sets them; CountriesUnknown
   */
  async update({ ipWhitelist, timeWindows, countries }: UserRestrictionsInput): Promise<UserRestrictions> {
    const { em, request, clock, locator, feed, trail } = this.deps;
    const { organizationId: id } = request.principal;
    if (countries?.length && !locator.isConfigured) throw new CountriesUnknown('countries');
    const changed = await em.transactional(async (tx) => {
      // the restrictions record may not exist yet, so the organization is locked instead
      await tx.findOneOrFail(Organization, { id }, LOCKED);
      const found = (await tx.findOne(UserRestrictions, { id })) ?? Object.assign(new UserRestrictions(), { id });
      if (ipWhitelist) found.ipWhitelist = ipWhitelist;
      if (timeWindows) found.timeWindows = timeWindows.map((window) => ({ ...window }));
      if (countries) found.countries = countries;
      found.updatedAt = clock.now();
      tx.persist(found);
      this.#checkLockOut(found);
      await trail.recordBy(request, { eventType: 'user_restrictions_updated' }, tx);
      return found;
    });
    feed.changed(id);
    return changed;
  }

  /**
   * Refuses restrictions that would lock out the user who sets them. API keys are not checked, because these
   * restrictions do not apply to API keys.
   * @throws WouldLockOut
   */
  #checkLockOut(restrictions: UserRestrictions): void {
    const { request, locator, clock } = this.deps;
    if (request.principal.kind !== 'user' || !request.client) return;
    const violation = AccessRules.of(restrictions, locator)?.violationBy(request.client, clock.now());
    if (violation) throw new WouldLockOut(violation);
  }
}
