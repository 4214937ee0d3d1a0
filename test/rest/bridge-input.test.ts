import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startToyApp, type ToyApp } from './fixtures/toy-app.ts';

let toy: ToyApp;
beforeAll(async () => {
  toy = await startToyApp();
  for (const title of ['one', 'two', 'three']) toy.desk.open(title);
});
afterAll(() => toy.app.close());

interface Problem {
  field: string;
  value: unknown;
  reason: string;
}
const problemsOf = (body: string): Problem[] => (JSON.parse(body) as { error: { details: { errors: Problem[] } } }).error.details.errors;
const requested = async (url: string, payload?: object, method: 'GET' | 'POST' | 'PUT' = payload ? 'POST' : 'GET') => {
  const before = toy.desk.operations.length;
  const response = await toy.send({ method, url, ...(payload && { payload }) });
  expect(response.statusCode, response.body).toBeLessThan(300);
  // a PUT reads its record afterwards, for the ETag
  return toy.desk.operations[before]?.variables;
};

describe('input passed to GraphQL', () => {
  test('the REST bridge converts a flat REST body to a GraphQL input object with camelCase names and upper-case enum values', async () => {
    const body = {
      title: 'T',
      description: 'D',
      customer_id: 'cust_1',
      priority: 'critical',
      contact: { name: 'Ada', email: null },
      service_affected: 'svc_1',
    };
    expect(await requested('/v1/support/tickets', body)).toEqual({
      input: {
        title: 'T',
        description: 'D',
        customerId: 'cust_1',
        priority: 'CRITICAL',
        contact: { name: 'Ada', email: null },
        serviceAffected: 'svc_1',
      },
    });
  });

  test('the REST bridge passes free-form metadata in a request to GraphQL unchanged', async () => {
    const metadata = { some_key: { innerKey: 'open', list: [1, null] } };
    expect(await requested('/v1/support/tickets', { title: 'T', description: 'D', metadata })).toEqual({
      input: { title: 'T', description: 'D', metadata },
    });
  });

  test('the REST bridge passes an explicit null to GraphQL and omits fields that are not sent', async () => {
    expect(await requested('/v1/support/tickets/ticket_1', { customer_id: null }, 'PUT')).toEqual({
      id: 'ticket_1',
      input: { customerId: null },
    });
    expect(await requested('/v1/support/tickets/ticket_1', {}, 'PUT')).toEqual({ id: 'ticket_1', input: {} });
  });

  test('a list in a query string can be sent comma-separated, as repeated parameters or with brackets', async () => {
    const expected = { filter: { status: ['OPEN', 'IN_PROGRESS'] } };
    expect(await requested('/v1/support/tickets?status=open,in_progress')).toEqual(expected);
    expect(await requested('/v1/support/tickets?status=open&status=in_progress')).toEqual(expected);
    expect(await requested('/v1/support/tickets?status[]=open&status[]=in_progress')).toEqual(expected);
    expect(await requested('/v1/support/tickets?status%5B%5D=open&status%5B%5D=in_progress')).toEqual(expected);
  });

  test('a sort parameter accepts several fields with their order, which is ascending by default', async () => {
    expect(await requested('/v1/support/tickets?sort=created_at:desc,priority')).toEqual({
      sort: [
        { field: 'CREATED_AT', order: 'DESC' },
        { field: 'PRIORITY', order: 'ASC' },
      ],
    });
  });

  test('numbers, booleans and timestamps in a query string are passed to GraphQL with the types of the GraphQL schema', async () => {
    const url = '/v1/support/tickets?page=2&per_page=1&is_escalated=true&created_after=2026-01-01T00:00:00Z&customer_id=7';
    expect(await requested(url)).toEqual({
      page: { page: 2, perPage: 1 },
      filter: { isEscalated: true, createdAfter: '2026-01-01T00:00:00Z', customerId: ['7'] },
    });
  });

  test('a ticket search accepts its filters in the query string, or in the body of a GET or POST request', async () => {
    const search = { filters: { status: ['open'] }, sort: { field: 'created_at', order: 'desc' }, pagination: { page: 1, limit: 2 } };
    const expected = { filter: { status: ['OPEN'] }, sort: [{ field: 'CREATED_AT', order: 'DESC' }], page: { page: 1, limit: 2 } };
    expect(await requested('/v1/support/tickets/search', search, 'GET')).toEqual(expected);
    expect(await requested('/v1/support/tickets/search', search, 'POST')).toEqual(expected);
    expect(
      await requested(
        '/v1/support/tickets/search?filters[status][]=open&sort[field]=created_at&sort[order]=desc&pagination[page]=1&pagination[limit]=2',
      ),
    ).toEqual(expected);
  });

  test('sending a field that the route sets itself returns 400, and a renamed field is passed to GraphQL under its GraphQL name', async () => {
    expect(await requested('/v1/toys', { label: 'L', description: 'D' })).toEqual({
      input: { title: 'L', description: 'D', priority: 'LOW' },
    });
    const refused = await toy.send({ method: 'POST', url: '/v1/toys', payload: { label: 'L', description: 'D', priority: 'high' } });
    expect(problemsOf(refused.body)).toMatchObject([{ field: 'priority', reason: 'is not a known field' }]);
  });

  test('the REST bridge also converts field names inside lists of input objects to camelCase', async () => {
    expect(await requested('/v1/orders', { service_type: 'fiber', lines: [{ unit_price: 149.95, quantity: 2 }] })).toEqual({
      input: { serviceType: 'FIBER', lines: [{ unitPrice: 149.95, quantity: 2 }] },
    });
  });

  test('an input object that the REST route does not flatten is passed to GraphQL as an object', async () => {
    expect(await requested('/v1/coverage', { location: { address: 'A', city: 'C' }, types: ['cable'] })).toEqual({
      location: { address: 'A', city: 'C' },
      types: ['CABLE'],
    });
  });

  test('an empty request body is accepted if no field is required', async () => {
    const response = await toy.send({
      method: 'PUT',
      url: '/v1/support/tickets/ticket_1',
      headers: { 'content-type': 'application/json' },
      payload: '',
    });
    expect(response.statusCode).toBe(200);
  });
});

describe('input that is rejected before GraphQL runs', () => {
  const refused = async (url: string, payload?: unknown, method: 'GET' | 'POST' | 'PUT' = payload === undefined ? 'GET' : 'POST') => {
    const before = toy.desk.operations.length;
    const response = await toy.send({
      method,
      url,
      ...(payload !== undefined && { payload: JSON.stringify(payload), headers: { 'content-type': 'application/json' } }),
    });
    expect(response.statusCode, response.body).toBe(400);
    expect(toy.desk.operations.length).toBe(before);
    return problemsOf(response.body);
  };

  test('the error for an invalid body lists the snake_case path of every invalid field', async () => {
    const problems = await refused('/v1/orders', {
      service_typ: 'fiber',
      lines: [{ unit_price: '149.95', quantity: 1.5, colour: 'red' }, {}, 7],
      due_date: 'tomorrow',
      note: 5,
    });
    expect(problems.map(({ field, reason }) => `${field} ${reason}`)).toEqual([
      'service_typ is not a known field; did you mean service_type?',
      'lines.0.unit_price must be a decimal number such as 149.95',
      'lines.0.quantity must be an integer',
      'lines.0.colour is not a known field',
      'lines.1.unit_price is required',
      'lines.1.quantity is required',
      'lines.2 must be an object',
      'due_date must be an ISO 8601 timestamp such as 2026-01-31T09:30:00Z',
      'note must be a string',
      'service_type is required',
    ]);
  });

  test('the error for a single invalid field contains the field, its value and the reason in its details', async () => {
    const { body } = await toy.send({ url: '/v1/support/tickets?per_page=many' });
    expect(JSON.parse(body)).toMatchObject({
      error: {
        code: 'INVALID_PARAMETERS',
        message: 'per_page: must be an integer',
        details: { field: 'per_page', value: 'many', reason: 'must be an integer' },
      },
    });
  });

  test('an enum value in upper case or an unknown enum value returns 400 with the allowed values', async () => {
    const reason = 'must be one of open, in_progress, escalated, resolved';
    expect(await refused('/v1/support/tickets?status=open,OPEN')).toMatchObject([{ field: 'status', value: 'OPEN', reason }]);
    expect(await refused('/v1/support/tickets/ticket_1', { status: 'closed' }, 'PUT')).toMatchObject([
      { field: 'status', value: 'closed', reason },
    ]);
  });

  test('the error for an unknown query parameter suggests the most similar known parameter', async () => {
    expect(await refused('/v1/support/tickets?statsu=open&x=1')).toMatchObject([
      { field: 'statsu', reason: 'is not a known query parameter; did you mean status?' },
      { field: 'x', reason: 'is not a known query parameter' },
    ]);
    expect(await refused('/v1/support/tickets/ticket_1?expand=sla')).toMatchObject([{ field: 'expand' }]);
    expect(await refused('/v1/support/tickets?toString=1&__proto__[a]=1')).toMatchObject([{ field: 'toString' }]);
  });

  test('repeating a query parameter that has a single value returns 400', async () => {
    expect(await refused('/v1/support/tickets?page=1&page=2')).toMatchObject([{ field: 'page', reason: 'is given more than once' }]);
  });

  test('null for a required field returns 400 with the reason "must not be null"', async () => {
    expect(await refused('/v1/support/tickets', { title: null, description: 'D' })).toMatchObject([
      { field: 'title', reason: 'must not be null' },
    ]);
  });

  test('an integer in a query string that is not a valid GraphQL Int returns 400', async () => {
    for (const page of ['1.5', '', '1e3', '99999999999', '0x10', ' 1'])
      expect(await refused(`/v1/support/tickets?page=${page}`)).toMatchObject([{ field: 'page' }]);
  });

  test('a request body that is not a JSON object returns 400', async () => {
    for (const body of [[], 'text', 1, null])
      expect(await refused('/v1/support/tickets', body)).toContainEqual(
        expect.objectContaining({ field: 'body', reason: 'must be a JSON object' }),
      );
  });

  test('a query string with 150 parameters or six levels of nesting returns 400', async () => {
    const long = Array.from({ length: 150 }, (_, index) => `status=open${index}`).join('&');
    expect(await refused(`/v1/support/tickets?${long}`)).toMatchObject([{ field: 'query' }]);
    expect(await refused('/v1/support/tickets/search?filters[a][b][c][d][e][f]=1')).toContainEqual(
      expect.objectContaining({ field: 'query' }),
    );
  });

  test('sorting by an unknown field or in an unknown order returns 400 with the allowed values', async () => {
    expect(await refused('/v1/support/tickets?sort=colour:up')).toMatchObject([
      { field: 'sort', value: 'colour', reason: 'must be one of created_at, priority' },
      { field: 'sort', value: 'up', reason: 'must be one of asc, desc' },
    ]);
  });

  test('an error for a secret field does not contain the value that was sent', async () => {
    expect(
      await refused('/v1/support/tickets', { title: 'T', description: 'D', contact: { name: 'N', api_key: 'sk_live_1' } }),
    ).toMatchObject([{ field: 'contact.api_key', value: null }]);
  });
});
