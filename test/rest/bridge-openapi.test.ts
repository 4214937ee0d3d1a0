import { parse as parseSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeRest } from '../../rest-bridge/mount.ts';
import { area, get, post, type RouteOptions } from '../../rest-bridge/route.ts';
import { oauthRoutes } from '../../rest-bridge/routes/oauth.ts';
import { samlRoutes } from '../../rest-bridge/routes/saml.ts';
import { startToyApp, type ToyApp, toys } from './fixtures/toy-app.ts';
import { toySchema } from './fixtures/toy-schema.ts';

let toy: ToyApp;
beforeAll(async () => {
  toy = await startToyApp();
  toy.desk.open('one');
});
afterAll(() => toy.app.close());

type Node = Record<string, unknown>;
const at = (path: string): Node =>
  path.split('.').reduce<Node>((node, name) => node[name.replaceAll('~', '.')] as Node, toy.document as unknown as Node);
const operation = (path: string, method: string): Node => toy.document.paths[path]?.[method] as unknown as Node;
const parameter = (path: string, name: string): Node =>
  (operation(path, 'get').parameters as Node[]).find((entry) => entry.name === name) as Node;

describe('OpenAPI document', () => {
  test('GET /v1/openapi.json returns the generated OpenAPI 3.1 document without authentication', async () => {
    const response = await toy.send({ url: '/v1/openapi.json' });
    expect(response.json()).toEqual(JSON.parse(JSON.stringify(toy.document)));
    expect(toy.document.openapi).toBe('3.1.0');
    expect(toy.app.hasRoute({ method: 'GET', url: '/v1/openapi.json' })).toBe(true);
  });

  test("the OpenAPI document uses 'authOrigin' for OAuth URLs and 'samlOrigin' for the servers of SAML operations", async () => {
    const origins = { origin: 'https://api.example.org', authOrigin: 'https://login.example.org', samlOrigin: 'https://sso.example.org' };
    const { components, paths, servers } = await describeRest({
      schema: toySchema,
      areas: [],
      nonGraphRoutes: [...oauthRoutes, ...samlRoutes],
      ...origins,
    });
    expect(servers).toEqual([{ url: 'https://api.example.org/v1', description: 'The platform.' }]);
    expect(components.securitySchemes?.oauth2).toMatchObject({
      flows: {
        authorizationCode: {
          authorizationUrl: 'https://login.example.org/oauth/authorize',
          tokenUrl: 'https://login.example.org/oauth/token',
        },
      },
    });
    expect(paths['/oauth/token']?.post?.servers).toMatchObject([{ url: 'https://login.example.org' }]);
    expect(paths['/saml/acs']?.post?.servers).toMatchObject([{ url: 'https://sso.example.org' }]);
  });

  test('the OpenAPI document lists every route by its operationId and none of the routes of the Sofa library', () => {
    const ids = Object.values(toy.document.paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
    expect(ids).toEqual(
      expect.arrayContaining(['getTicket', 'createTicket', 'updateTicket', ...toys.routes.map(({ operationId }) => operationId)]),
    );
    expect(Object.keys(toy.document.paths).filter((path) => path.includes('webhook'))).toEqual([]);
  });

  test('the OpenAPI schema of a request body is flat, lists required fields, forbids other fields and has a valid example', async () => {
    const { schema, example } = at('paths./support/tickets.post.requestBody.content.application/json') as { schema: Node; example: object };
    expect(schema).toMatchObject({
      type: 'object',
      required: ['title', 'description'],
      additionalProperties: false,
      properties: {
        title: { type: 'string' },
        priority: { $ref: '#/components/schemas/TicketPriority', default: 'medium' },
        contact: { $ref: '#/components/schemas/TicketContactInput' },
        metadata: { type: 'object', additionalProperties: true },
      },
    });
    expect(at('components.schemas.TicketContactInput')).toMatchObject({ required: ['name'], additionalProperties: false });
    expect((await toy.send({ method: 'POST', url: '/v1/support/tickets', payload: example })).statusCode).toBe(201);
  });

  test('every request example in the OpenAPI document is accepted by its operation', async () => {
    for (const [path, item] of Object.entries(toy.document.paths)) {
      for (const [method, { requestBody }] of Object.entries(item)) {
        const example = requestBody?.content['application/json']?.example;
        if (!example) continue;
        const response = await toy.send({
          method: method.toUpperCase() as 'POST',
          url: `/v1${path.replace(/\{\w+\}/, 'ticket_1')}`,
          payload: example,
        });
        expect(response.statusCode, `${method} ${path}: ${response.body}`).toBeLessThan(300);
      }
    }
  });

  test('a nested input object is a separate schema in the OpenAPI document, with its properties and required fields', () => {
    expect(at('components.schemas.OrderLineInput')).toMatchObject({
      properties: { unit_price: { type: 'number' }, quantity: { type: 'integer' } },
      required: ['unit_price', 'quantity'],
    });
    expect(at('paths./orders.post.requestBody.content.application/json.schema.properties.lines')).toEqual({
      type: 'array',
      items: { $ref: '#/components/schemas/OrderLineInput' },
    });
  });

  test('OpenAPI response schemas list every field as required and mark the nullable ones', () => {
    const record = at('components.schemas.TicketRecord') as { required: string[]; properties: Record<string, Node> };
    expect(record.required).toEqual(Object.keys(record.properties));
    expect(record.properties).toMatchObject({
      customer_id: { type: ['string', 'null'] },
      contact: { oneOf: [{ $ref: '#/components/schemas/TicketContact' }, { type: 'null' }] },
      created_at: { type: 'string', format: 'date-time' },
      priority: { $ref: '#/components/schemas/TicketPriority', description: 'How soon it matters.' },
    });
    expect(at('components.schemas.TicketPriority')).toMatchObject({ type: 'string', enum: ['low', 'medium', 'high', 'critical'] });
  });

  test('OpenAPI response schemas contain the general envelope or the property of the route, and the pagination of lists', () => {
    const success = (path: string, method: string, status: number) =>
      at(`paths.${path}.${method}.responses.${status}.content.application/json.schema`);
    expect(success('/support/tickets/{ticket_id}', 'get', 200)).toMatchObject({
      required: ['ticket'],
      properties: { ticket: { $ref: '#/components/schemas/TicketRecord' } },
    });
    expect(success('/support/tickets', 'get', 200)).toMatchObject({
      required: ['tickets', 'pagination'],
      properties: { tickets: { type: 'array' } },
    });
    expect(success('/toys', 'get', 200)).toMatchObject({ required: ['success', 'data', 'pagination', 'metadata'] });
    expect(success('/toys/{toy_id}', 'get', 200)).toMatchObject({
      required: ['success', 'data', 'metadata'],
      properties: { data: { $ref: '#/components/schemas/Desk' } },
    });
    expect(success('/toys', 'post', 201)).toMatchObject({ properties: { data: { $ref: '#/components/schemas/Ticket' } } });
    expect(success('/toys/count', 'get', 200)).toMatchObject({ required: ['toys', 'total_count', 'has_more'] });
  });

  test('OpenAPI parameters state their location, type and allowed values', () => {
    expect(parameter('/support/tickets/{ticket_id}', 'ticket_id')).toMatchObject({
      in: 'path',
      required: true,
      schema: { type: 'string' },
    });
    expect(parameter('/support/tickets', 'status')).toMatchObject({
      in: 'query',
      required: false,
      explode: false,
      schema: { type: 'array', items: { $ref: '#/components/schemas/TicketStatus' } },
    });
    expect(parameter('/support/tickets', 'sort')).toMatchObject({
      schema: { type: 'string' },
      description: expect.stringContaining('`created_at`, `priority`') as string,
    });
    expect(parameter('/support/tickets/search', 'filters')).toMatchObject({
      style: 'deepObject',
      schema: { $ref: '#/components/schemas/TicketFilter' },
    });
  });

  test('an OpenAPI operation states the permission that its GraphQL field requires', () => {
    expect(operation('/support/tickets', 'post')).toMatchObject({
      'x-permission': 'support:create',
      description: expect.stringContaining('`support:create`') as string,
    });
    expect(operation('/coverage', 'post')).not.toHaveProperty('x-permission');
  });

  test('OpenAPI operations state their rate category, whether they are public, and whether they are additions to the specification', () => {
    expect(operation('/support/tickets/search', 'post')).toMatchObject({ 'x-addition': true });
    expect(operation('/orders', 'post')).toMatchObject({ 'x-rate-category': 'provisioning' });
    expect(operation('/priorities', 'get')).toMatchObject({ security: [] });
  });

  test('an OpenAPI operation lists every status that it can return, and every reference in the document has a target', () => {
    expect(Object.keys(operation('/support/tickets/{ticket_id}', 'put').responses as Node)).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '409',
      '413',
      '415',
      '429',
      '500',
      '503',
    ]);
    for (const [, kind = '', name = ''] of JSON.stringify(toy.document).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      expect(toy.document.components[kind], `${kind}/${name}`).toHaveProperty([name]);
    }
  });
});

describe('invalid routes', () => {
  const start =
    (field: string, path: string, options: Partial<RouteOptions> = {}, build = get) =>
    () =>
      describeRest({ schema: toySchema, areas: [area('A', 'A', [build('op', path, field, { summary: 'S', ...options })])] });
  const bad = { name: 'Bad', selection: '{ colour }' };

  test.each([
    ['a field that the graph does not have', start('nothing', '/a'), /Route op \(GET \/a\): the graph has no field nothing/],
    ['a path parameter without a GraphQL argument', start('priorities', '/a/{a_id}'), /\{a_id\} is not an argument of priorities/],
    [
      'a renamed parameter without a GraphQL argument',
      start('ticket', '/a/{id}', { names: { colour: 'color' } }),
      /colour is not an argument/,
    ],
    ['a selection with an unknown field', start('ticket', '/a/{id}', { select: bad }), /selects Ticket\.colour, which does not exist/],
    ['a selection that is not GraphQL', start('ticket', '/a/{id}', { select: { name: 'V', selection: '{' } }), /Route op .*Syntax Error/],
    [
      'a selected field with a required argument',
      start('ticket', '/a/{id}', { select: { name: 'V', selection: '{ comments }' } }),
      /is not valid in the graph/,
    ],
    [
      'an invalid fixed value',
      start('createTicket', '/a', { fixed: { priority: 'odd' } }, post),
      /the fixed value of priority must be one of/,
    ],
  ])('startup fails if a route has %s', (_, describeBad, message) => {
    expect(describeBad).toThrow(message);
  });

  test('startup fails if two routes have the same operationId', () => {
    const twice = area('A', 'A', [get('op', '/a', 'priorities', { summary: 'S' }), get('op', '/b', 'priorities', { summary: 'S' })]);
    expect(() => describeRest({ schema: toySchema, areas: [twice] })).toThrow(/another route has the same operationId/);
  });
});

test('the GraphQL operation of a REST route contains only the arguments and selected fields of the route', async () => {
  await toy.send({ url: '/v1/toys/ticket_1' });
  expect(toy.desk.last.document).toEqual(
    parseSchema(
      'query getToy($id: ID!) { ticket(id: $id) { id title priority watchers created: createdAt account { id tickets { id status } } } }',
      { noLocation: true },
    ),
  );
});
