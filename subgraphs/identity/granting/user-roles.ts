import { type Accounts, AREAS, type Area, type Grant, type PlatformPermission } from '../../../kernel/access/principal.ts';
import type { FieldProblem } from '../../../kernel/errors/errors.ts';
import { PlatformAccess, UserRole } from '../user.states.ts';

const everyArea = (action: 'read' | '*', except: readonly Area[] = []): Grant[] =>
  AREAS.filter((area) => !except.includes(area)).map((area): Grant => `${area}:${action}`);

/** What users may do, by role. An owner alone may do everything there will ever be, and make owners. */
const GRANTS: Readonly<Record<UserRole, readonly Grant[]>> = {
  [UserRole.OWNER]: ['*:*'],
  [UserRole.ADMIN]: everyArea('*'),
  [UserRole.MEMBER]: [...everyArea('read', ['credentials']), 'services:write', 'support:create', 'monitoring:write'],
  [UserRole.BILLING]: ['billing:*', 'accounts:read', 'services:read', 'analytics:read', 'support:read', 'support:create'],
  [UserRole.SUPPORT]: ['support:*', 'accounts:read', 'services:read', 'monitoring:read', 'analytics:read'],
  // what members and billing may, so that it can make them
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

/** They see the whole organization. */
export const isUnlimited = (role: UserRole): boolean => [UserRole.OWNER, UserRole.ADMIN, UserRole.SUPPORT].includes(role);

export const accountProblems = (role: UserRole, accounts: readonly unknown[] | null | undefined): FieldProblem[] =>
  isUnlimited(role) && accounts ? [{ field: 'accounts', reason: `must be null: ${role} sees the whole organization` }] : [];

/** The accounts that a user is limited to: an administrator of accounts always is, to none where none is stated. */
export const accountsOfUser = ({ role, accounts }: { role: UserRole; accounts: Accounts }): Accounts =>
  accounts ?? (role === UserRole.ACCOUNT_ADMIN ? [] : null);

const PLATFORM: Readonly<Record<PlatformAccess, PlatformPermission>> = {
  [PlatformAccess.READ]: 'platform:read',
  [PlatformAccess.ADMIN]: 'platform:admin',
};

export const grantsOf = (role: UserRole): readonly Grant[] => GRANTS[role];

/** What a user may do of the platform, beside their role; nothing for most. */
export const platformGrants = (access: PlatformAccess | null): readonly PlatformPermission[] => (access ? [PLATFORM[access]] : []);

interface Held {
  role: UserRole;
  platformAccess: PlatformAccess | null;
}

/** All that a user may do: who takes something away from them holds it. */
export const grantsOfUser = ({ role, platformAccess }: Held): readonly Grant[] => [...grantsOf(role), ...platformGrants(platformAccess)];
