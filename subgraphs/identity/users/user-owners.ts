import type { EntityManager } from '../../../kernel/database/database.ts';
import { EVERYWHERE } from '../../../kernel/records/organization-filter.ts';
import { LOCKED } from '../../../kernel/records/records.ts';
import { UserRole, UserStatus } from '../user.states.ts';
import { User } from './user.entity.ts';

/**
 * Locks the active owners of an organization until the transaction ends, always in the same order. Every operation that
 * may change an owner calls this function first. So if two owners remove each other at the same time, the second
 * operation waits and is then refused.
 */
export function lockOwners(tx: EntityManager, organizationId: string): Promise<User[]> {
  const owners = { organizationId, role: UserRole.OWNER, status: UserStatus.ACTIVE };
  return tx.find(User, owners, { ...EVERYWHERE, ...LOCKED, orderBy: { id: 'asc' } });
}
