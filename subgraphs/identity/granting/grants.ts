import { ValidateBy } from 'class-validator';
import {
  ACTIONS,
  AREAS,
  type Grant,
  grantPattern,
  isGrant,
  isPlatformPermission,
  PLATFORM_PERMISSIONS,
  type Principal,
} from '../../../kernel/access/principal.ts';
import { InsufficientPermissions } from '../../../kernel/errors/errors.ts';
import { jsonSchema } from '../../../kernel/graphql/json-schema.ts';

export const GRANTS_MAX = AREAS.length * (ACTIONS.length + 1) + 1;
const REASON = `must be a list of permissions such as services:read; areas: ${AREAS.join(', ')}; actions: ${ACTIONS.join(', ')}, *`;
const isPermission = (value: unknown): boolean => typeof value === 'string' && isGrant(value);

export const AreGrants = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isPermission', validator: { validate: isPermission } },
    { each: true, message: REASON, ...jsonSchema({ pattern: grantPattern(':') }) },
  );

/** Validates the permissions of API keys, which may include permissions to operate the platform. */
export const AreKeyGrants = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isPermission', validator: { validate: (value) => isPermission(value) || isPlatformPermission(value) } },
    { each: true, message: REASON, ...jsonSchema({ pattern: `${grantPattern(':')}|^(${PLATFORM_PERMISSIONS.join('|')})$` }) },
  );
export const KEY_GRANTS_MAX = GRANTS_MAX + PLATFORM_PERMISSIONS.length;

/**
 * Checks that the caller holds all `permissions`. Granting or revoking permissions to operate the platform needs a
 * second factor.
 * @throws InsufficientPermissions for the first permission that the caller does not hold; SecondFactorRequired
 */
export function requireToGrant(principal: Principal, permissions: readonly Grant[]): void {
  const beyond = permissions.find((permission) => !principal.mayGrant(permission));
  if (beyond) throw new InsufficientPermissions(beyond);
  const platform = permissions.find(isPlatformPermission);
  if (platform) principal.requireSecondFactor(platform);
}
