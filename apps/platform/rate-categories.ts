import type { Priority, RateCategory } from '../../kernel/http/http.ts';
import { countedCategoryOf, priorityOf, type Route } from '../../rest-bridge/route.ts';
import type { Cost } from '../../router/edge/limiter.ts';
import { PRIORITIES, weightOf } from '../../router/edge/plans.ts';
import type { OperationPrice } from '../../router/weight.ts';

/**
 * Returns a function that computes the cost of a GraphQL operation. The cost follows the limits of the REST API
 * (specification 8.4), so that GraphQL does not circumvent them. A root field belongs to a rate category if all REST
 * routes of this field belong to it. A root field costs as much as its cheapest route. A query costs 1, unless a route states its weight.
 * `withoutRoute` returns the category of a root field without a route. The result is undefined for an operation without a cost.
 */
export function costsByRoutes(
  routes: readonly Route[],
  {
    isQuery = () => false,
    withoutRoute = () => undefined,
  }: { isQuery?: (field: string) => boolean; withoutRoute?: (field: string) => RateCategory | undefined } = {},
): (price: OperationPrice) => Cost | undefined {
  const categories = new Map<string, RateCategory | undefined>();
  for (const { field, ...route } of routes) {
    const category = countedCategoryOf(route);
    categories.set(field, !categories.has(field) || categories.get(field) === category ? category : undefined);
  }
  const surcharges = surchargesOf(routes, isQuery);
  return ({ weight: usual, requests, fields }) => {
    // a root field that is free over REST has a negative surcharge, but the total cost must not be negative
    const weight = Math.max(
      0,
      fields.reduce((sum, field) => sum + (surcharges.get(field) ?? 0), usual),
    );
    const counted: Partial<Record<RateCategory, number>> = {};
    for (const field of fields) {
      const category = categories.has(field) ? categories.get(field) : withoutRoute(field);
      if (category) counted[category] = (counted[category] ?? 0) + 1;
    }
    return weight > 0 || Object.keys(counted).length > 0 ? { weight, categories: counted, requests } : undefined;
  };
}

/**
 * Returns the extra cost of each root field, in addition to the usual cost of a query or a mutation. The extra cost is the
 * weight of the REST route minus the usual cost. If a field has several routes, the lowest extra cost applies.
 */
function surchargesOf(routes: readonly Route[], isQuery: (field: string) => boolean): Map<string, number> {
  const surcharges = new Map<string, number>();
  for (const { field, method, weight } of routes) {
    // the weight of a POST is not the weight of the query that it runs
    const usual = weight === undefined ? Math.min(2, weightOf(method)) : isQuery(field) ? 1 : 2;
    const surcharge = (weight ?? weightOf(method)) - usual;
    surcharges.set(field, Math.min(surcharges.get(field) ?? surcharge, surcharge));
  }
  return surcharges;
}

/**
 * Returns a function that determines the priority of an operation (specification 8.4): the priority of its least urgent
 * root field. A root field has the priority of its least urgent route. So a field does not get a higher priority if it
 * is combined with urgent fields.
 */
export function prioritiesByRoutes(routes: readonly Route[]): (price: OperationPrice) => Priority {
  const priorities = new Map<string, number>();
  for (const route of routes) {
    priorities.set(route.field, Math.max(priorities.get(route.field) ?? 0, PRIORITIES.indexOf(priorityOf(route))));
  }
  const normal = PRIORITIES.indexOf('normal');
  return ({ fields }) => {
    const known = fields.filter((name) => !name.startsWith('__')).map((name) => priorities.get(name) ?? normal);
    return PRIORITIES[Math.max(...known)] ?? 'normal';
  };
}

/**
 * Returns the category of a root field without a REST route, so that mutations without a REST route do not circumvent the limits. Mutations
 * with a billing permission belong to `billing`, and orders to `provisioning`: they are the mutations with `services:create` that require
 * a second factor. `permissionOf` returns the permission of a field such as `Mutation.sendInvoice`.
 */
export const categoryByPermission =
  (
    permissionOf: (coordinate: string) => string | undefined,
    hasPolicy: (coordinate: string, policy: 'second_factor') => boolean,
  ): ((field: string) => RateCategory | undefined) =>
  (field) => {
    const coordinate = `Mutation.${field}`;
    const permission = permissionOf(coordinate);
    if (permission?.startsWith('billing:')) return 'billing';
    return permission === 'services:create' && hasPolicy(coordinate, 'second_factor') ? 'provisioning' : undefined;
  };
