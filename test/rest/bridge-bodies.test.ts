import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startToyApp, type ToyApp } from './fixtures/toy-app.ts';

let toy: ToyApp;
beforeAll(async () => {
  toy = await startToyApp();
  for (const title of ['one', 'two', 'three']) toy.desk.open(title);
});
afterAll(() => toy.app.close());

const read = async (url: string): Promise<Record<string, unknown>> => (await toy.send({ url })).json();

describe('response bodies', () => {
  test('a REST response wraps a record in the standard envelope, whose request id equals the X-Request-Id header', async () => {
    const response = await toy.send({ url: '/v1/toys/ticket_1' });
    const body = response.json<{ metadata: Record<string, string> }>();
    expect(body).toEqual({
      success: true,
      data: {
        id: 'ticket_1',
        title: 'one',
        priority: 'high',
        watchers: ['low', 'critical'],
        created: '2026-01-01T00:00:00.000Z',
        account: null,
      },
      metadata: {
        request_id: response.headers['x-request-id'],
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
        version: '1.2.3',
      },
    });
    expect(body.metadata.request_id).toMatch(/^req_/);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  test('a REST list response contains the records in data and the page numbers in pagination', async () => {
    const { data, pagination } = (await read('/v1/toys?page=2&per_page=2')) as { data: { id: string }[]; pagination: object };
    expect(data.map(({ id }) => id)).toEqual(['ticket_3']);
    expect(pagination).toEqual({ page: 2, per_page: 2, total: 3, pages: 2, has_more: false, next_cursor: null });
  });

  test('a support list response contains only the list and its pagination, without the standard envelope', async () => {
    expect(Object.keys(await read('/v1/support/tickets'))).toEqual(['tickets', 'pagination']);
    expect(await read('/v1/support/tickets?limit=2')).toMatchObject({ pagination: { total: 3, page: 1, limit: 2, pages: 2 } });
  });

  test('a REST list with a total count contains the records and the fields total_count and has_more', async () => {
    expect(await read('/v1/toys/count?limit=2')).toMatchObject({
      toys: [{ id: 'ticket_1' }, { id: 'ticket_2' }],
      total_count: 3,
      has_more: true,
    });
  });

  test('a REST route with a wrapper name returns the record in a field with this name, and the response has no other field', async () => {
    expect(Object.keys(await read('/v1/support/tickets/ticket_1'))).toEqual(['ticket']);
  });

  test('a REST route with neither a wrapper name nor an envelope returns only the value, with enum values in lower case', async () => {
    expect(await read('/v1/priorities')).toEqual(['low', 'high']);
  });

  test('a POST that creates a record returns 201, and a POST that only reads records returns 200', async () => {
    const { app, send } = await startToyApp();
    onTestFinished(() => app.close());
    const created = await send({ method: 'POST', url: '/v1/support/tickets', payload: { title: 'T', description: 'D' } });
    const searched = await send({ method: 'POST', url: '/v1/support/tickets/search', payload: {} });
    expect([created.statusCode, searched.statusCode]).toEqual([201, 200]);
  });

  test('a DELETE request returns the deleted record in its last state', async () => {
    const { id } = toy.desk.open('to go');
    const response = await toy.send({ method: 'DELETE', url: `/v1/toys/${id}` });
    expect([response.statusCode, response.json<{ data: { title: string } }>().data.title]).toEqual([200, 'to go']);
  });
});

describe('fields of a record', () => {
  test("a REST route without a field selection returns the record's own fields and value objects in snake_case, without related records", async () => {
    const { data } = (await read('/v1/toys')) as { data: [Record<string, unknown>] };
    expect(Object.keys(data[0])).toEqual([
      'id',
      'number',
      'title',
      'description',
      'status',
      'priority',
      'category',
      'customer_id',
      'created_at',
      'updated_at',
      'contact',
      'metadata',
      'watchers',
      'assigned_to',
      'sla',
      'urls',
    ]);
    expect(data[0].assigned_to).toEqual({
      agent_id: 'agent_1',
      name: 'Voice Desk',
      email: 'voice@desk.example',
      specialization: 'voice',
    });
  });

  test('a field without a value is null in a REST record', async () => {
    expect(await read('/v1/support/tickets/ticket_1')).toMatchObject({ ticket: { customer_id: null, contact: null } });
  });

  test('names and values inside free-form metadata are returned unchanged over REST', async () => {
    expect(await read('/v1/support/tickets/ticket_1')).toMatchObject({ ticket: { metadata: { camelCase: { innerKey: 'OPEN' } } } });
  });

  test('a REST route with a field selection returns only the selected fields, and one GraphQL field can serve several routes', async () => {
    const { tickets } = (await read('/v1/support/tickets')) as { tickets: [object] };
    expect(tickets[0]).toEqual({
      id: 'ticket_1',
      number: 'TKT-1',
      title: 'one',
      status: 'open',
      priority: 'high',
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: '2026-01-01T00:00:00.000Z',
      assigned_to: { name: 'Voice Desk', email: 'voice@desk.example' },
      sla_status: { response_met: null, resolution_due: '2026-02-01T00:00:00.000Z', time_remaining: '3 hours' },
    });
  });
});

test('every request to a REST route runs the same GraphQL document, so that its query plan is reused', async () => {
  await read('/v1/support/tickets/ticket_1');
  const first = toy.desk.last;
  await read('/v1/support/tickets/ticket_2');
  expect(toy.desk.last.document).toBe(first.document);
  expect(toy.desk.last.operationName).toBe('getTicket');
  expect(toy.desk.last.context.principal.organizationId).toBe('org_1');
});
