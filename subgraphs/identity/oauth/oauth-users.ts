import type { Account } from 'oidc-provider';
import { Principal } from '../../../kernel/access/principal.ts';
import type { Orm } from '../../../kernel/database/database.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { grantsOf } from '../granting/user-roles.ts';
import { Organization } from '../organizations/organization.entity.ts';
import { UserStatus } from '../user.states.ts';
import { User } from '../users/user.entity.ts';

/** A user in the form that the provider expects, with the data that the platform needs to issue a token. */
export interface OAuthAccount extends Account {
  user: User;
  /** A principal with the permissions that the user's role has now. */
  holder: Principal;
}

/** Finds an active user. Returns undefined for any other user, whose grants and logins are no longer valid. */
export async function findAccount(orm: Orm, id: string): Promise<OAuthAccount | undefined> {
  const em = orm.em.fork();
  const user = await em.findOne(User, { id }, EVERYWHERE);
  if (user?.status !== UserStatus.ACTIVE) return undefined;
  const { plan } = await em.findOneOrFail(Organization, { id: user.organizationId });
  const { organizationId, role } = user;
  const holder = new Principal({ kind: 'user', id, organizationId, plan, grants: grantsOf(role) });
  return { accountId: id, user, holder, claims: () => ({ sub: id }) };
}
