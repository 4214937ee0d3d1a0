import type { EntityManager } from '../../../kernel/database/database.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { storedForms } from '../../../kernel/values/email.ts';
import { UserStatus } from '../user.states.ts';
import { User } from './user.entity.ts';

/** The login name of somebody who was invited and has not accepted: no address, so nobody types it. */
export const withoutLogin = (id: string): string => `invited:${id}`;

/** The user who logs in by an address, in whichever organization. An invitation that is pending is nobody's login. */
export async function holderOf(em: EntityManager, typed: string, options: typeof LOCKED | object = {}): Promise<User | null> {
  const where = { loginName: { $in: storedForms(typed) }, status: { $ne: UserStatus.INVITED } };
  return em.findOne(User, where, { ...EVERYWHERE, ...options });
}

/**
 * Makes a user's address their login. False where somebody else logs in by it. Of two at once the unique index lets one through.
 */
export async function claimLogin(tx: EntityManager, user: User): Promise<boolean> {
  const holder = await holderOf(tx, user.email, LOCKED);
  if (holder && holder.id !== user.id) return false;
  // an invitation of the time when invitations held their address
  const pending = await tx.find(
    User,
    { loginName: user.email, status: UserStatus.INVITED, id: { $ne: user.id } },
    { ...EVERYWHERE, ...LOCKED },
  );
  for (const { id } of pending) await tx.nativeUpdate(User, { id }, { loginName: withoutLogin(id) }, EVERYWHERE);
  user.loginName = user.email;
  return true;
}
