import { ValidateBy } from 'class-validator';
import { ACTIONS, AREAS, type Grant, isGrant, type Principal } from '../../../kernel/access/principal.ts';
import { InsufficientPermissions } from '../../../kernel/errors/errors.ts';

export const GRANTS_MAX = AREAS.length * (ACTIONS.length + 1) + 1;
const REASON = `must hold permissions such as services:read; areas: ${AREAS.join(', ')}; actions: ${ACTIONS.join(', ')}, *`;
const isPermission = (value: unknown): boolean => typeof value === 'string' && isGrant(value);

export const AreGrants = (): PropertyDecorator =>
  ValidateBy({ name: 'isPermission', validator: { validate: isPermission } }, { each: true, message: REASON });

/** Nobody hands on more than they hold. @throws InsufficientPermissions naming the first permission beyond */
export function requireToGrant(principal: Principal, permissions: readonly Grant[]): void {
  const beyond = permissions.find((permission) => !principal.mayGrant(permission));
  if (beyond) throw new InsufficientPermissions(beyond);
}
