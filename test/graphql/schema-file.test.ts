import { readFileSync } from 'node:fs';
import { buildClientSchema, buildSchema, getIntrospectionQuery, printSchema } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { rig } from '../rig.ts';
import type { Tenant } from '../tenant.ts';

let tenant: Tenant;
let url: string;
beforeAll(async () => {
  tenant = await (await rig()).organization();
  url = `${tenant.origin}/graphql/schema.graphql`;
});

describe('GET /graphql/schema.graphql', () => {
  test('GET /graphql/schema.graphql returns the committed API schema without credentials', async () => {
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/graphql; charset=utf-8');
    const sdl = await response.text();
    expect(sdl).toBe(readFileSync('schema/api.graphql', 'utf8'));
    const fields = buildSchema(sdl).getMutationType()?.getFields();
    expect(fields?.redeliver?.deprecationReason).toBe('Use `redeliverWebhookDelivery`.');
    expect(sdl).not.toMatch(/@(key|join__|link|requiresScopes|policy|authenticated|shareable)|_entities|_service/);
  });

  test('GET /graphql/schema.graphql with the current ETag in If-None-Match returns 304', async () => {
    const tag = (await fetch(url)).headers.get('etag') ?? '';
    expect(tag).toMatch(/^"/);
    const again = await fetch(url, { headers: { 'if-none-match': tag } });
    expect(again.status).toBe(304);
    expect(again.headers.get('etag')).toBe(tag);
  });

  test('/graphql/schema.graphql supports HEAD and OPTIONS, and other methods return 405 METHOD_NOT_ALLOWED', async () => {
    const head = await fetch(url, { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    const options = await fetch(url, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const refused = await fetch(url, { method });
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
      expect(await refused.json()).toMatchObject({ error: { code: 'METHOD_NOT_ALLOWED' } });
    }
  });

  test('the schema file equals the introspected schema, and introspection without credentials returns 401', async () => {
    const query = getIntrospectionQuery({ specifiedByUrl: true, inputValueDeprecation: true, oneOf: true });
    const { data } = await tenant.graphql(query);
    const introspected = printSchema(buildClientSchema(data));
    expect(`${introspected.trim()}\n`).toBe(await (await fetch(url)).text());
    const body = JSON.stringify({ query });
    const anonymous = await fetch(`${tenant.origin}/graphql`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect(anonymous.status).toBe(401);
  });
});

describe('descriptions of root fields', () => {
  const described = async (type: string, field: string): Promise<string> => {
    const { data } = await tenant.graphql(`{ __type(name: "${type}") { fields(includeDeprecated: true) { name description } } }`);
    return data.__type.fields.find(({ name }: { name: string }) => name === field).description;
  };

  test.each([
    ['Query', 'tickets', 'Permission: `support:read`. Rate limit weight: 1. Cost: 1 + 1 per node.'],
    ['Query', 'callerIdentity', 'Permission: any valid credentials. Rate limit weight: 1. Cost: 1.'],
    ['Query', 'webhookEvents', 'Permission: `webhooks:read`. Rate limit weight: 1. Cost: 1 per item (20 assumed).'],
    ['Mutation', 'login', 'Permission: none. Rate limit weight: 2. Cost: 1.'],
    [
      'Mutation',
      'deleteApiKey',
      'Permission: `credentials:write`. Users must have verified a second factor if they have one or their organization requires one. Refused for callers that are limited to accounts. Rate limit weight: 3. Cost: 1.',
    ],
    [
      'Mutation',
      'createInvoice',
      'Permission: `billing:create`. Rate limit weight: 2. Also counts against the limit of `billing`. Cost: 1.',
    ],
    ['Subscription', 'ticketUpdated', 'Permission: `support:read`. Rate limit weight: 1. Cost: 1 per event.'],
  ])('the description of %s.%s ends with its permission, rate limit weight and cost', async (type, field, facts) => {
    expect((await described(type, field)).split('\n\n').at(-1)).toBe(facts);
  });

  test('OpenAPI descriptions do not repeat the paragraph on permission, weight and cost that ends GraphQL descriptions', async () => {
    const openapi = await (await fetch(`${tenant.origin}/v1/openapi.json`)).text();
    expect(openapi).not.toContain('Rate limit weight:');
    expect(openapi).not.toContain('Permission: `support:read`. Rate');
  });
});
