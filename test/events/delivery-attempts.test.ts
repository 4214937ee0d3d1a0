import { expect, test } from 'vitest';
import { eventually, rig } from '../rig.ts';
import { onlyTable, rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';
import { receiver, respondWith } from './receiver.ts';
import { delivered, deliveriesOf, openTicket, subscribe } from './webhooks.setup.ts';

const platform = await rig();

const attempt = (members: object): object => ({
  attempted_at: expect.any(String),
  url: expect.any(String),
  response_status: null,
  response_body: null,
  error: null,
  duration_ms: expect.any(Number),
  ...members,
});

const read = async (tenant: Tenant, { webhook_id, id }: Json): Promise<Json> =>
  (await tenant.rest('GET', `/webhooks/${webhook_id}/deliveries/${id}`)).body.data;

test('every delivery attempt is stored with time, status, duration and error, even if a later attempt succeeds', async () => {
  const tenant = await platform.organization();
  const hook = await receiver((response, index) => {
    if (index === 0) response.writeHead(503).end('busy');
    else if (index === 1) response.destroy();
    else response.writeHead(204).end();
  });
  const { id } = await subscribe(tenant, { url: hook.url, events: ['ticket.created'] });
  await openTicket(tenant);
  await delivered(tenant, id, { status: 'failed', attempt: 1 });
  await platform.advance(10_000);
  await delivered(tenant, id, { status: 'failed', attempt: 2 });
  await platform.advance(600_000);
  const delivery = await delivered(tenant, id, { status: 'delivered', attempt: 3 });

  expect(delivery.attempts).toEqual([
    attempt({ url: hook.url, response_status: 503, response_body: 'busy' }),
    attempt({ url: hook.url, error: expect.stringMatching(/\w/) }),
    attempt({ url: hook.url, response_status: 204, response_body: '' }),
  ]);
  const times = delivery.attempts.map(({ attempted_at }: Json) => attempted_at);
  expect(times).toEqual([...new Set(times)].toSorted());
  expect(times[2]).toBe(delivery.attempted_at);
  expect(await read(tenant, delivery)).toEqual(delivery);

  const query = `query ($webhookId: ID!, $id: ID!) {
    webhookDelivery(webhookId: $webhookId, id: $id) { attempts { attemptedAt url responseStatus responseBody error durationMs } } }`;
  const { data } = await tenant.graphql(query, { webhookId: id, id: delivery.id });
  expect(data.webhookDelivery.attempts.map((one: Json) => [one.attemptedAt, one.responseStatus, one.durationMs])).toEqual(
    delivery.attempts.map((one: Json) => [one.attempted_at, one.response_status, one.duration_ms]),
  );
});

test('a delivery still contains its earlier attempts with their URLs after a redelivery or replay to a new URL', async () => {
  const tenant = await platform.organization();
  const [first, second] = [await receiver(respondWith(200, {}, 'one')), await receiver(respondWith(200, {}, 'two'))];
  const { id } = await subscribe(tenant, { url: first.url, events: ['ticket.created'] });
  await openTicket(tenant);
  const delivery = await delivered(tenant, id, { status: 'delivered', attempt: 1 });
  expect(delivery.attempts).toHaveLength(1);
  expect((await tenant.rest('POST', `/webhooks/${id}/deliveries/${delivery.id}/redeliver`)).status).toBe(202);
  await delivered(tenant, id, { status: 'delivered', attempt: 2 });

  expect((await tenant.rest('PUT', `/webhooks/${id}`, { body: { url: second.url } })).status).toBe(200);
  await platform.advance(1000);
  const replay = { since: new Date(Date.parse(delivery.created_at) - 60_000).toISOString(), status: ['delivered'] };
  const response = await tenant.rest('POST', `/webhooks/${id}/replay`, { body: replay });
  expect(response.status, JSON.stringify(response.body)).toBe(202);
  await eventually(() => second.arrivals.length === 1);
  const { attempts } = await delivered(tenant, id, { status: 'delivered', attempt: 1, url: second.url });
  expect(attempts.map((one: Json) => [one.url, one.response_body])).toEqual([
    [first.url, 'one'],
    [first.url, 'one'],
    [second.url, 'two'],
  ]);
});

test('a skipped delivery has an empty list of attempts, and a webhook test has one attempt', async () => {
  const tenant = await platform.organization();
  const hook = await receiver(respondWith(200));
  const { id } = await subscribe(tenant, { url: hook.url, events: ['ticket.created'], active: false });
  const { body } = await tenant.rest('POST', `/webhooks/${id}/test`);
  expect(body.data.attempts, JSON.stringify(body)).toEqual([attempt({ url: hook.url, response_status: 200, response_body: '' })]);
  const table = await onlyTable('events.delivery');
  await table.set('status', 'skipped', 'id', body.data.id);
  expect((await deliveriesOf(tenant, id))[0]?.attempts).toEqual([]);
});

test('only the last 33 attempts of a delivery are stored', async () => {
  const tenant = await platform.organization();
  const hook = await receiver(respondWith(200));
  const { id } = await subscribe(tenant, { url: hook.url, events: ['ticket.created'] });
  await openTicket(tenant);
  const delivery = await delivered(tenant, id, { status: 'delivered' });
  const all = await rows();
  for (let index = 2; index <= 40; index += 1)
    await all.query(
      `update events.delivery set attempt = $2, attempted_at = attempted_at + interval '1 second', duration_ms = $2 where id = $1`,
      [delivery.id, index],
    );
  const { attempts } = await read(tenant, delivery);
  expect(attempts.map(({ duration_ms }: Json) => duration_ms)).toEqual(Array.from({ length: 33 }, (_, index) => index + 8));
});
