import type { ClientInfo, RequestContext } from '../../../kernel/request.ts';
import type { User } from '../users/user.entity.ts';

/** A sign-in on the authorization server's pages for which the user must still verify a second factor. */
export interface SecondStep {
  /** Id of the sign-in. */
  id: string;
  client: ClientInfo;
  log: RequestContext['log'];
  requestId: string;
}

/** Second-factor operations that the sign-in pages need. */
export interface SecondFactorGate {
  /** Returns whether this user must verify a second factor after the password. */
  isRequired(user: User): Promise<boolean>;
  /** Begins the second-factor step. Returns `sent` if a code was sent, `own` if the user has an authenticator app. */
  begin(user: User, step: SecondStep): Promise<'sent' | 'own'>;
  /**
   * Verifies an authenticator code, a sent code or a backup code. The code cannot be used again.
   * @throws PlatformError if the code is wrong or too many codes were tried
   */
  verify(user: User, code: string, step: SecondStep): Promise<void>;
  /**
   * Elevates an OAuth grant until 15 minutes after the user verified a second factor, as for a session. `ageMs` is the
   * time since that verification.
   */
  elevate(grantId: string, userId: string, ageMs: number): Promise<void>;
}
