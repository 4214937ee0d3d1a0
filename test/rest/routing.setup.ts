import { expect } from 'vitest';
import type { Json, RestResponse, Tenant } from '../tenant.ts';

/** Creates a rule with an action; returns the unchecked response. */
export const postRule = (tenant: Tenant, rule: object = {}): Promise<RestResponse> =>
  tenant.rest('POST', '/support/routing-rules', { body: { rule_name: 'A rule', actions: { notify: ['noc@example.com'] }, ...rule } });

export async function makeRule(tenant: Tenant, rule: object = {}): Promise<Json> {
  const answer = await postRule(tenant, rule);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.data;
}

/** The rule that a ticket was routed by. */
export async function ruleOf(tenant: Tenant, { id }: Json): Promise<Json> {
  const { data, errors } = await tenant.graphql('query ($id: ID!) { ticket(id: $id) { routingRule { id ruleName } } }', { id });
  expect(errors).toBeUndefined();
  return data.ticket.routingRule;
}

/** The status and code of a refusal, and the fields that it names. */
export const problems = ({ status, body }: RestResponse): [number, string, string[]] => [
  status,
  body.error?.code,
  (body.error?.details.errors ?? []).map(({ field }: Json) => field),
];
