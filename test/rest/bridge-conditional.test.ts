import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startToyApp, type ToyApp } from './fixtures/toy-app.ts';

let toy: ToyApp;
beforeAll(async () => {
  toy = await startToyApp();
  toy.desk.open('one');
});
afterAll(() => toy.app.close());

const URL = '/v1/toys/ticket_1';
const tagOf = async (url = URL): Promise<string> => String((await toy.send({ url })).headers.etag);

describe('conditional reads', () => {
  test('a GET returns a strong ETag that depends only on the record and not on the request id or time', async () => {
    const first = await toy.send({ url: URL });
    toy.clock.advance(60_000);
    const second = await toy.send({ url: URL });
    expect(first.headers.etag).toMatch(/^"[\w-]+"$/);
    expect(second.headers.etag).toBe(first.headers.etag);
    expect(second.body).not.toBe(first.body);
    expect(first.headers).toMatchObject({
      'cache-control': expect.stringContaining('private') as string,
      vary: expect.stringContaining('Authorization') as string,
    });
  });

  test('the ETag of a list page changes when the page contains other records', async () => {
    const before = [await tagOf(), await tagOf('/v1/toys?per_page=1')];
    toy.desk.open('another');
    expect(await tagOf()).toBe(before[0]);
    expect(await tagOf('/v1/toys?per_page=1')).not.toBe(before[1]);
  });

  test('a GET with a matching If-None-Match returns 304 with the ETag and no body', async () => {
    const tag = await tagOf();
    for (const header of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      const response = await toy.send({ url: URL, headers: { 'if-none-match': header } });
      expect([response.statusCode, response.body, response.headers.etag]).toEqual([304, '', tag]);
      expect(response.headers['content-type']).toBeUndefined();
    }
    expect((await toy.send({ url: URL, headers: { 'if-none-match': '"other"' } })).statusCode).toBe(200);
  });

  test('HEAD returns the status and headers of GET without a body', async () => {
    const get = await toy.send({ url: URL });
    const head = await toy.send({ method: 'HEAD', url: URL });
    expect([head.statusCode, head.body, head.headers.etag]).toEqual([200, '', get.headers.etag]);
    expect((await toy.send({ method: 'HEAD', url: '/v1/toys/ticket_99' })).statusCode).toBe(404);
    expect((await toy.send({ method: 'HEAD', url: URL, headers: { 'if-none-match': await tagOf() } })).statusCode).toBe(304);
  });
});

describe('conditional writes', () => {
  const put = (ifMatch: string, payload: object) => toy.send({ method: 'PUT', url: URL, payload, headers: { 'if-match': ifMatch } });

  test('a second change with the same If-Match ETag returns 409 STALE_RESOURCE with the current ETag', async () => {
    const tag = await tagOf();
    expect((await put(tag, { priority: 'low' })).statusCode).toBe(200);
    const stale = await put(tag, { priority: 'critical' });
    expect(stale.statusCode).toBe(409);
    expect(stale.json()).toMatchObject({ error: { code: 'STALE_RESOURCE', details: { current: await tagOf() } } });
    expect((await toy.send({ url: URL })).json()).toMatchObject({ data: { priority: 'low' } });
  });

  test('If-Match: * accepts any version of a record, and a weak ETag in If-Match returns 409', async () => {
    expect((await put('*', {})).statusCode).toBe(200);
    expect((await put(`W/${await tagOf()}`, {})).statusCode).toBe(409);
  });

  test('DELETE with an outdated If-Match ETag returns 409 and deletes nothing', async () => {
    const { id } = toy.desk.open('kept');
    const response = await toy.send({ method: 'DELETE', url: `/v1/toys/${id}`, headers: { 'if-match': '"stale"' } });
    expect([response.statusCode, toy.desk.tickets.some((ticket) => ticket.id === id)]).toEqual([409, true]);
  });

  test('changing a record that does not exist returns 404, even if the request has an If-Match header', async () => {
    expect((await toy.send({ method: 'PUT', url: '/v1/toys/ticket_99', payload: {}, headers: { 'if-match': '"any"' } })).statusCode).toBe(
      404,
    );
  });

  test('a change with invalid input and an outdated If-Match ETag returns 400', async () => {
    expect((await put('"stale"', { priority: 'odd' })).statusCode).toBe(400);
  });
});

test('the ETag of a PUT response equals the ETag of the next GET and is accepted as If-Match of the next PUT', async () => {
  const ticket = toy.desk.open('tagged');
  for (const url of [`/v1/support/tickets/${ticket.id}`, `/v1/toys/${ticket.id}`]) {
    const put = await toy.send({ method: 'PUT', url, payload: { priority: 'low' } });
    expect([put.statusCode, put.headers.etag]).toEqual([200, (await toy.send({ url })).headers.etag]);
    const next = await toy.send({ method: 'PUT', url, payload: { priority: 'high' }, headers: { 'if-match': String(put.headers.etag) } });
    expect(next.statusCode).toBe(200);
    expect(next.headers.etag).not.toBe(put.headers.etag);
  }
});
