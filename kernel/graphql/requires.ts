import 'reflect-metadata';
import { type AuthCheckerFn, Authorized, Directive } from 'type-graphql';
import { type Permission, type Principal, scopeOf } from '../access/principal.ts';
import { LimitedToAccounts } from '../errors/errors.ts';
import { foundIn } from './input-problems.ts';

/**
 * Scope of a field: the records that it returns to callers who are limited to accounts.
 * - `account`: only records of these accounts, as the returned entity declares (`@OrganizationFilter({ account })`). `findScopes` sets this
 *   scope if the field declares none.
 * - `organization`: no records, because the field concerns the whole organization.
 * - `open`: the same records as for other callers. A root field without a scope refuses callers who are limited to accounts. A test fails
 *   if a root field has no scope.
 */
export type FieldScope = 'account' | 'organization' | 'open';

/**
 * Declares the permission of an operation for both REST and GraphQL. The permission is checked before the resolver
 * runs. The SDL shows it as `@requiresScopes`, which the REST bridge and the OpenAPI document use. A caller needs all
 * permissions of a list.
 */
export const Requires =
  <A, C>(
    permission: Permission | readonly Permission[],
    { scope, secondFactor = false, also }: RequiresOptions<A, C> = {},
  ): MethodDecorator =>
  (target, key, descriptor) => {
    const field = descriptor as TypedPropertyDescriptor<unknown>;
    const permissions = [permission].flat() as Permission[];
    const demands: Demand[] = [...permissions, ...(also ? [also as Judge] : []), ...factor(secondFactor), ...stated(scope)];
    Authorized<Demand>(...demands)(target, key, field);
    Directive(`@requiresScopes(scopes: [["${permissions.map(scopeOf).join('", "')}"]])`)(target, key, field);
    const policies = [...(scope === 'organization' ? [ORGANIZATION] : []), ...(secondFactor ? [SECOND_FACTOR] : [])];
    if (policies.length > 0) Directive(policyOf(policies))(target, key, field);
  };

interface RequiresOptions<A, C> {
  secondFactor?: boolean;
  scope?: FieldScope;
  /**
   * Checks permissions that depend on the arguments, such as a permission that the caller grants to others. Throws if
   * the caller lacks a permission. The check runs before the input rules, so that callers without permission do not
   * learn from errors what a valid request contains.
   */
  also?(args: A, context: C): void;
}

/**
 * Declares that an operation concerns only the caller, so any valid credentials are sufficient. The SDL shows it as
 * `@authenticated`.
 */
export const Authenticated =
  ({ secondFactor = false }: { secondFactor?: boolean } = {}): MethodDecorator =>
  (target, key, descriptor) => {
    const field = descriptor as TypedPropertyDescriptor<unknown>;
    Authorized<Demand>(...factor(secondFactor), ...stated('open'))(target, key, field);
    Directive('@authenticated')(target, key, field);
    if (secondFactor) Directive(policyOf([SECOND_FACTOR]))(target, key, field);
  };

/**
 * Name of the policy in the SDL for operations that require a second factor. Users who have enrolled a second factor must pass it before
 * such an operation (specification 3.6).
 */
export const SECOND_FACTOR = 'second_factor';
/** Name of the policy in the SDL for operations that refuse callers who are limited to accounts. */
export const ORGANIZATION = 'organization';
const policyOf = (names: readonly string[]): string => `@policy(policies: [["${names.join('", "')}"]])`;

type Judge = (args: unknown, context: unknown) => void;
export type Demand = Permission | typeof SECOND_FACTOR | `scope:${FieldScope}` | Judge;
const factor = (isDemanded: boolean): Demand[] => (isDemanded ? [SECOND_FACTOR] : []);
const stated = (scope: FieldScope | undefined): Demand[] => (scope ? [`scope:${scope}`] : []);
const isScope = (demand: Demand): demand is `scope:${FieldScope}` => typeof demand === 'string' && demand.startsWith('scope:');

/** Returns the scope that a field declares, or the scope that `findScopes` has set. */
export const scopeIn = (demands: readonly Demand[]): FieldScope | undefined =>
  demands.find(isScope)?.slice('scope:'.length) as FieldScope | undefined;

/**
 * Checks the permission, the second factor and the scope that a field requires, before its resolver runs. If a permission is missing, the
 * function throws an error that names the permission. Permissions are checked before the second factor, so that a caller without permission
 * gets no challenge. If the scope of a field excludes a caller who is limited to accounts, a root field throws LimitedToAccounts. For a
 * field of a record, the function returns false, and the value of the field is null.
 */
export const checkPermission: AuthCheckerFn<{ principal: Principal }, Demand> = ({ args, context, info }, demands) => {
  // the operation is only validated, and the caller has already been authorized
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
