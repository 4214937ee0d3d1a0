import { AREAS, type Area, type Grant, type PlatformPermission } from '../../../kernel/access/principal.ts';
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
  [UserRole.READ_ONLY]: everyArea('read', ['credentials']),
};

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
