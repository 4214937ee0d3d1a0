import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import type { ClientInfo } from '../../../kernel/request.ts';
import { Organization } from '../organizations/organization.entity.ts';
import { requireActive } from '../organizations/organization.errors.ts';
import { AccessRules } from './access.rules.ts';
import type { CountryLocator } from './country-locator.ts';
import { UserRestrictions } from './user-restrictions.entity.ts';

export interface UserAccessParts {
  orm: Orm;
  clock: Clock;
  locator: CountryLocator;
}

/** Checks the organization's status and access restrictions for users who have no access token yet: at login and refresh. */
export class UserAccess {
  constructor(private readonly parts: UserAccessParts) {}

  /**
   * Checks that the organization is active and that its restrictions allow `client`. If `client` is undefined, the
   * caller is the platform, and restrictions are not checked.
   * @throws OrganizationSuspended, OrganizationClosed, IpNotAllowed, AccessRestricted (403)
   */
  async check(organizationId: string, client: ClientInfo | undefined, tx?: EntityManager): Promise<void> {
    const { orm, clock, locator } = this.parts;
    const em = tx ?? orm.em.fork();
    const organization = await em.findOneOrFail(Organization, { id: organizationId });
    requireActive(organization.status);
    if (!client) return;
    const restrictions = await em.findOne(UserRestrictions, { id: organizationId });
    if (restrictions) AccessRules.of(restrictions, locator)?.check(client, clock.now());
  }
}
