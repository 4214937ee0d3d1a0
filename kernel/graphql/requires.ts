import 'reflect-metadata';
import { type AuthCheckerFn, Authorized, Directive } from 'type-graphql';
import { type Permission, type Principal, scopeOf } from '../access/principal.ts';
import { LimitedToAccounts } from '../errors/errors.ts';
import { foundIn } from './input-problems.ts';

/**
 * What callers who are limited to accounts get from a field.
 * - `account`: only records of these accounts, as the returned entity declares (`@OrganizationFilter({ account })`). Such a field need not
 *   declare it.
 * - `organization`: nothing, because it concerns the organization as a whole.
 * - `open`: the same as everybody.
 * A root field without a scope refuses such callers, and fails a test.
 */
export type FieldScope = 'account' | 'organization' | 'open';

/**
 * Declares the permission of an operation, in one place. It is checked before the resolver runs, on every surface. The SDL shows it as
 * `@requiresScopes`, from which the REST bridge and the OpenAPI document take it.
 */
export const Requires =
  <A, C>(permission: Permission, { scope, secondFactor = false, also }: RequiresOptions<A, C> = {}): MethodDecorator =>
  (target, key, descriptor) => {
    const field = descriptor as TypedPropertyDescriptor<unknown>;
    const demands: Demand[] = [permission, ...(also ? [also as Judge] : []), ...factor(secondFactor), ...stated(scope)];
    Authorized<Demand>(...demands)(target, key, field);
    Directive(`@requiresScopes(scopes: [["${scopeOf(permission)}"]])`)(target, key, field);
    const policies = [...(scope === 'organization' ? [ORGANIZATION] : []), ...(secondFactor ? [SECOND_FACTOR] : [])];
    if (policies.length > 0) Directive(policyOf(policies))(target, key, field);
  };

interface RequiresOptions<A, C> {
  secondFactor?: boolean;
  scope?: FieldScope;
  /**
   * Checks what the arguments require in addition, such as a permission that the caller grants to others. Throws if the caller lacks it.
   * It runs before the input rules, so that callers without permission do not learn how to form a valid request.
   */
  also?(args: A, context: C): void;
}

/** Declares that an operation concerns only the caller: any valid credentials are sufficient. The SDL shows it as `@authenticated`. */
export const Authenticated =
  ({ secondFactor = false }: { secondFactor?: boolean } = {}): MethodDecorator =>
  (target, key, descriptor) => {
    const field = descriptor as TypedPropertyDescriptor<unknown>;
    Authorized<Demand>(...factor(secondFactor), ...stated('open'))(target, key, field);
    Directive('@authenticated')(target, key, field);
    if (secondFactor) Directive(policyOf([SECOND_FACTOR]))(target, key, field);
  };

/** Policy in the SDL: users who have enrolled a second factor must pass it (specification 3.6). */
export const SECOND_FACTOR = 'second_factor';
/** Policy in the SDL: callers who are limited to accounts are refused. */
export const ORGANIZATION = 'organization';
const policyOf = (names: readonly string[]): string => `@policy(policies: [["${names.join('", "')}"]])`;

type Judge = (args: unknown, context: unknown) => void;
export type Demand = Permission | typeof SECOND_FACTOR | `scope:${FieldScope}` | Judge;
const factor = (isDemanded: boolean): Demand[] => (isDemanded ? [SECOND_FACTOR] : []);
const stated = (scope: FieldScope | undefined): Demand[] => (scope ? [`scope:${scope}`] : []);
const isScope = (demand: Demand): demand is `scope:${FieldScope}` => typeof demand === 'string' && demand.startsWith('scope:');

/** The scope that a field declares, or that was derived for it. */
export const scopeIn = (demands: readonly Demand[]): FieldScope | undefined =>
  demands.find(isScope)?.slice('scope:'.length) as FieldScope | undefined;

/**
 * Checks the demands of a field. It throws by itself, so that the error names the missing permission. Permissions come first: a caller
 * without permission is not asked for a second factor.
 * Returns false, which makes the field null, for a field of a record that a caller limited to accounts must not see.
 */
export const checkPermission: AuthCheckerFn<{ principal: Principal }, Demand> = ({ args, context, info }, demands) => {
  // a validation of the input only, which the surface has authorized
  if (foundIn(context)) return true;
  const { principal } = context;
  principal.requireAuthenticated();
  for (const demand of demands) {
    if (typeof demand === 'function') demand(args, context);
    else if (demand !== SECOND_FACTOR && !isScope(demand)) principal.require(demand);
  }
  if (principal.accounts !== null && !SHOWN_TO_LIMITED.has(scopeIn(demands))) {
    if (!ROOTS.has(info.parentType.name)) return false;
    throw new LimitedToAccounts();
  }
  if (demands.includes(SECOND_FACTOR)) principal.requireSecondFactor(demands.find((demand) => typeof demand === 'string'));
  return true;
};

const SHOWN_TO_LIMITED: ReadonlySet<FieldScope | undefined> = new Set(['account', 'open']);
const ROOTS = new Set(['Query', 'Mutation', 'Subscription']);
