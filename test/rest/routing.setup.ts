import { expect } from 'vitest';
import type { Json, RestResponse, Tenant } from '../tenant.ts';

/** Creates a routing rule that notifies an address, and returns the response without checking it. */
export const postRule = (tenant: Tenant, rule: object = {}): Promise<RestResponse> =>
  tenant.rest('POST', '/support/routing-rules', { body: { rule_name: 'A rule', actions: { notify: ['noc@example.com'] }, ...rule } });

export async function makeRule(tenant: Tenant, rule: object = {}): Promise<Json> {
  const response = await postRule(tenant, rule);
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return response.body.data;
}

/** The routing rule that matched a ticket, or null. */
export async function ruleOf(tenant: Tenant, { id }: Json): Promise<Json> {
  const { data, errors } = await tenant.graphql('query ($id: ID!) { ticket(id: $id) { routingRule { id ruleName } } }', { id });
  expect(errors).toBeUndefined();
  return data.ticket.routingRule;
}

/** The status and code of an error response and the fields in its details. */
export const problems = ({ status, body }: RestResponse): [number, string, string[]] => [
  status,
  body.error?.code,
  (body.error?.details.errors ?? []).map(({ field }: Json) => field),
];
