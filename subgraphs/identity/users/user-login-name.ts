import type { EntityManager } from '../../../kernel/database/database.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { storedForms } from '../../../kernel/values/email.ts';
import { UserStatus } from '../user.states.ts';
import { User } from './user.entity.ts';

/**
 * Placeholder login name of a user who has not accepted the invitation. It is not an e-mail address, so nobody can log
 * in with it.
 */
export const withoutLogin = (id: string): string => `invited:${id}`;

/** Finds the user who logs in with the address `typed`, in any organization. Ignores pending invitations. */
export async function holderOf(em: EntityManager, typed: string, options: typeof LOCKED | object = {}): Promise<User | null> {
  const where = { loginName: { $in: storedForms(typed) }, status: { $ne: UserStatus.INVITED } };
  return em.findOne(User, where, { ...EVERYWHERE, ...options });
}

/**
 * Makes the user's address the login name of the user. Returns false if another user logs in with the address. If two
 * users claim an address at the same time, the unique index accepts only one user.
 */
export async function claimLogin(tx: EntityManager, user: User): Promise<boolean> {
  const holder = await holderOf(tx, user.email, LOCKED);
  if (holder && holder.id !== user.id) return false;
  // in earlier releases, a pending invitation had the address as its login name
  const pending = await tx.find(
    User,
    { loginName: user.email, status: UserStatus.INVITED, id: { $ne: user.id } },
    { ...EVERYWHERE, ...LOCKED },
  );
  for (const { id } of pending) await tx.nativeUpdate(User, { id }, { loginName: withoutLogin(id) }, EVERYWHERE);
  user.loginName = user.email;
  return true;
}
