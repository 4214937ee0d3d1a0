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
const REASON = `must hold permissions such as services:read; areas: ${AREAS.join(', ')}; actions: ${ACTIONS.join(', ')}, *`;
const isPermission = (value: unknown): boolean => typeof value === 'string' && isGrant(value);

export const AreGrants = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isPermission', validator: { validate: isPermission } },
    { each: true, message: REASON, ...jsonSchema({ pattern: grantPattern(':') }) },
  );

/** For API keys, which may hold what operates the platform too. */
export const AreKeyGrants = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isPermission', validator: { validate: (value) => isPermission(value) || isPlatformPermission(value) } },
    { each: true, message: REASON, ...jsonSchema({ pattern: `${grantPattern(':')}|^(${PLATFORM_PERMISSIONS.join('|')})$` }) },
  );
export const KEY_GRANTS_MAX = GRANTS_MAX + PLATFORM_PERMISSIONS.length;

/**
 * Nobody hands on more than they hold; what operates the platform is handed on, and taken away, with a second factor.
 * @throws InsufficientPermissions naming the first permission beyond, SecondFactorRequired
 */
export function requireToGrant(principal: Principal, permissions: readonly Grant[]): void {
  const beyond = permissions.find((permission) => !principal.mayGrant(permission));
  if (beyond) throw new InsufficientPermissions(beyond);
  const platform = permissions.find(isPlatformPermission);
  if (platform) principal.requireSecondFactor(platform);
}
