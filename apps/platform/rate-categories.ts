import type { Priority, RateCategory } from '../../kernel/http/http.ts';
import { countedCategoryOf, priorityOf, type Route } from '../../rest-bridge/route.ts';
import type { Cost } from '../../router/edge/limiter.ts';
import { PRIORITIES, weightOf } from '../../router/edge/plans.ts';
import type { OperationPrice } from '../../router/weight.ts';

/**
 * What operations of the graph cost by the limits of the REST surface (specification 8.4), so that none is circumvented: a
 * root field is of a category when all routes that it serves are counted in it, and costs what the cheapest of them does. Answers
 * undefined for a price that is nothing.
 */
export function costsByRoutes(routes: readonly Route[]): (price: OperationPrice) => Cost | undefined {
  const categories = new Map<string, RateCategory | undefined>();
  for (const { field, ...route } of routes) {
    const category = countedCategoryOf(route);
    categories.set(field, !categories.has(field) || categories.get(field) === category ? category : undefined);
  }
  const surcharges = surchargesOf(routes);
  return ({ weight: usual, requests, fields }) => {
    // a field that costs nothing over REST takes nothing from the request that brought it
    const weight = Math.max(
      0,
      fields.reduce((sum, field) => sum + (surcharges.get(field) ?? 0), usual),
    );
    const counted: Partial<Record<RateCategory, number>> = {};
    for (const field of fields) {
      const category = categories.get(field);
      if (category) counted[category] = (counted[category] ?? 0) + 1;
    }
    return weight > 0 || Object.keys(counted).length > 0 ? { weight, categories: counted, requests } : undefined;
  };
}

/** What fields cost beyond a read or a change: a removal 1, and what a route says of itself. */
function surchargesOf(routes: readonly Route[]): Map<string, number> {
  const surcharges = new Map<string, number>();
  for (const { field, method, weight } of routes) {
    const surcharge = (weight ?? weightOf(method)) - (method === 'GET' ? 1 : 2);
    surcharges.set(field, Math.min(surcharges.get(field) ?? surcharge, surcharge));
  }
  return surcharges;
}

/**
 * How urgent an operation of the graph is (8.4): as the least urgent of its root fields, and each as the least urgent of the
 * routes that it serves, so that nothing jumps the queue in company.
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
