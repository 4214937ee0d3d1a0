import { AREAS, type Area, type Grant } from '../../../kernel/access/principal.ts';
import { UserRole } from '../user.states.ts';

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

export const grantsOf = (role: UserRole): readonly Grant[] => GRANTS[role];
