import type { ClientInfo, RequestContext } from '../../../kernel/request.ts';
import type { User } from '../users/user.entity.ts';

/** A sign-in on the pages that waits for its second step. */
export interface SecondStep {
  /** Of this sign-in, and no other. */
  id: string;
  client: ClientInfo;
  log: RequestContext['log'];
  requestId: string;
}

/** What the sign-in page asks about a second factor. */
export interface SecondFactorGate {
  /** Whether this user has to show one, after the password. */
  isRequired(user: User): Promise<boolean>;
  /** Begins the second step; whether a code was sent, or the user has what makes one. */
  begin(user: User, step: SecondStep): Promise<'sent' | 'own'>;
  /** A code of the authenticator, one that was sent, or a backup code; it counts as used then. @throws PlatformError where it is not right, or was tried too often */
  verify(user: User, code: string, step: SecondStep): Promise<void>;
  /** A grant was given by a user who showed one `ageMs` ago: until that is too long ago its tokens count as having done so, as a session would. */
  elevate(grantId: string, userId: string, ageMs: number): Promise<void>;
}
