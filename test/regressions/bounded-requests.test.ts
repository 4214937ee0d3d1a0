import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await (await rig()).organization({ plan: 'custom' });
});

interface Sent {
  status: number;
  text: string;
  body: Json;
}

/** Posts `body` unchanged, without credentials unless `as` is given. */
async function send(path: string, body: string | Buffer, headers: Record<string, string> = {}, as?: Tenant): Promise<Sent> {
  const response = await fetch(`${tenant.origin}${path}`, {
    method: 'POST',
    body: body as BodyInit,
    headers: { 'content-type': 'application/json', ...(as && { authorization: `Bearer ${as.apiKey}` }), ...headers },
  });
  const text = await response.text();
  return { status: response.status, text, body: text.startsWith('{') ? (JSON.parse(text) as Json) : undefined };
}

const fields = (count: number, name = (index: number) => `field_${index}`): Json =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), 1]));
const LOGIN = '/v1/auth/login';
const TICKETS = '/v1/support/tickets';

describe('requests with many problems', () => {
  test('the error for a body with 62 problems lists the first 20 in the order of the body and states the total', async () => {
    const { status, body } = await send(LOGIN, JSON.stringify({ ...fields(60), password: 7, email: 7 }));
    expect(status).toBe(400);
    const { details } = body.error;
    expect(details.errors.map(({ field }: Json) => field)).toEqual(Array.from({ length: 20 }, (_, index) => `field_${index}`));
    expect([details.problems_total, details.field]).toEqual([62, 'field_0']);
  });

  test('a body with 15,000 fields returns 400 with a single problem, even without credentials', async () => {
    const { status, body, text } = await send(LOGIN, JSON.stringify(fields(15_000)));
    expect(status).toBe(400);
    expect(body.error.details.errors[0]).toEqual({
      field: 'body',
      value: null,
      reason: 'has 15000 fields, at most 100 are accepted',
    });
    expect(text.length).toBeLessThan(2_000);
  });

  test('the error for a field name of 200,000 characters has fewer than 2,000 characters and suggests no other names', async () => {
    const { body, text } = await send(LOGIN, JSON.stringify({ ['x'.repeat(200_000)]: 1 }));
    expect(body.error.details.errors[0]).toMatchObject({ reason: 'is not a known field' });
    expect(text.length).toBeLessThan(2_000);
  });

  test('an object with more than 100 fields and a list with more than 1000 items are each reported as one problem', async () => {
    const sent = { title: 'T', description: 'D', contact: fields(5_000), attachments: Array.from({ length: 1_500 }, () => ({})) };
    const { body } = await send(TICKETS, JSON.stringify(sent), {}, tenant);
    expect(body.error.details.errors.map(({ field, reason }: Json) => `${field} ${reason}`)).toEqual([
      'contact has 5000 fields, at most 100 are accepted',
      'contact.name is required',
      'attachments has 1500 items, at most 1000 are accepted',
    ]);
  });

  test.each([
    ['nested 50,000 levels deep', `{"title":${'['.repeat(50_000)}${']'.repeat(50_000)},"description":"D"}`],
    [
      'nested 50,000 levels deep in free-form metadata',
      `{"title":"T","description":"D","metadata":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`,
    ],
    ['an object with 30,000 fields', JSON.stringify({ title: fields(15_000), description: 'D' })],
    ['a number with 200,000 digits', `{"title":${'9'.repeat(200_000)},"description":"D"}`],
    ['a number beyond the numeric range in free-form metadata', '{"title":"T","description":"D","metadata":{"a":1e999}}'],
    ['an array of 100,000 numbers', `{"title":[${'1,'.repeat(100_000)}1],"description":"D"}`],
  ])('a request with a value that is %s returns 400 and a short error without the value', async (_, sent) => {
    const { status, text } = await send(TICKETS, sent, {}, tenant);
    expect([status, text.length < 2_000]).toEqual([400, true]);
  });

  test('the GraphQL error for 60 invalid input objects lists 20 problems and states the total', async () => {
    const services = Array.from({ length: 60 }, () => ({ serviceId: 's', quantity: -1, unitPrice: 1 }));
    const { errors } = await tenant.graphql('mutation ($input: InvoiceCreateInput!) { createInvoice(input: $input) { id } }', {
      input: { accountId: 'acc_1', services },
    });
    const { details } = (errors as Json)[0].extensions;
    expect(details.errors).toHaveLength(20);
    expect(details.problems_total).toBeGreaterThanOrEqual(60);
  });

  test('the GraphQL error for variables with 82 type errors lists 20 of them and states the total, even without credentials', async () => {
    const query = 'mutation ($input: LoginInput!) { login(input: $input) { accessToken } }';
    const many = await send('/graphql', JSON.stringify({ query, variables: { input: fields(80) } }));
    const { details } = many.body.errors[0].extensions;
    expect([many.status, details.errors.length, details.problems_total]).toEqual([400, 20, 82]);
    expect(details.errors[0]).toEqual({ field: 'input.field_0', value: null, reason: 'is not a known field' });

    const huge = await send('/graphql', JSON.stringify({ query, variables: { input: fields(20_000) } }));
    expect(huge.body.errors[0].extensions.details.errors[0]).toMatchObject({
      field: 'input',
      reason: 'has 20000 fields, at most 100 are accepted',
    });
    expect(huge.text.length).toBeLessThan(2_000);
  });
});

describe('limits of the decoded body size', () => {
  const padded = (bytes: number): string => JSON.stringify({ email: 'a@example.com', password: 'x'.repeat(bytes) });
  const KIB = 1024;

  test.each([
    ['REST', LOGIN, 'application/json', 256],
    ['GraphQL', '/graphql', 'application/json', 1024],
    ['SAML', '/saml/acs', 'application/x-www-form-urlencoded', 512],
    ['the page for forgotten passwords', '/password/forgot', 'application/x-www-form-urlencoded', 64],
    ['the token endpoint', '/oauth/token', 'application/x-www-form-urlencoded', 256],
  ])('a request body for %s that exceeds the size limit returns 413', async (_, path, type, kib) => {
    const form = type !== 'application/json';
    const body = form ? `RelayState=${'x'.repeat(kib * KIB)}` : padded(kib * KIB);
    const { status, body: error } = await send(path, body, { 'content-type': type });
    expect(status).toBe(413);
    if (path.startsWith('/v1'))
      expect(error.error).toMatchObject({ code: 'BODY_TOO_LARGE', request_id: expect.stringMatching(/^req_/) as string });
    if (path === '/graphql') expect(error.errors[0].extensions).toMatchObject({ code: 'BODY_TOO_LARGE' });
  });

  test('an operation with attachments accepts large strings, but returns BODY_TOO_LARGE for more than 100,000 values', async () => {
    const large = JSON.stringify({
      title: 'T',
      description: 'D',
      attachments: [{ filename: 'a', content_type: 'text/plain', data: 'x'.repeat(2_000_000) }],
    });
    expect((await send(TICKETS, large, {}, tenant)).status).not.toBe(413);
    const parts = await send(TICKETS, JSON.stringify(fields(200_000)), {}, tenant);
    expect(parts.body.error).toMatchObject({ code: 'BODY_TOO_LARGE', details: { limit_parts: 100_000 } });
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])(
    'a body compressed with %s is accepted, and a body that decodes to more than the limit returns BODY_TOO_LARGE',
    async (encoding, compress) => {
      const ticket = JSON.stringify({ title: `In ${encoding}`, description: 'Ü'.repeat(10_000) });
      const created = await send(TICKETS, compress(Buffer.from(ticket)), { 'content-encoding': encoding }, tenant);
      expect([created.status, created.body.ticket?.title]).toEqual([201, `In ${encoding}`]);

      const bomb = compress(Buffer.from(padded(300 * KIB)));
      expect(bomb.length).toBeLessThan(10 * KIB);
      expect((await send(LOGIN, bomb, { 'content-encoding': encoding })).body.error.code).toBe('BODY_TOO_LARGE');
      const query = compress(Buffer.from(JSON.stringify({ query: '{ __typename }' })));
      const graphql = await send('/graphql', query, { 'content-encoding': encoding }, tenant);
      expect(graphql.body).toEqual({ data: { __typename: 'Query' } });
    },
  );

  test('an unknown Content-Encoding returns 415, and a body that does not match its Content-Encoding returns INVALID_JSON', async () => {
    expect((await send(LOGIN, '{}', { 'content-encoding': 'compress' })).body.error).toMatchObject({
      code: 'UNSUPPORTED_MEDIA_TYPE',
      details: { supported: ['gzip', 'deflate', 'br'] },
    });
    expect((await send(LOGIN, '{}', { 'content-encoding': 'gzip' })).body.error.code).toBe('INVALID_JSON');
    const form = { 'content-type': 'application/x-www-form-urlencoded', 'content-encoding': 'gzip' };
    expect((await send('/oauth/token', gzipSync('grant_type=client_credentials'), form)).status).toBe(415);
  });

  test('a JSON body in another charset returns 415, and a body with invalid UTF-8 returns INVALID_JSON', async () => {
    expect((await send(LOGIN, '{}', { 'content-type': 'application/json; charset=iso-8859-1' })).status).toBe(415);
    expect((await send(LOGIN, '{}', { 'content-type': 'application/json; charset="UTF-8"' })).status).toBe(400);
    const latin = Buffer.from('{"email":"ü@example.com"}', 'latin1');
    for (const path of [LOGIN, '/graphql']) expect((await send(path, latin)).text).toContain('INVALID_JSON');
    const search = await send('/v1/support/tickets/search', Buffer.from('{"filters":{"text":"ü"}}', 'latin1'), {}, tenant);
    expect(search.body.error.code).toBe('INVALID_JSON');
  });
});
