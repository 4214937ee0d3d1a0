import { type Accounts, AREAS, type Area, type Grant, type PlatformPermission } from '../../../kernel/access/principal.ts';
import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import { PlatformAccess, UserRole } from '../user.states.ts';

const everyArea = (action: 'read' | '*', except: readonly Area[] = []): Grant[] =>
  AREAS.filter((area) => !except.includes(area)).map((area): Grant => `${area}:${action}`);

/**
 * Permissions of users, by role. An owner has every permission, including permissions added later. Only owners can
 * create owners.
 */
const GRANTS: Readonly<Record<UserRole, readonly Grant[]>> = {
  [UserRole.OWNER]: ['*:*'],
  [UserRole.ADMIN]: everyArea('*'),
  [UserRole.MEMBER]: [...everyArea('read', ['credentials']), 'services:write', 'support:create', 'monitoring:write'],
  [UserRole.BILLING]: ['billing:*', 'accounts:read', 'services:read', 'analytics:read', 'support:read', 'support:create'],
  [UserRole.SUPPORT]: ['support:*', 'accounts:read', 'services:read', 'monitoring:read', 'analytics:read'],
  // includes the permissions of member and billing, so that an account administrator can create users with these roles
  [UserRole.ACCOUNT_ADMIN]: [
    ...everyArea('read', ['credentials']),
    'accounts:write',
    'services:*',
    'billing:*',
    'monitoring:write',
    'support:create',
  ],
  [UserRole.READ_ONLY]: everyArea('read', ['credentials']),
};

/** Returns whether users with this role always see the whole organization, and so cannot be limited to some of its accounts. */
export const isUnlimited = (role: UserRole): boolean => [UserRole.OWNER, UserRole.ADMIN, UserRole.SUPPORT].includes(role);

export const accountProblems = (role: UserRole, accounts: readonly unknown[] | null | undefined): FieldProblem[] =>
  isUnlimited(role) && accounts ? [{ field: 'accounts', reason: `must be null: ${role} sees the whole organization` }] : [];

/**
 * Returns the accounts that a user is limited to; null if the user sees all accounts. An account administrator without
 * accounts gets an empty list, and sees none.
 */
export const accountsOfUser = ({ role, accounts }: { role: UserRole; accounts: Accounts }): Accounts =>
  accounts ?? (role === UserRole.ACCOUNT_ADMIN ? [] : null);

const PLATFORM: Readonly<Record<PlatformAccess, PlatformPermission>> = {
  [PlatformAccess.READ]: 'platform:read',
  [PlatformAccess.ADMIN]: 'platform:admin',
};

export const grantsOf = (role: UserRole): readonly Grant[] => GRANTS[role];

/**
 * Returns a user's permissions to operate the platform. The permissions of the role are not included. Most users have
 * no such permissions.
 */
export const platformGrants = (access: PlatformAccess | null): readonly PlatformPermission[] => (access ? [PLATFORM[access]] : []);

interface Held {
  role: UserRole;
  platformAccess: PlatformAccess | null;
}

/** Returns all permissions of a user. A caller must hold all of them to suspend, change or remove the user. */
export const grantsOfUser = ({ role, platformAccess }: Held): readonly Grant[] => [...grantsOf(role), ...platformGrants(platformAccess)];
