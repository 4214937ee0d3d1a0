import type { Orm } from '../../../kernel/database/database.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import type { ClientInfo } from '../../../kernel/request.ts';
import { storedForms } from '../../../kernel/values/email.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { UserAccess } from '../restrictions/user-access.ts';
import { UserStatus } from '../user.states.ts';
import { hashPassword, type PasswordCost, verifyPassword } from '../users/password.ts';
import { User } from '../users/user.entity.ts';
import type { LoginAttempts } from './login-attempts.ts';
import { LoginRefused, UserSuspended } from './session.errors.ts';
import type { SessionTokens } from './session.values.ts';
import type { Sessions } from './sessions.ts';

export interface LoginParts {
  orm: Orm;
  attempts: LoginAttempts;
  sessions: Sessions;
  trail: AuditTrail;
  userAccess: UserAccess;
  passwordCost: PasswordCost | undefined;
}

/** Logs users in by e-mail address and password (specification 4.1). */
export class LoginService {
  /**
   * Password hash that is verified if there is no user. So the response for an unknown address takes as long as the
   * response for a wrong password.
   */
  #nobodysHash: Promise<string> | undefined;

  constructor(private readonly parts: LoginParts) {}

  /**
   * Logs a user in and opens a session.
   * @throws LoginRefused, TooManyAttempts, UserSuspended, IpNotAllowed, AccessRestricted
   */
  async login(email: string, password: string, client: ClientInfo | undefined): Promise<SessionTokens> {
    return this.parts.sessions.open(await this.check(email, password, client), { method: 'password', client });
  }

  /**
   * Returns the active user if the password is right. @throws LoginRefused, TooManyAttempts, UserSuspended, IpNotAllowed, AccessRestricted
   */
  async check(typed: string, password: string, client: ClientInfo | undefined): Promise<User> {
    const { orm, attempts } = this.parts;
    const [email = ''] = storedForms(typed);
    const attempt = await attempts.begin(email, client?.ip);
    const user = await orm.em.fork().findOne(User, { loginName: { $in: storedForms(typed) } }, EVERYWHERE);
    this.#nobodysHash ??= hashPassword('nobody', this.parts.passwordCost);
    const isRight = await verifyPassword(password, user?.passwordHash ?? (await this.#nobodysHash));
    if (!user?.passwordHash || !isRight) {
      await this.#auditFailure(user, client, user ? 'wrong password' : 'unknown user');
      throw new LoginRefused();
    }
    if (user.status !== UserStatus.ACTIVE) {
      await this.#auditFailure(user, client, 'user is not active');
      throw new UserSuspended();
    }
    await this.#requireAccess(user, client);
    await attempt.succeeded();
    return user;
  }

  /**
   * Checks access restrictions after the password, so that nobody without the password learns whether there are
   * restrictions.
   */
  async #requireAccess(user: User, client: ClientInfo | undefined): Promise<void> {
    try {
      await this.parts.userAccess.check(user.organizationId, client);
    } catch (error) {
      await this.#auditFailure(user, client, 'restricted');
      throw error;
    }
  }

  #auditFailure(user: User | null, client: ClientInfo | undefined, reason: string): Promise<void> {
    return this.parts.trail.record({
      eventType: 'authentication_failure',
      organizationId: user?.organizationId,
      userId: user?.id,
      client,
      authenticationMethod: 'password',
      reason,
    });
  }
}
