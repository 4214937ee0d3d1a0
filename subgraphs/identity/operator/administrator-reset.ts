import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../kernel/clock.ts';
import type { Orm } from '../../../kernel/database/database.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { LOCKED, orNotFound } from '../../../kernel/records/records.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { BackupCode } from '../mfa/backup-code.entity.ts';
import { MfaMethod } from '../mfa/mfa-method.entity.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { UserStatus } from '../user.states.ts';
import { hashPassword, type PasswordCost } from '../users/password.ts';
import { holderOf } from '../users/user-login-name.ts';

export interface AdministratorResetParts {
  orm: Orm;
  clock: Clock;
  trail: AuditTrail;
  sessions: Sessions;
  passwordCost: PasswordCost | undefined;
}

const PASSWORD_BYTES = 18;

/**
 * Resets the password and second factors of a user, from the command line of the server. It is meant for users whom no
 * other user can help, such as the only owner.
 */
export class AdministratorReset {
  constructor(private readonly parts: AdministratorResetParts) {}

  /**
   * Sets a new password for the user who logs in with `address`. The password is never shown again. Revokes all
   * sessions, removes all second factors, and activates a suspended user.
   * @throws ResourceNotFound
   */
  async reset(address: string): Promise<{ email: string; organizationId: string; password: string }> {
    const { orm, clock, trail, sessions, passwordCost } = this.parts;
    const password = randomBytes(PASSWORD_BYTES).toString('base64url');
    const passwordHash = await hashPassword(password, passwordCost);
    return orm.em.fork().transactional(async (tx) => {
      const user = orNotFound(await holderOf(tx, address, LOCKED), 'user', address);
      const { id: userId, organizationId, email } = user;
      Object.assign(user, { passwordHash, status: UserStatus.ACTIVE, secondFactor: false, updatedAt: clock.now() });
      await tx.nativeDelete(MfaMethod, { userId }, EVERYWHERE);
      await tx.nativeDelete(BackupCode, { userId });
      await sessions.endAllOf(tx, userId, 'password reset on the server');
      await trail.record({ eventType: 'password_reset', organizationId, userId, reason: 'on the server; second factors removed' }, tx);
      return { email, organizationId, password };
    });
  }
}
