import type { ServerResponse } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Rig, rig } from '../rig.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';
import { EventsWorld } from './events-world.ts';
import { FAILING, type Receiver, receiver, respondWith } from './receiver.ts';
import { delivered, openTicket, subscribe } from './webhooks.setup.ts';

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization();
});

const redeliver = ({ webhook_id, id }: Json, by = tenant): Promise<RestResponse> =>
  by.rest('POST', `/webhooks/${webhook_id}/deliveries/${id}/redeliver`);

/** Creates a delivery to this receiver and waits for the expected state. */
async function deliveredTo(hook: Receiver, expected: object): Promise<Json> {
  const { id } = await subscribe(tenant, { url: hook.url, events: ['ticket.created'] });
  await openTicket(tenant);
  return delivered(tenant, id, expected);
}

async function expectRefusal(response: RestResponse, words: string): Promise<void> {
  expect([response.status, response.body.error?.code], JSON.stringify(response.body)).toEqual([409, 'INVALID_STATE']);
  expect(response.body.error.message).toContain(words);
}

describe('redelivery', () => {
  test('a redelivery sends the same event id and body again and increments the attempt count', async () => {
    const hook = await receiver();
    const delivery = await deliveredTo(hook, { status: 'delivered' });
    const { status, body } = await redeliver(delivery);
    expect(status, JSON.stringify(body)).toBe(202);
    expect(body.data).toMatchObject({ id: delivery.id, status: 'pending', attempt: 1 });
    await delivered(tenant, delivery.webhook_id, { id: delivery.id, status: 'delivered', attempt: 2, next_attempt_at: null });
    expect(hook.arrivals.map(({ headers }) => headers['webhook-id'])).toEqual([delivery.event_id, delivery.event_id]);
    expect(hook.arrivals[0]?.text).toBe(hook.arrivals[1]?.text);
  });

  test('a delivery can be read by its id over REST and GraphQL', async () => {
    const delivery = await deliveredTo(await receiver(), { status: 'delivered' });
    const { body } = await tenant.rest('GET', `/webhooks/${delivery.webhook_id}/deliveries/${delivery.id}`);
    expect(body.data).toEqual(delivery);
    const query = 'query($webhookId: ID!, $id: ID!) { webhookDelivery(webhookId: $webhookId, id: $id) { id event } }';
    const { data } = await tenant.graphql(query, { webhookId: delivery.webhook_id, id: delivery.id });
    expect(data.webhookDelivery).toEqual({ id: delivery.id, event: 'ticket.created' });
  });

  test('a failed delivery can be redelivered before its retry is due, and a new failure continues the retry schedule', async () => {
    const hook = await receiver((response, index) => (index === 0 ? FAILING(response, index) : void response.writeHead(500).end()));
    const delivery = await deliveredTo(hook, { status: 'failed', attempt: 1 });
    await redeliver(delivery);
    const { attempted_at, next_attempt_at } = await delivered(tenant, delivery.webhook_id, { status: 'failed', attempt: 2 });
    const minutes = (Date.parse(next_attempt_at) - Date.parse(attempted_at)) / 60_000;
    expect(minutes).toBeGreaterThan(5 * 0.89);
    expect(minutes).toBeLessThan(5 * 1.11 + 1);
  });

  test('an exhausted delivery can be redelivered only after its webhook is resumed', async () => {
    const hook = await receiver(respondWith(410));
    const delivery = await deliveredTo(hook, { status: 'exhausted' });
    await expectRefusal(await redeliver(delivery), 'Resume it first');
    expect((await tenant.rest('POST', `/webhooks/${delivery.webhook_id}/resume`)).status).toBe(200);
    hook.respond(respondWith(200));
    expect((await redeliver(delivery)).status).toBe(202);
    await delivered(tenant, delivery.webhook_id, { id: delivery.id, status: 'delivered', attempt: 2 });
  });

  test('a redelivery of an exhausted delivery is exhausted again after one failed attempt', async () => {
    const world = await EventsWorld.open();
    const hook = await receiver(FAILING);
    const process = await world.start();
    const webhookId = await process.subscribe(hook.url);
    await process.append(1);
    const [{ id }] = await eventually(async () => {
      const rows = await world.query<{ id: string }>("select id from events.delivery where status = 'failed'");
      return rows.length > 0 && (rows as [{ id: string }]);
    });
    await world.query(`update events.delivery set attempt = 10, status = 'exhausted', next_attempt_at = null`);
    const mutation =
      'mutation($webhookId: ID!, $deliveryId: ID!) { redeliver(webhookId: $webhookId, deliveryId: $deliveryId) { attempt } }';
    expect((await process.graphql(mutation, { webhookId, deliveryId: id })).data.redeliver.attempt).toBe(10);
    await eventually(async () => {
      const rows = await world.query(
        "select 1 from events.delivery where status = 'exhausted' and attempt = 11 and next_attempt_at is null",
      );
      return rows.length === 1;
    });
    await world.query('delete from events.event_log');
    const { error } = await process.graphql(mutation, { webhookId, deliveryId: id });
    expect(error).toMatchObject({ code: 'INVALID_STATE', details: { resource: 'webhook_delivery', id } });
  });
});

describe('refused redeliveries', () => {
  test('redelivering a delivery in progress returns 409 INVALID_STATE', async () => {
    const held: ServerResponse[] = [];
    const hook = await receiver((response) => void held.push(response));
    const delivery = await deliveredTo(hook, { status: 'pending' });
    await eventually(() => held.length === 1);
    await expectRefusal(await redeliver(delivery), 'under way');
    held[0]?.end();
    await delivered(tenant, delivery.webhook_id, { status: 'delivered', attempt: 1 });
    expect(hook.arrivals).toHaveLength(1);
  });

  test('redelivering a delivery of an inactive webhook returns 409 and names the operation that resumes the webhook', async () => {
    const delivery = await deliveredTo(await receiver(), { status: 'delivered' });
    await tenant.rest('PUT', `/webhooks/${delivery.webhook_id}`, { body: { active: false } });
    await expectRefusal(await redeliver(delivery), `POST /v1/webhooks/${delivery.webhook_id}/resume`);
  });

  test('redelivering a test delivery returns 409 INVALID_STATE', async () => {
    const { id } = await subscribe(tenant, { url: (await receiver()).url, events: ['ticket.created'] });
    const { body } = await tenant.rest('POST', `/webhooks/${id}/test`);
    await expectRefusal(await redeliver(body.data), 'webhook.test');
  });

  test('reading or redelivering a delivery of another webhook or organization returns 404', async () => {
    const delivery = await deliveredTo(await receiver(), { status: 'delivered' });
    const { id: other } = await subscribe(tenant, { url: (await receiver()).url, events: ['invoice.overdue'] });
    const stranger = await platform.organization();
    const refused = [
      await redeliver({ ...delivery, webhook_id: other }),
      await redeliver({ ...delivery, id: 'dlv_01JQ8Z6V4T9M3N2B1C0D9E8F7G' }),
      await redeliver(delivery, stranger),
      await tenant.rest('GET', `/webhooks/${other}/deliveries/${delivery.id}`),
      await stranger.rest('GET', `/webhooks/${delivery.webhook_id}/deliveries/${delivery.id}`),
    ];
    for (const { status, body } of refused) expect([status, body.error?.code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
  });

  test('redelivering a delivery returns 403 to a caller with only webhooks:read', async () => {
    const delivery = await deliveredTo(await receiver(), { status: 'delivered' });
    expect((await redeliver(delivery, await tenant.limitedTo('webhooks:read'))).status).toBe(403);
  });
});

test('resuming an active webhook returns 409 INVALID_STATE', async () => {
  const { id } = await subscribe(tenant, { url: (await receiver()).url, events: ['ticket.created'] });
  await expectRefusal(await tenant.rest('POST', `/webhooks/${id}/resume`), 'is active');
});

test('resuming a webhook retries its failed deliveries and clears the fields that mark the webhook as disabled', async () => {
  const own = await platform.organization();
  const hook = await receiver((response, index) => (index === 0 ? FAILING(response, index) : void response.end()));
  const { id } = await subscribe(own, { url: hook.url, events: ['ticket.created'] });
  await openTicket(own);
  const { event_id } = await delivered(own, id, { status: 'failed' });
  await own.rest('PUT', `/webhooks/${id}`, { body: { active: false } });
  await platform.advance(7_200_000);
  const { status, body } = await own.rest('POST', `/webhooks/${id}/resume`);
  expect([status, body.data]).toMatchObject([200, { active: true, disabled_at: null, disabled_reason: null, failing_since: null }]);
  await delivered(own, id, { event_id, status: 'delivered', attempt: 2 });
});

test('deliveries can be filtered by status, event and time, and are listed in pages', async () => {
  const own = await platform.organization();
  const { id } = await subscribe(own, { url: (await receiver()).url, events: ['ticket.created', 'ticket.updated'] });
  const { id: ticket } = await openTicket(own);
  await delivered(own, id, { status: 'delivered' });
  await platform.advance(3_600_000);
  const between = platform.clock.now().toISOString();
  await platform.advance(3_600_000);
  await own.rest('PUT', `/support/tickets/${ticket}`, { body: { customer_update: 'On it' } });
  await delivered(own, id, { status: 'delivered', event: 'ticket.updated' });

  const events = async (query: string): Promise<string[]> =>
    (await own.rest('GET', `/webhooks/${id}/deliveries?${query}`)).body.data.map(({ event }: Json) => event);
  expect(await events('')).toEqual(['ticket.updated', 'ticket.created']);
  expect(await events(`created_after=${between}`)).toEqual(['ticket.updated']);
  expect(await events(`created_before=${between}`)).toEqual(['ticket.created']);
  expect(await events(`created_after=${between}&created_before=${between}`)).toEqual([]);
  expect(await events('event=ticket.created&status=delivered')).toEqual(['ticket.created']);
  expect(await events('status=skipped,exhausted,failed,pending')).toEqual([]);
  expect(await events('per_page=1&page=2')).toEqual(['ticket.created']);
  const { status, body } = await own.rest('GET', `/webhooks/${id}/deliveries?created_after=yesterday`);
  expect([status, body.error.details.field]).toEqual([400, 'created_after']);
});
