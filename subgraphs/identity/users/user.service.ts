import type { FilterQuery } from '@mikro-orm/core';
import type { Accounts, Grant } from '../../../kernel/access/principal.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { EntityManager } from '../../../kernel/database/database.ts';
import { InvalidParameters, InvalidState, refuse } from '../../../kernel/errors/errors.ts';
import { NEWEST_FIRST, type Page, type PageInput, type SortBy } from '../../../kernel/graphql/page.ts';
import { newId } from '../../../kernel/records/ids.ts';
import type { RecordLoader } from '../../../kernel/records/loaders.ts';
import { listPage } from '../../../kernel/records/pagination.ts';
import { advisoryLock, definedOnly, LOCKED, onDuplicate, orNotFound } from '../../../kernel/records/records.ts';
import { containing, matching } from '../../../kernel/records/where.ts';
import type { RequestContext } from '../../../kernel/request.ts';
import type { Account } from '../accounts/account.entity.ts';
import type { AccountScopes } from '../accounts/account-scopes.ts';
import { type AuditTrail, byCaller } from '../audit/audit-trail.ts';
import { requireToGrant } from '../granting/grants.ts';
import { accountProblems, accountsOfUser, grantsOf, grantsOfUser, isUnlimited } from '../granting/user-roles.ts';
import type { PasswordService } from '../passwords/password.service.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { UserRole, UserStatus } from '../user.states.ts';
import { User } from './user.entity.ts';
import { EmailTaken, LastOwner } from './user.errors.ts';
import type { UserFilter, UserInviteInput, UserUpdateInput } from './user.inputs.ts';
import { withoutLogin } from './user-login-name.ts';
import { lockOwners } from './user-owners.ts';

export interface UserServiceDeps {
  em: EntityManager;
  request: RequestContext;
  clock: Clock;
  accounts: RecordLoader<Account>;
  scopes: AccountScopes;
  passwords: PasswordService;
  sessions: Sessions;
  trail: AuditTrail;
}

export interface UserList {
  filter?: UserFilter | undefined;
  sort?: SortBy[] | undefined;
  page?: PageInput | undefined;
}

/** Id of a user. If `accountId` is set, the user must belong to that account. */
export interface NamedUser {
  id: string;
  accountId: string | undefined;
}

/** Manages users of the caller's organization (specification 4.2). */
export class UserService {
  constructor(private readonly deps: UserServiceDeps) {}

  /** Lists users. @throws ResourceNotFound for an account that is not in the organization */
  async list(accountId: string | undefined, { filter, ...wanted }: UserList): Promise<Page<User>> {
    if (accountId !== undefined) await this.#requireAccount(accountId);
    const where = whereOf({ ...filter, accountId });
    return listPage(this.deps.em, User, { where, ...wanted, defaultSort: NEWEST_FIRST });
  }

  find(id: string): Promise<User | null> {
    return this.deps.em.findOne(User, { id });
  }

  /**
   * Creates a user and mails an invitation with a link to choose a password. The address may be in use in another organization, or in an
   * account hidden from the caller. Neither the response nor the response time reveals this. The user who already logs in with the address
   * gets a mail.
   * @throws EmailTaken, InsufficientPermissions, ResourceNotFound
   */
  async invite(accountId: string, { email, name, phone, accounts: stated, ...input }: UserInviteInput): Promise<User> {
    const { em, request, clock, passwords } = this.deps;
    const account = await this.#requireAccount(accountId);
    const role = input.role ?? UserRole.MEMBER;
    this.#requireToGrant(grantsOf(role));
    const accounts = await this.#accountsFor(role, stated, account);
    const now = clock.now();
    const id = newId('user');
    const user = Object.assign(new User(), {
      id,
      organizationId: request.principal.organizationId,
      accountId,
      email: email.toLowerCase(),
      loginName: withoutLogin(id),
      name,
      phone: phone ?? null,
      role,
      accounts,
      status: UserStatus.INVITED,
      createdAt: now,
      updatedAt: now,
    });
    const inviting = em.transactional(async (tx) => {
      await advisoryLock(tx, `identity.invitation:${user.organizationId}:${user.email}`);
      // counts only users whom the caller may see, so that users of hidden accounts are not revealed
      if ((await tx.count(User, { email: user.email })) > 0) throw new EmailTaken();
      tx.persist(user);
      await tx.flush();
      await passwords.invite(tx, user);
      await this.#audit(tx, user, 'user_invited');
    });
    await inviting.catch(onDuplicate(() => new EmailTaken()));
    return user;
  }

  /**
   * Updates a user. Suspending a user revokes all sessions of the user.
   * @throws ResourceNotFound, LastOwner, InsufficientPermissions, InvalidState
   */
  async update(named: NamedUser, { role, status, accounts, ...input }: UserUpdateInput): Promise<User> {
    const { em, clock, scopes, sessions } = this.deps;
    const { id } = named;
    // refuses accounts that the caller has no access to; called before the transaction, because it loads records
    const stated = await scopes.change(accounts);
    const { user, ended } = await em.transactional(async (tx) => {
      const found = await this.#locked(tx, named);
      const wasOwner = isActiveOwner(found);
      Object.assign(found, definedOnly(input));
      if (role && role !== found.role) this.#changeRole(found, role);
      if (role || stated !== undefined) {
        const kept = isUnlimited(found.role) ? null : found.accounts;
        found.accounts = this.#fitting(found.role, stated === undefined ? kept : stated, found.accountId);
      }
      const isSuspended = status !== undefined && this.#changeStatus(found, status);
      if (wasOwner && !isActiveOwner(found)) await this.#requireAnotherOwner(tx, id);
      found.updatedAt = clock.now();
      await this.#audit(tx, found, 'user_updated');
      return { user: found, ended: isSuspended ? await sessions.endAllOf(tx, id, 'user suspended') : [] };
    });
    sessions.ended([id, ...ended]);
    return user;
  }

  /** Removes a user and returns its last state. @throws ResourceNotFound, LastOwner, InsufficientPermissions */
  async remove(named: NamedUser): Promise<User> {
    const { em, sessions } = this.deps;
    const { id } = named;
    const { user, ended } = await em.transactional(async (tx) => {
      const found = await this.#locked(tx, named);
      if (isActiveOwner(found)) await this.#requireAnotherOwner(tx, id);
      const ids = await sessions.endAllOf(tx, id, 'user removed');
      await this.#audit(tx, found, 'user_removed');
      await tx.nativeDelete(User, { id });
      return { user: found, ended: ids };
    });
    sessions.ended([id, ...ended]);
    return user;
  }

  /**
   * Loads and locks a user. Refuses a user who has permissions or accounts that the caller does not have. For example,
   * an administrator cannot suspend an owner.
   */
  async #locked(tx: EntityManager, { id, accountId }: NamedUser): Promise<User> {
    await lockOwners(tx, this.deps.request.principal.organizationId);
    const where = accountId === undefined ? { id } : { id, accountId };
    const user = orNotFound(await tx.findOne(User, where, LOCKED), 'user', id);
    this.#requireToGrant(grantsOfUser(user));
    this.deps.scopes.requireOver(accountsOfUser(user));
    return user;
  }

  #changeRole(user: User, role: UserRole): void {
    this.#requireToGrant(grantsOf(role));
    user.role = role;
  }

  /** Changes the status. Returns whether the change suspends the user. */
  #changeStatus(user: User, status: UserStatus): boolean {
    if (status === user.status) return false;
    const allowed = ALLOWED[user.status];
    if (!allowed.includes(status)) throw new InvalidState('user', user.status, status, allowed);
    // a user who has never chosen a password gets the status `invited` again
    user.status = status === UserStatus.ACTIVE && !user.passwordHash ? UserStatus.INVITED : status;
    return status === UserStatus.SUSPENDED;
  }

  #requireToGrant(grants: readonly Grant[]): void {
    requireToGrant(this.deps.request.principal, grants);
  }

  async #requireAnotherOwner(tx: EntityManager, id: string): Promise<void> {
    const others = await tx.count(User, { role: UserRole.OWNER, status: UserStatus.ACTIVE, id: { $ne: id } });
    if (others === 0) throw new LastOwner();
  }

  async #requireAccount(id: string): Promise<Account> {
    return orNotFound(await this.deps.accounts.load(id), 'account', id);
  }

  /**
   * Returns the accounts that a new user is limited to. If `stated` is undefined, a user of the organization's own
   * account has no limit, and a user of another account is limited to this account.
   */
  async #accountsFor(role: UserRole, stated: Accounts | undefined, account: Account): Promise<string[] | null> {
    const staff = account.own || isUnlimited(role) ? null : [account.id];
    const wanted = stated === undefined ? staff : await this.deps.scopes.grant(stated);
    if (wanted === null && role !== UserRole.ACCOUNT_ADMIN) this.deps.request.principal.requireOrganization();
    return this.#fitting(role, wanted, account.id);
  }

  /**
   * Checks that the accounts fit the role.
   * @throws InvalidParameters if users with the role cannot be limited to accounts; LimitedToAccounts if the caller is
   * limited to accounts and the user would not be
   */
  #fitting(role: UserRole, accounts: Accounts, accountId: string | null): string[] | null {
    if (isUnlimited(role)) this.deps.request.principal.requireOrganization();
    refuse(accountProblems(role, accounts));
    if (role !== UserRole.ACCOUNT_ADMIN) return accounts && [...accounts];
    if (!accounts && !accountId)
      throw new InvalidParameters([{ field: 'accounts', reason: 'is required, since the role account_admin is limited to accounts' }]);
    return accounts ? [...accounts] : [accountId as string];
  }

  #audit(tx: EntityManager, { id: userId, role }: User, eventType: string): Promise<void> {
    const { trail, request } = this.deps;
    return trail.recordBy(request, { eventType, userId, reason: `${byCaller(request.principal)}; role ${role}` }, tx);
  }
}

const ALLOWED: Readonly<Record<UserStatus, readonly UserStatus[]>> = {
  [UserStatus.INVITED]: [UserStatus.SUSPENDED],
  [UserStatus.ACTIVE]: [UserStatus.SUSPENDED],
  [UserStatus.SUSPENDED]: [UserStatus.ACTIVE],
};

const isActiveOwner = ({ role, status }: User): boolean => role === UserRole.OWNER && status === UserStatus.ACTIVE;

const whereOf = ({ accountId, role, status, search }: UserFilter & { accountId: string | undefined }): FilterQuery<User> =>
  matching<User>({
    accountId,
    role,
    status,
    $or: search ? [{ name: containing(search) }, { email: containing(search) }] : undefined,
  });
