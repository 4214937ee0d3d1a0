import { buildSchema } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { resources } from '../../kernel/errors/resource.ts';
import { compileRoutes } from '../../rest-bridge/compile.ts';
import { area, get, pathParameters, type Route } from '../../rest-bridge/route.ts';
import { operator } from '../operator.setup.ts';
import { rig } from '../rig.ts';
import { isOperators, routes } from '../support/operations.ts';
import { namesRecord, Records } from '../support/records.ts';

const NOBODY = 'none';

let own: Records;
beforeAll(async () => {
  own = new Records(await (await rig()).organization({ plan: 'custom' }), 'Somebody');
});

const lastParameter = ({ path }: Route): string => pathParameters(path).at(-1) ?? '';

describe('resource names in 404 responses', () => {
  const byRecord = Map.groupBy(
    routes.filter((route) => namesRecord(lastParameter(route))),
    lastParameter,
  );

  test.each([...byRecord])(
    'every operation with the path parameter %s returns 404 with the same resource name if the record does not exist',
    async (parameter, asking) => {
      const names = new Map<string, unknown>();
      for (const route of asking) {
        const path = await own.path(route.path, async (name) => (name === parameter ? NOBODY : own.id(name)));
        const caller = isOperators(route) ? await operator() : own.tenant;
        const { status, body } = await caller.rest(route.method, path, { body: route.example && (await own.body(route.example)) });
        expect([status, body.error?.code, body.error?.details.id], route.operationId).toEqual([404, 'RESOURCE_NOT_FOUND', NOBODY]);
        names.set(route.operationId, body.error.details.resource);
      }
      const [name] = names.values();
      expect(resources).toContain(name);
      expect(Object.fromEntries(names)).toEqual(Object.fromEntries(asking.map(({ operationId }) => [operationId, name])));
    },
  );

  test("the message of a 404 response contains a readable resource name, such as 'SLA policy'", async () => {
    const messages = [];
    for (const path of ['/support/sla-policies', '/auth/oauth-clients', '/services/catalog']) {
      const { body } = await own.tenant.rest('GET', `${path}/${NOBODY}`);
      messages.push(body.error.message);
    }
    expect(messages).toEqual(['There is no SLA policy none.', 'There is no OAuth client none.', 'There is no catalog category none.']);
  });
});

test('startup fails if a GET route states no resource name and its type has no known resource name', () => {
  const schema = buildSchema('type Query { ticketSla(id: ID!): SlaStatus } type SlaStatus { escalated: Boolean! }');
  const compile = (resource?: 'ticket') =>
    compileRoutes({
      schema,
      areas: [area('Desk', '', [get('getSla', '/tickets/{id}/sla', 'ticketSla', { summary: '', ...(resource && { resource }) })])],
    });
  expect(() => compile()).toThrow('sla_status');
  expect(compile('ticket')).toMatchObject([{ resource: 'ticket' }]);
});
