import { beforeAll, expect, test } from 'vitest';
import { rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

let tenant: Tenant;
beforeAll(async () => {
  tenant = await (await rig()).organization({ plan: 'custom' });
});

test('REST validation messages use the parameter names and body paths of REST', async () => {
  const { status, body } = await tenant.rest('GET', '/support/tickets?per_page=5&limit=6');
  expect([status, body.error.details]).toMatchObject([400, { field: 'limit', reason: 'differs from per_page; send only one of them' }]);
  expect(body.error.message).toBe('limit: differs from per_page; send only one of them');

  const services = [{ service_id: 's', quantity: -1, unit_price: 1 }];
  const invoice = await tenant.rest('POST', '/billing/invoices', { body: { account_id: 'acc_1', services } });
  expect(invoice.body.error.details.errors.map(({ field }: Json) => field)).toContain('services.0.quantity');
});

test('the ETag of a PUT response equals the ETag of the next GET, and If-Match accepts it until the record changes', async () => {
  const created = await tenant.rest('POST', '/support/tickets', { body: { title: 'T', description: 'D' } });
  const path = `/support/tickets/${created.body.ticket.id}`;
  const put = await tenant.rest('PUT', path, { body: { priority: 'high' } });
  const tag = put.headers.get('etag') ?? 'none';
  expect(tag).toBe((await tenant.rest('GET', path)).headers.get('etag'));
  expect((await tenant.rest('PUT', path, { body: { priority: 'low' }, headers: { 'if-match': tag } })).status).toBe(200);
  expect((await tenant.rest('PUT', path, { body: { priority: 'low' }, headers: { 'if-match': tag } })).status).toBe(409);
});

test('type errors and rule violations of a body are reported together in the order of the body', async () => {
  const body = {
    attachments: 7,
    contact: { email: 'none' },
    colour: 'red',
    title: '',
    priority: 'odd',
    location: { timezone: 'Mars/Olympus' },
  };
  const { status, body: refused } = await tenant.rest('POST', '/support/tickets', { body });
  expect(status).toBe(400);
  const { errors, problems_total: total } = refused.error.details as Json;
  expect(errors.map(({ field }: Json) => field)).toEqual([
    'attachments',
    'contact.email',
    'contact.name',
    'colour',
    'title',
    'priority',
    'location.timezone',
    'description',
  ]);
  expect(total).toBe(8);
  const listed = await tenant.rest('GET', '/support/tickets?limit=1');
  expect(listed.body.tickets.filter(({ title }: Json) => title === '')).toEqual([]);
});

test('invalid input of a public operation returns 400 without credentials', async () => {
  const body = { email: 'none', password: 7, colour: 1 };
  const login = await tenant.rest('POST', '/auth/login', { body, headers: { authorization: '' } });
  expect(login.status).toBe(400);
  expect(login.body.error.details.errors.map(({ field }: Json) => field)).toEqual(expect.arrayContaining(['password', 'colour']));
});
