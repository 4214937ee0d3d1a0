import { pathParameters, type Route } from '../../rest-bridge/route.ts';
import { operator } from '../operator.setup.ts';
import type { RestResponse } from '../tenant.ts';
import { type Call, callers } from './callers.ts';
import { isOperators, operationOf } from './operations.ts';
import { Records } from './records.ts';

/**
 * Calls an operation with the example of its request body, in which ids refer to existing records, so that the call
 * succeeds. Calls share `records`, except that each DELETE request gets its own records. A call that needs a webhook gets
 * its own, which delivers to `receiver`.
 */
export async function callWithExample(route: Route, records: Records, receiver: string): Promise<RestResponse> {
  const { tenant, label } = records;
  const own = new Records(tenant, label, receiver);
  const [ended] = route.method === 'DELETE' ? pathParameters(route.path).slice(-1) : ['webhook_id'];
  const from = route.method === 'DELETE' ? own : records;
  const idOf = (name: string) => (name === ended ? own.fresh(name) : from.id(name));
  const example = operationOf(route).requestBody?.content['application/json'].example;
  const body = route.method === 'GET' ? undefined : example && (await own.body(example, idOf));
  const call = (await callers[route.operationId]?.(tenant)) ?? { caller: isOperators(route) ? await operator() : tenant, body };
  return call.caller.rest(route.method, await own.path(withIds(route.path, call.ids), idOf), { body: call.body });
}

const withIds = (path: string, ids: Call['ids'] = {}): string =>
  Object.entries(ids).reduce((filled, [name, id]) => filled.replace(`{${name}}`, id), path);
