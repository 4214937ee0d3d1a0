import { beforeAll, expect, test } from 'vitest';
import type { NonGraphRoute } from '../../rest-bridge/route.ts';
import { basic, registered } from '../oauth.setup.ts';
import { rig } from '../rig.ts';
import { nonGraph } from '../support/operations.ts';
import type { Tenant } from '../tenant.ts';

let tenant: Tenant;
let client: string;
beforeAll(async () => {
  tenant = await (await rig()).organization();
  client = basic(await registered(tenant));
});

/** A text with a null character, which PostgreSQL cannot store. */
const NUL = 'a%00b';

interface Input {
  method: string;
  path: string;
  query?: readonly string[];
  form?: readonly string[];
}

/** Operations that the REST bridge does not handle. The bridge checks the texts of all other operations. */
const described = nonGraph.map(({ method, path, operation }: NonGraphRoute): Input => {
  const query = (operation.parameters ?? []).flatMap((one) => ('in' in one && one.in === 'query' ? [one.name] : []));
  const schema = operation.requestBody?.content['application/x-www-form-urlencoded']?.schema;
  return { method, path: operation.servers ? path : `/v1${path}`, query, form: membersOf(schema) };
});
const pages: Input[] = [
  { method: 'GET', path: '/password', query: ['token'] },
  { method: 'POST', path: '/password', form: ['token', 'password'] },
  { method: 'POST', path: '/password/forgot', form: ['email'] },
  { method: 'GET', path: '/oauth/authorize/{uid}' },
  { method: 'GET', path: '/oauth/interaction/{uid}' },
  { method: 'POST', path: '/oauth/interaction/{uid}/{step}', form: ['email', 'password', 'code'] },
  { method: 'GET', path: '/oauth/device', query: ['user_code'] },
  { method: 'POST', path: '/oauth/device', form: ['xsrf', 'user_code', 'confirm'] },
  { method: 'GET', path: '/oauth/device/{uid}' },
  { method: 'GET', path: '/oauth/logout', query: ['id_token_hint', 'client_id', 'post_logout_redirect_uri', 'state'] },
  { method: 'POST', path: '/oauth/logout/confirm', form: ['xsrf', 'logout'] },
];

/** The field names of a form, including fields of its alternative schemas. */
function membersOf(schema: unknown): string[] {
  const { properties = {}, oneOf = [], anyOf = [] } = Object(schema) as { properties?: object; oneOf?: unknown[]; anyOf?: unknown[] };
  return [...new Set([...Object.keys(properties), ...[...oneOf, ...anyOf].flatMap(membersOf)])];
}

/** Yields one request for each path parameter, query parameter and form field, with a null character in its value. */
function* attempts({ method, path, query = [], form = [] }: Input): Generator<[url: string, init: RequestInit]> {
  const places = [...[...path.matchAll(/\{\w+\}/g)].map(([place]) => place), ...query, ...form];
  for (const place of places) {
    const textOf = (name: string): string => (name === place ? NUL : 'x');
    const pairs = (names: readonly string[]): string => names.map((name) => `${name}=${textOf(name)}`).join('&');
    const url = `${path.replace(/\{\w+\}/g, textOf)}${query.length > 0 ? `?${pairs(query)}` : ''}`;
    const headers = { authorization: path.startsWith('/oauth') ? client : `Bearer ${tenant.apiKey}` };
    if (method !== 'POST') yield [url, { method, headers }];
    else {
      const type = form.length > 0 ? 'application/x-www-form-urlencoded' : 'application/json';
      yield [url, { method, headers: { ...headers, 'content-type': type }, body: form.length > 0 ? pairs(form) : '{}' }];
    }
  }
}

test.each([...described, ...pages].map((input) => [`${input.method} ${input.path}`, input] as const))(
  'a null character in any input returns a status below 500: %s',
  async (_, input) => {
    for (const [url, init] of attempts(input)) {
      const response = await fetch(tenant.origin + url, { ...init, redirect: 'manual' });
      await response.body?.cancel();
      expect(response.status, `${url} ${init.body ?? ''}`).toBeLessThan(500);
    }
  },
);

test('an attachment id with a null character returns 400 INVALID_PARAMETERS for the field attachment_id', async () => {
  const { status, body } = await tenant.rest('GET', '/attachments/a%00b');
  expect([status, body.error.code, body.error.details.field]).toEqual([400, 'INVALID_PARAMETERS', 'attachment_id']);
});
