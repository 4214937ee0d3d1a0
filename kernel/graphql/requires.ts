import 'reflect-metadata';
import { type AuthCheckerFn, Authorized, Directive } from 'type-graphql';
import { type Permission, type Principal, scopeOf } from '../access/principal.ts';
import { LimitedToAccounts } from '../errors/errors.ts';
import { foundIn } from './input-problems.ts';

/**
 * What a caller who is limited to accounts gets of a field. `account`: what is of these accounts, as the entity that it returns
 * declares (`@OrganizationFilter({ account })`); such a field needs not state it. `organization`: nothing, it concerns the
 * organization as a whole. `open`: what everybody gets. A root field that states none refuses such callers, and fails a test.
 */
export type FieldScope = 'account' | 'organization' | 'open';

/**
 * States the permission of an operation, once: checked before the resolver runs, on every surface, and shown in the SDL as
 * `@requiresScopes`, from where the REST bridge and the OpenAPI document take it.
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
    Authorized<Demand>(...factor(secondFactor), ...stated('open'))(target, key, field);
    Directive('@authenticated')(target, key, field);
    if (secondFactor) Directive(policyOf([SECOND_FACTOR]))(target, key, field);
  };

/** A policy of that name in the SDL: a user who has one enrolled is asked for it (specification 3.6). */
export const SECOND_FACTOR = 'second_factor';
/** Another: whoever is limited to accounts is refused. */
export const ORGANIZATION = 'organization';
const policyOf = (names: readonly string[]): string => `@policy(policies: [["${names.join('", "')}"]])`;

type Judge = (args: unknown, context: unknown) => void;
export type Demand = Permission | typeof SECOND_FACTOR | `scope:${FieldScope}` | Judge;
const factor = (isDemanded: boolean): Demand[] => (isDemanded ? [SECOND_FACTOR] : []);
const stated = (scope: FieldScope | undefined): Demand[] => (scope ? [`scope:${scope}`] : []);
const isScope = (demand: Demand): demand is `scope:${FieldScope}` => typeof demand === 'string' && demand.startsWith('scope:');

/** The scope that a field states, or that was found for it. */
export const scopeIn = (demands: readonly Demand[]): FieldScope | undefined =>
  demands.find(isScope)?.slice('scope:'.length) as FieldScope | undefined;

/**
 * Throws itself, so that the error says which permission is missing. Permissions first: who may not is not asked for a code. False,
 * which makes the field null, for what a record leads to and a caller who is limited to accounts does not see.
 */
export const checkPermission: AuthCheckerFn<{ principal: Principal }, Demand> = ({ args, context, info }, demands) => {
  // a check of the input alone, which the surface authorized
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
