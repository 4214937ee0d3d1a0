import { beforeAll, describe, expect, test } from 'vitest';
import type { Route } from '../../rest-bridge/route.ts';
import { receiver } from '../events/receiver.ts';
import { authorizeUrl, registered } from '../oauth.setup.ts';
import { rig } from '../rig.ts';
import { callWithExample } from '../support/example-calls.ts';
import { deviationsFrom } from '../support/json-schema.ts';
import { openApiAjv, responseDeviations, validatable } from '../support/openapi-schemas.ts';
import { bodyFields, nonGraph, openapi, operationOf, resolved, routes, titled, withField } from '../support/operations.ts';
import { Records } from '../support/records.ts';
import { type Json, type RestResponse, Tenant } from '../tenant.ts';

const ajv = openApiAjv();
const deviations = (method: Route['method'], path: string, { status, body }: RestResponse): string[] =>
  responseDeviations(ajv, { method, path }, status, body);

/** Content of 2xx responses, except downloaded files. */
const successes = (responses: Json): [string, Json][] =>
  Object.entries<Json>(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, response]) => Object.entries<Json>(response.content ?? {}))
    .filter(([type]) => !FILES.includes(type));
const FILES = ['*/*', 'application/gzip'];

/** The origin in the committed OpenAPI document. */
const NEUTRAL = 'https://api.example.com';

let tenant: Tenant;
let records: Records;
beforeAll(async () => {
  tenant = await (await rig()).organization({ plan: 'custom' });
  records = new Records(tenant, 'OpenAPI');
});

describe('OpenAPI document of the running platform', () => {
  test('the served OpenAPI document equals the committed document, except that it contains the address of the server', async () => {
    const served = await (await fetch(`${tenant.origin}/v1/openapi.json`)).text();
    expect(JSON.parse(served).servers).toEqual([{ url: `${tenant.origin}/v1`, description: 'The platform.' }]);
    const example = JSON.stringify(openapi.components.securitySchemes.oauth2.flows);
    expect(served).toContain(example.replaceAll(NEUTRAL, tenant.origin));
    expect(JSON.parse(served.replaceAll(tenant.origin, NEUTRAL))).toEqual(openapi);
  });

  test('the OpenAPI document has a webhook for every event type, with a valid example and the signature headers', async () => {
    const { body } = await tenant.rest('GET', '/webhooks/events');
    expect(Object.keys(openapi.webhooks).toSorted()).toEqual(body.data.map(({ name }: Json) => name).toSorted());
    for (const [name, { post }] of Object.entries<Json>(openapi.webhooks)) {
      const { schema, example } = post.requestBody.content['application/json'];
      expect(deviationsFrom(ajv, validatable(schema), example), name).toEqual([]);
      expect(example.event).toBe(name);
      expect(post.parameters.map((header: Json) => header.name)).toContain('webhook-signature');
    }
  });

  test('the OpenAPI description of every operation states the response, the cost and the errors', () => {
    const terse = routes.filter((route) => {
      const { summary, description } = operationOf(route);
      return !/Responds with .*\n\n.*Costs .*\n\nErrors:\n\n- `/s.test(description) || description.length < 2 * summary.length;
    });
    expect(terse.map(({ operationId }) => operationId)).toEqual([]);
  });

  test('the OpenAPI document states the OAuth scope of the permission that each operation requires', () => {
    const { scopes } = openapi.components.securitySchemes.oauth2.flows.authorizationCode;
    for (const route of routes) {
      const { security, 'x-permission': permission } = operationOf(route);
      const alternative = security?.find((one: Json) => one.oauth2);
      if (!permission) expect(security ?? []).toEqual([]);
      else if (permission.startsWith('platform:')) expect(alternative, route.operationId).toBeUndefined();
      else expect(scopes, route.operationId).toHaveProperty([alternative.oauth2[0]], `The permission \`${permission}\`.`);
    }
  });

  test('every tag of the OpenAPI document is in exactly one tag group', () => {
    const grouped = openapi['x-tagGroups'].flatMap(({ tags }: Json) => tags);
    expect(grouped.toSorted()).toEqual(openapi.tags.map(({ name }: Json) => name).toSorted());
  });

  test('the OpenAPI document describes all routes of the platform and no others', () => {
    const described = Object.entries<Json>(openapi.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.toSorted()).toEqual(
      [...titled(routes).map(([title]) => title), ...nonGraph.map(({ method, path }) => `${method} ${path}`)].toSorted(),
    );
  });

  test('every /v1 operation in the OpenAPI document that is not in the route table exists at its documented path', async () => {
    const headers = { accept: 'application/json', authorization: `Bearer ${tenant.apiKey}` };
    for (const { method, path } of nonGraph.filter(({ operation }) => !operation.servers)) {
      const answer = await fetch(`${tenant.origin}/v1${path.replace(/\{\w+\}/g, 'none')}`, { method, headers, redirect: 'manual' });
      const code = /"code":"(ROUTE_NOT_FOUND|METHOD_NOT_ALLOWED)"/.exec(await answer.text())?.[1];
      expect(code, `${method} ${path}`).toBeUndefined();
    }
  });

  test('every operationId in the OpenAPI document is unique', () => {
    const ids = Object.values<Json>(openapi.paths).flatMap((item) => Object.values<Json>(item).map(({ operationId }) => operationId));
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test('descriptions in the OpenAPI document use REST names instead of GraphQL names', () => {
    const described = JSON.stringify(openapi);
    for (const name of ['next_cursor', 'next_attempt_at', 'skipped']) expect(described).toContain(`\`${name}\``);
    for (const name of ['nextCursor', 'nextAttemptAt', 'SKIPPED']) expect(described).not.toContain(`\`${name}\``);
  });

  test('no OpenAPI description says that a missing record is null, because REST returns 404', () => {
    const wrong = routes.filter((route) => /Null if [^.]*does not exist/.test(operationOf(route).description));
    expect(wrong.map(({ operationId }) => operationId)).toEqual([]);
  });

  test('every request body in the OpenAPI document has an example', () => {
    const bare = routes.filter((route) => {
      const content = operationOf(route).requestBody?.content['application/json'];
      return content && !content.example;
    });
    expect(bare.map(({ operationId }) => operationId)).toEqual([]);
  });

  test('every successful response in the OpenAPI document has an example that matches its schema (recorded by npm run examples)', () => {
    const described = Object.entries<Json>(openapi.paths).flatMap(([path, item]) =>
      Object.entries<Json>(item).flatMap(([method, { operationId, responses }]) =>
        successes(responses).map((content) => ({ path, method, operationId, content })),
      ),
    );
    const wrong = described.flatMap(({ operationId, content: [type, { schema, example }] }) => {
      if (example === undefined) return `${operationId} has no example of ${type}`;
      return deviationsFrom(ajv, validatable(schema), example).map((deviation) => `${operationId} ${deviation}`);
    });
    expect(wrong).toEqual([]);
    expect(described.length).toBeGreaterThan(170);
  });

  test('the example of every list in the OpenAPI document has an entry', () => {
    const lists = routes.flatMap((route) => {
      const [content] = successes(operationOf(route).responses);
      const example = content?.[1].example ?? {};
      const list = Array.isArray(example.data) ? example.data : Object.values<Json>(example).find(Array.isArray);
      return route.method === 'GET' && !route.path.endsWith('}') && Array.isArray(list) ? [[route.operationId, list.length] as const] : [];
    });
    expect(lists.length).toBeGreaterThan(40);
    expect(lists.filter(([, length]) => length === 0)).toEqual([]);
  });

  test('no example in the OpenAPI document contains a secret that could be valid', () => {
    const secrets = JSON.stringify(openapi).match(/\b(sk_live|whsec|rt|cs)_(?!EXAMPLE)[A-Za-z0-9+/]{20,}|\beyJ[\w-]{30,}/g);
    expect(secrets).toBeNull();
  });
});

describe('documented examples', () => {
  test.each(titled(routes))(
    'the request with the documented example succeeds, and the response matches its documented schema: %s',
    async (_, route) => {
      const { url } = await receiver();
      const answer = await callWithExample(route, records, url);
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
      expect(deviations(route.method, route.path, answer)).toEqual([]);
    },
  );
});

describe('unknown ids in a body', () => {
  const unknown = 'none_01JQ8Z6V4T9M3N2B1C0D9E8F7G';
  const naming = routes.filter((route) => route.example && route.method !== 'GET' && idsIn(route).length > 0);
  test.each(titled(naming))('an unknown id in the body returns a response that matches the OpenAPI document: %s', async (_, route) => {
    const body = await records.body(route.example);
    for (const path of idsIn(route)) {
      const sent = { body: withField(body, path, unknown) };
      const answer = await tenant.rest(route.method, await records.path(route.path, (name) => records.id(name)), sent);
      if (answer.status >= 400) expect(deviations(route.method, route.path, answer), path.join('.')).toEqual([]);
    }
  });

  function idsIn(route: Route): string[][] {
    return bodyFields(route, (name) => /(^|_)ids?$/.test(name));
  }
});

describe('accepted request bodies', () => {
  const accepted = (path: string, method: string, body: Json): string[] => {
    const { schema } = openapi.paths[path][method].requestBody.content['application/json'];
    return deviationsFrom(ajv, validatable(schema), body);
  };

  test.each(titled(routes.filter(({ example }) => example)))(
    'the OpenAPI request schema of %s accepts the documented example',
    (_, route) => {
      expect(accepted(route.path, route.method.toLowerCase(), JSON.parse(JSON.stringify(route.example)))).toEqual([]);
    },
  );

  test('the OpenAPI schema of a ticket search accepts filters as single values and as lists', async () => {
    const body = {
      filters: { customer_id: 'cust_01JQ8Z6V4T9M3N2B1C0D9E8F7G', status: ['open'], priority: ['high'], category: 'connectivity' },
    };
    expect((await tenant.rest('POST', '/support/tickets/search', { body })).status).toBe(200);
    for (const method of ['get', 'post']) expect(accepted('/support/tickets/search', method, body)).toEqual([]);
  });
});

describe('operations outside /v1', () => {
  const outside = nonGraph.filter(({ operation }) => operation.servers);
  test.each(outside.map((one) => [`${one.method} ${one.path}`, one] as const))(
    'responses of an operation outside /v1 have a documented status and media type: %s',
    async (_, { method, path, operation }) => {
      for (const query of ['', '?nonsense=1']) {
        const body = method === 'POST' ? new URLSearchParams({ nonsense: '1' }) : undefined;
        const answer = await fetch(`${tenant.origin}${path}${query}`, { method, body, redirect: 'manual' });
        const described = resolved(operation.responses[answer.status]);
        expect(described, `${answer.status}`).toBeDefined();
        const type = answer.headers.get('content-type')?.split(';', 1)[0];
        const length = (await answer.text()).length;
        if (length > 0) expect(Object.keys(described.content ?? {})).toContain(type);
      }
    },
  );

  test('the 303 response of /oauth/authorize has a documented media type', async () => {
    const client = await registered(tenant);
    const url = authorizeUrl(tenant.origin, { client });
    for (const accept of ['text/html', '*/*', 'application/json']) {
      const answer = await fetch(url, { redirect: 'manual', headers: { accept } });
      expect(answer.status).toBe(303);
      const described = openapi.paths['/oauth/authorize'].get.responses[303].content ?? {};
      const body = await answer.text();
      if (body) expect(Object.keys(described)).toContain(answer.headers.get('content-type')?.split(';', 1)[0]);
    }
  });
});

describe('documented errors', () => {
  test.each(titled(routes))(
    'error responses match the OpenAPI document for an unknown parameter, malformed JSON and an invalid API key: %s',
    async (_, route) => {
      const body = route.method === 'GET' ? undefined : { nonsense: true };
      const path = await records.path(route.path, async () => 'none_01JQ8Z6V4T9M3N2B1C0D9E8F7G');
      const refused = [
        await tenant.rest(route.method, `${path}${path.includes('?') ? '&' : '?'}nonsense=1`, { body }),
        await tenant.rest(route.method, path, { body: body && '{', headers: {} }),
        await new Tenant(tenant.origin, '', 'sk_live_none').rest(route.method, path, { body: body && route.example }),
      ];
      for (const answer of refused.filter(({ status }) => status >= 400)) {
        expect(deviations(route.method, route.path, answer), `${answer.status}`).toEqual([]);
      }
      expect(refused.filter(({ status }) => status >= 500)).toEqual([]);
      if (route.access !== 'public') expect(refused.some(({ status }) => status === 401)).toBe(true);
    },
  );
});
