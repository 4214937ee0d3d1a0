import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { type Grant, Principal } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager, Orm } from '../../../kernel/database/database.ts';
import { newId } from '../../../kernel/records/ids.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import type { ClientInfo } from '../../../kernel/request.ts';
import { domainOf, storedForms } from '../../../kernel/values/email.ts';
import { Account } from '../accounts/account.entity.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { grantsOf, grantsOfUser, isUnlimited } from '../granting/user-roles.ts';
import type { SamlConnection } from '../saml-connections/saml-connection.entity.ts';
import type { SamlDomains } from '../saml-domains/saml-domains.ts';
import { UserSuspended } from '../sessions/session.errors.ts';
import { UserRole, UserStatus } from '../user.states.ts';
import { User } from '../users/user.entity.ts';
import { claimLogin, holderOf } from '../users/user-login-name.ts';
import { lockOwners } from '../users/user-owners.ts';
import { SignInRefused } from './saml.errors.ts';
import type { AssertedIdentity } from './saml-assertion.ts';

export interface SamlUsersParts {
  orm: Orm;
  clock: Clock;
  trail: AuditTrail;
  domains: SamlDomains;
}

/** Finds, creates and updates users from the assertions of an identity provider. */
export class SamlUsers {
  constructor(private readonly parts: SamlUsersParts) {}

  /**
   * Returns the user that an assertion describes, in the connection's organization. If the connection has role mappings,
   * the user gets the role for the groups in the assertion. Creates a missing user if the connection allows provisioning.
   * @throws SignInRefused, UserSuspended
   */
  async resolve(
    connection: SamlConnection,
    identity: AssertedIdentity,
    client: ClientInfo | undefined,
  ): Promise<{ user: User; hasChanged: boolean }> {
    const domain = domainOf(identity.email);
    if (!connection.emailDomains.includes(domain)) throw new SignInRefused('an address outside of the domains of the connection');
    if ((await this.parts.domains.connectionFor(domain)) !== connection.id) throw new SignInRefused(`the domain ${domain} is not proven`);
    try {
      return await this.parts.orm.em.fork().transactional((tx) => this.#resolve(tx, connection, identity, client));
    } catch (error) {
      if (!(error instanceof UniqueConstraintViolationException)) throw error;
      // a concurrent sign-in has created the user, so the second attempt finds the user
      return this.parts.orm.em.fork().transactional((tx) => this.#resolve(tx, connection, identity, client));
    }
  }

  async #resolve(tx: EntityManager, connection: SamlConnection, identity: AssertedIdentity, client: ClientInfo | undefined) {
    // locks the owners if the connection manages roles, because the role of an owner may change
    const owners = connection.roleOf(identity.groups) === undefined ? [] : await lockOwners(tx, connection.organizationId);
    const { organizationId } = connection;
    const found = await this.#known(tx, organizationId, identity.email);
    if (!found) return { user: await this.#provision(tx, connection, identity, client), hasChanged: false };
    if (found.status === UserStatus.SUSPENDED) throw new UserSuspended();
    const role = this.#roleFor(found, connection, identity, owners);
    requireWithin(connection, grantsOfUser(found));
    requireWithin(connection, grantsOf(role));
    const hasChanged = role !== found.role || found.status !== UserStatus.ACTIVE;
    if (hasChanged) {
      // the sign-in proves that the address belongs to the invited user
      if (!(await claimLogin(tx, found))) throw new SignInRefused('unknown user');
      const accounts = isUnlimited(role) ? null : (found.accounts ?? connection.accounts);
      Object.assign(found, { role, accounts, status: UserStatus.ACTIVE, updatedAt: this.parts.clock.now() });
      await this.#audit(tx, found, connection, client, 'user_updated');
    }
    return { user: found, hasChanged };
  }

  /**
   * Finds the user who logs in with the address. If there is none, finds the oldest invitation of the address. Several
   * accounts may have invited the address.
   */
  async #known(tx: EntityManager, organizationId: string, email: string): Promise<User | null> {
    const holder = await holderOf(tx, email, LOCKED);
    if (holder?.organizationId === organizationId) return holder;
    const invited = { organizationId, email: { $in: storedForms(email) } };
    return tx.findOne(User, invited, { ...EVERYWHERE, ...LOCKED, orderBy: { createdAt: 'asc' } });
  }

  async #provision(
    tx: EntityManager,
    connection: SamlConnection,
    { email, name, groups }: AssertedIdentity,
    client: ClientInfo | undefined,
  ): Promise<User> {
    if (!connection.allowProvisioning) throw new SignInRefused('unknown user');
    const role = connection.roleOf(groups) ?? connection.defaultRole;
    if (!role) throw new SignInRefused('no role for these groups');
    requireWithin(connection, grantsOf(role));
    const now = this.parts.clock.now();
    const { organizationId } = connection;
    const accounts = isUnlimited(role) ? null : connection.accounts;
    const own = await tx.findOneOrFail(Account, { organizationId, own: true }, EVERYWHERE);
    const user = Object.assign(new User(), {
      id: newId('user'),
      organizationId,
      accountId: accounts?.length === 1 ? accounts[0] : own.id,
      email,
      loginName: email,
      name: name || email.slice(0, email.lastIndexOf('@')),
      role,
      accounts,
      createdAt: now,
      updatedAt: now,
    });
    if (!(await claimLogin(tx, user))) {
      const holder = await holderOf(tx, email, LOCKED);
      // a concurrent sign-in has created the user
      if (holder?.organizationId === organizationId && holder.status === UserStatus.ACTIVE) return holder;
      // a user of another organization is treated as unknown
      throw new SignInRefused('unknown user');
    }
    tx.persist(user);
    await tx.flush();
    await this.#audit(tx, user, connection, client, 'user_provisioned');
    return user;
  }

  /**
   * Returns the new role of a user. The last owner stays owner, even if the groups give another role. Otherwise nobody
   * could make a user the owner again.
   */
  #roleFor(user: User, connection: SamlConnection, { groups }: AssertedIdentity, owners: readonly User[]): UserRole {
    const role = connection.roleOf(groups);
    if (role === undefined || role === user.role) return user.role;
    if (role === null) throw new SignInRefused('no role for these groups');
    if (user.role !== UserRole.OWNER) return role;
    return owners.some(({ id }) => id !== user.id) ? role : user.role;
  }

  #audit(
    tx: EntityManager,
    { id: userId, organizationId, role }: User,
    { id }: SamlConnection,
    client: ClientInfo | undefined,
    eventType: string,
  ) {
    return this.parts.trail.record(
      { eventType, organizationId, userId, client, authenticationMethod: 'saml', reason: `by ${id}; role ${role}` },
      tx,
    );
  }
}

/**
 * Refuses permissions that the caller who set up the connection did not have. Callers cannot grant permissions that
 * they do not have, even through an identity provider.
 */
function requireWithin({ organizationId, grants }: SamlConnection, permissions: readonly Grant[]): void {
  const registrar = new Principal({ kind: 'system', id: 'saml', organizationId, plan: 'custom', grants });
  const beyond = permissions.find((grant) => !registrar.mayGrant(grant));
  if (beyond) throw new SignInRefused(`${beyond} exceeds the permissions of the caller who set up the connection`);
}
