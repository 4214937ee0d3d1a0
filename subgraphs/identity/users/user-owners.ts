import type { EntityManager } from '../../../kernel/database/database.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { UserRole, UserStatus } from '../user.states.ts';
import { User } from './user.entity.ts';

/**
 * Locks the active owners of an organization until the transaction ends, in one order. Whoever may change an owner does this
 * before anything else: of two who remove each other one waits, and is refused then.
 */
export function lockOwners(tx: EntityManager, organizationId: string): Promise<User[]> {
  const owners = { organizationId, role: UserRole.OWNER, status: UserStatus.ACTIVE };
  return tx.find(User, owners, { ...EVERYWHERE, ...LOCKED, orderBy: { id: 'asc' } });
}
