import 'reflect-metadata';
import { type AuthChecker, Authorized, Directive } from 'type-graphql';
import { type Permission, type Principal, scopeOf } from '../access/principal.ts';
import { foundIn } from './input-problems.ts';

/**
 * States the permission of an operation, once: checked before the resolver runs, on every surface, and shown in the SDL as
 * `@requiresScopes`, from where the REST bridge and the OpenAPI document take it.
 */
export const Requires =
  <A, C>(permission: Permission, { secondFactor = false, also }: RequiresOptions<A, C> = {}): MethodDecorator =>
  (target, key, descriptor) => {
    const field = descriptor as TypedPropertyDescriptor<unknown>;
    Authorized<Demand>(permission, ...(also ? [also as Judge] : []), ...factor(secondFactor))(target, key, field);
    Directive(`@requiresScopes(scopes: [["${scopeOf(permission)}"]])`)(target, key, field);
    if (secondFactor) Directive(`@policy(policies: [["${SECOND_FACTOR}"]])`)(target, key, field);
  };

interface RequiresOptions<A, C> {
  secondFactor?: boolean;
  /**
   * What the arguments ask for besides, such as a permission that is handed on: throws where the caller lacks it. It runs before the
   * rules of the input, so that whoever may not do something is not told how to do it right.
   */
  also?(args: A, context: C): void;
}

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
type Judge = (args: unknown, context: unknown) => void;
type Demand = Permission | typeof SECOND_FACTOR | Judge;
const factor = (isDemanded: boolean): Demand[] => (isDemanded ? [SECOND_FACTOR] : []);

/** Throws itself, so that the error says which permission is missing. Permissions first: who may not is not asked for a code. */
export const checkPermission: AuthChecker<{ principal: Principal }, Demand> = ({ args, context }, demands) => {
  // a check of the input alone, which the surface authorized
  if (foundIn(context)) return true;
  const { principal } = context;
  principal.requireAuthenticated();
  for (const demand of demands) {
    if (typeof demand === 'function') demand(args, context);
    else if (demand !== SECOND_FACTOR) principal.require(demand);
  }
  if (demands.includes(SECOND_FACTOR)) principal.requireSecondFactor(demands.find((demand) => typeof demand === 'string'));
  return true;
};
