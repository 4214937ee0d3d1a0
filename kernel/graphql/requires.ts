import 'reflect-metadata';
import { type AuthChecker, Authorized, Directive } from 'type-graphql';
import { type Permission, type Principal, scopeOf } from '../principal.ts';

/**
 * States the permission of an operation, once: checked before the resolver runs, on every surface, and shown in the SDL as
 * `@requiresScopes`, from where the REST bridge and the OpenAPI document take it.
 */
export const Requires =
  (permission: Permission, { secondFactor = false }: { secondFactor?: boolean } = {}): MethodDecorator =>
  (target, key, descriptor) => {
    const field = descriptor as TypedPropertyDescriptor<unknown>;
    Authorized<Demand>(permission, ...factor(secondFactor))(target, key, field);
    Directive(`@requiresScopes(scopes: [["${scopeOf(permission)}"]])`)(target, key, field);
    if (secondFactor) Directive(`@policy(policies: [["${SECOND_FACTOR}"]])`)(target, key, field);
  };

/** States that an operation is about the caller alone: any valid credentials will do. Shown in the SDL as `@authenticated`. */
export const Authenticated =
  ({ secondFactor = false }: { secondFactor?: boolean } = {}): MethodDecorator =>
  (target, key, descriptor) => {
    const field = descriptor as TypedPropertyDescriptor<unknown>;
    Authorized<Demand>(...factor(secondFactor))(target, key, field);
    Directive('@authenticated')(target, key, field);
    if (secondFactor) Directive(`@policy(policies: [["${SECOND_FACTOR}"]])`)(target, key, field);
  };

/** A user who has one enrolled is asked for it (specification 3.6): a policy of that name in the SDL. */
const SECOND_FACTOR = 'second_factor';
type Demand = Permission | typeof SECOND_FACTOR;
const factor = (isDemanded: boolean): Demand[] => (isDemanded ? [SECOND_FACTOR] : []);

/** Throws itself, so that the error says which permission is missing. Permissions first: who may not is not asked for a code. */
export const checkPermission: AuthChecker<{ principal: Principal }, Demand> = ({ context: { principal } }, demands) => {
  principal.requireAuthenticated();
  for (const demand of demands) if (demand !== SECOND_FACTOR) principal.require(demand);
  if (demands.includes(SECOND_FACTOR)) principal.requireSecondFactor();
  return true;
};
