import { type Grant, grantOf, isGrant, isPlatformPermission, type Principal } from '../../../kernel/access/principal.ts';
import type { UserRole } from '../user.states.ts';
import { requireToGrant } from './grants.ts';
import { grantsOf } from './user-roles.ts';

/** An input that grants permissions: by a list of permissions, by a list of scopes, or by a role. */
interface GrantingInput {
  permissions?: readonly string[] | null;
  scopes?: readonly string[] | null;
  role?: UserRole | null;
  defaultRole?: UserRole | null;
  roleMappings?: readonly { role: UserRole }[] | null;
}

/**
 * Checks that callers grant only permissions that they hold. Operations pass this function to `@Requires` as `also`.
 * Values that are not permissions are ignored here, because input validation reports them.
 * @throws InsufficientPermissions, SecondFactorRequired
 */
export function requireToGrantInput({ input }: { input: GrantingInput }, { principal }: { principal: Principal }): void {
  const { permissions, scopes, role, defaultRole, roleMappings } = input;
  const named = [...(permissions ?? []), ...(scopes ?? []).map(grantOf)].filter((name) => isGrant(name) || isPlatformPermission(name));
  const roles = [role, defaultRole, ...(roleMappings ?? []).map((mapping) => mapping.role)];
  const implied = roles.flatMap((one): readonly Grant[] => (one ? grantsOf(one) : []));
  requireToGrant(principal, [...named, ...implied]);
}
