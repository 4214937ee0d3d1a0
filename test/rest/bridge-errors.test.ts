import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startToyApp, type ToyApp } from './fixtures/toy-app.ts';

let toy: ToyApp;
beforeAll(async () => {
  toy = await startToyApp();
  toy.desk.open('one');
});
afterAll(() => toy.app.close());

interface Refusal {
  status: number;
  code: string;
  message: string;
  details: Record<string, unknown>;
}
async function refusal(options: Parameters<ToyApp['send']>[0]): Promise<Refusal> {
  const response = await toy.send(options);
  const { error } = response.json<{ error: Omit<Refusal, 'status'> & { request_id: string } }>();
  expect(error.request_id).toBe(response.headers['x-request-id']);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  return { ...error, status: response.statusCode };
}

describe('GraphQL errors over REST', () => {
  test('if GraphQL returns null for a record, the REST response is 404 RESOURCE_NOT_FOUND', async () => {
    expect(await refusal({ url: '/v1/support/tickets/ticket_9' })).toMatchObject({
      status: 404,
      code: 'RESOURCE_NOT_FOUND',
      details: { resource: 'ticket', id: 'ticket_9' },
    });
    expect(await refusal({ method: 'PUT', url: '/v1/support/tickets/ticket_9', payload: {} })).toMatchObject({
      status: 404,
      code: 'RESOURCE_NOT_FOUND',
    });
  });

  test('the code of a GraphQL error determines the HTTP status of the REST response, and the response contains the error details', async () => {
    expect(await refusal({ url: '/v1/fails/state' })).toMatchObject({
      status: 409,
      code: 'INVALID_STATE',
      details: { from: 'resolved', to: 'escalated', allowed: ['open'] },
    });
    expect(await refusal({ url: '/v1/fails/forbidden' })).toMatchObject({ status: 403, code: 'INSUFFICIENT_PERMISSIONS' });
  });

  test('if GraphQL reports an invalid field, the REST error contains the snake_case name of the field', async () => {
    expect(await refusal({ url: '/v1/fails/input' })).toMatchObject({
      status: 400,
      message: 'lines.0.unit_price: must be positive',
      details: {
        field: 'lines.0.unit_price',
        value: -1,
        errors: [{ field: 'lines.0.unit_price' }, { field: 'service_type', reason: 'is odd' }],
      },
    });
  });

  test('an invalid value of a custom GraphQL scalar returns 400 INVALID_PARAMETERS with the reason', async () => {
    expect(await refusal({ url: '/v1/fails/scalar' })).toMatchObject({
      status: 400,
      code: 'INVALID_PARAMETERS',
      details: { reason: 'must be a moment' },
    });
  });

  test('an unexpected error returns 500 INTERNAL_ERROR without details, and the log contains the error without SQL or API keys', async () => {
    const error = await refusal({ url: '/v1/fails/unknown' });
    expect(error).toMatchObject({ status: 500, code: 'INTERNAL_ERROR', details: {} });
    expect(JSON.stringify(error)).not.toMatch(/insert|duplicate|sk_live/);
    const line = toy.logged.at(-1);
    expect(line).toMatchObject({ msg: 'request failed', route: '/v1/fails/:how', request_id: expect.stringMatching(/^req_/) as string });
    expect(JSON.stringify(line)).toContain('duplicate key');
    expect(JSON.stringify(line)).not.toMatch(/insert into|'secret'|sk_live_abc/);
  });
});

describe('requests that are rejected before an operation runs', () => {
  const post = (payload: string, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
    refusal({ method: 'POST', url: '/v1/support/tickets', payload, headers });

  test('a request body with malformed JSON returns 400 INVALID_JSON, also for GET requests', async () => {
    expect(await post('{"title": ')).toMatchObject({ status: 400, code: 'INVALID_JSON' });
    expect(await post('{"title": "secret')).not.toHaveProperty('details.text');
    expect(
      await refusal({ method: 'GET', url: '/v1/support/tickets/search', payload: '{', headers: { 'content-type': 'application/json' } }),
    ).toMatchObject({ status: 400, code: 'INVALID_JSON' });
  });

  test('a JSON body with a __proto__ key returns 400 INVALID_JSON', async () => {
    expect(await post('{"title":"T","description":"D","metadata":{"__proto__":{"admin":true}}}')).toMatchObject({
      status: 400,
      code: 'INVALID_JSON',
    });
    expect(await post('{"title":"T","description":"D","metadata":{"\\u005f_proto__":{"admin":true}}}')).toMatchObject({
      status: 400,
      code: 'INVALID_JSON',
    });
  });

  test('a request body with a Content-Type other than JSON returns 415 UNSUPPORTED_MEDIA_TYPE', async () => {
    expect(await post('<a/>', { 'content-type': 'text/xml' })).toMatchObject({ status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' });
    expect(await post('title=x', { 'content-type': 'application/x-www-form-urlencoded' })).toMatchObject({ status: 415 });
    expect(
      await refusal({ method: 'GET', url: '/v1/support/tickets/search', payload: 'x', headers: { 'content-type': 'text/plain' } }),
    ).toMatchObject({ status: 415 });
  });

  test('a body over the size limit returns 413 BODY_TOO_LARGE, and operations with attachments have a higher limit', async () => {
    const title = 'x'.repeat(2 * 1024 * 1024);
    expect(await refusal({ method: 'POST', url: '/v1/toys', payload: { label: title } })).toMatchObject({
      status: 413,
      code: 'BODY_TOO_LARGE',
    });
    expect(await refusal({ method: 'GET', url: '/v1/support/tickets/search', payload: { filters: { title } } })).toMatchObject({
      status: 413,
    });
    const accepted = await toy.send({ method: 'POST', url: '/v1/support/tickets', payload: { title, description: 'D' } });
    expect(accepted.statusCode).toBe(201);
  });

  test('an unknown path returns 404 ROUTE_NOT_FOUND', async () => {
    expect(await refusal({ url: '/v1/no/such/route' })).toMatchObject({ status: 404, code: 'ROUTE_NOT_FOUND' });
    expect(await refusal({ method: 'POST', url: '/v1/webhook', payload: {} })).toMatchObject({ status: 404, code: 'ROUTE_NOT_FOUND' });
    expect(await refusal({ method: 'DELETE', url: '/v1/webhook/1' })).toMatchObject({ status: 404, code: 'ROUTE_NOT_FOUND' });
  });

  test('a request to a known path with an unsupported method returns 405 METHOD_NOT_ALLOWED with the allowed methods', async () => {
    const response = await toy.send({ method: 'DELETE', url: '/v1/support/tickets/ticket_1' });
    expect([response.statusCode, response.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS, PUT']);
    expect(response.json()).toMatchObject({
      error: { code: 'METHOD_NOT_ALLOWED', details: { allowed: ['GET', 'HEAD', 'OPTIONS', 'PUT'] } },
    });
  });

  test('OPTIONS returns 204 with the allowed methods of the path', async () => {
    const response = await toy.send({ method: 'OPTIONS', url: '/v1/support/tickets' });
    expect([response.statusCode, response.headers.allow, response.body]).toEqual([204, 'GET, HEAD, OPTIONS, POST', '']);
  });

  test('a path that matches a static segment and a path parameter is routed to the static segment', async () => {
    await toy.send({ url: '/v1/support/tickets/search' });
    expect(toy.desk.last.operationName).toBe('searchTickets');
  });

  test('the header API-Version accepts the current version; other versions return 400 UNSUPPORTED_VERSION with the supported versions', async () => {
    for (const version of ['1', '1.0', 'v1.0', '1.2', '1.2.3', 'v1.2.3']) {
      const response = await toy.send({ url: '/v1/toys', headers: { 'api-version': version } });
      expect(response.json()).toMatchObject({ metadata: { version: '1.2.3' } });
    }
    for (const version of ['9.9.9', '', '1.2.4', 'v1', '2']) {
      expect(await refusal({ url: '/v1/toys', headers: { 'api-version': version } })).toMatchObject({
        status: 400,
        code: 'UNSUPPORTED_VERSION',
        details: { supported: ['1', '1.0', 'v1.0', '1.2', '1.2.3', 'v1.2.3'] },
      });
    }
  });
});
