import { beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Rig, rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';
import { follow } from './live.setup.ts';
import { type Receiver, receiver, respondWith } from './receiver.ts';
import { openTicket, subscribe } from './webhooks.setup.ts';

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const DELIVERIES =
  'subscription($webhookId: ID, $status: [DeliveryStatus!], $after: String) { deliveryUpdated(webhookId: $webhookId, status: $status, after: $after) { id webhookId event eventId status attempt responseStatus revision } }';

async function subscribed(tenant: Tenant, status = 200): Promise<{ id: string; hook: Receiver }> {
  const hook = await receiver(respondWith(status));
  const { id } = await subscribe(tenant, { url: hook.url, events: ['ticket.created'] });
  return { id, hook };
}

/** Creates a first delivery and returns its revision, to subscribe to all later delivery results. */
async function firstRevision(tenant: Tenant, webhookId: string): Promise<string> {
  await openTicket(tenant);
  const query = 'query($id: ID!) { webhookDeliveries(webhookId: $id) { nodes { revision } } }';
  return eventually(async () => (await tenant.graphql(query, { id: webhookId })).data.webhookDeliveries.nodes[0]?.revision as string);
}

describe('deliveryUpdated subscription', () => {
  test('deliveryUpdated sends each delivery result, and a client resumes after the last revision it received', async () => {
    const tenant = await platform.organization();
    const { id } = await subscribed(tenant);
    const before = follow(tenant, DELIVERIES, { after: await firstRevision(tenant, id) });
    await openTicket(tenant);
    const [delivered] = await eventually(() => before.of('deliveryUpdated').length === 1 && before.of('deliveryUpdated'));
    expect(delivered).toMatchObject({ webhookId: id, event: 'ticket.created', status: 'DELIVERED', attempt: 1, responseStatus: 200 });
    before.leave();

    await openTicket(tenant);
    await openTicket(tenant);
    const back = follow(tenant, DELIVERIES, { after: delivered.revision });
    await eventually(() => back.of('deliveryUpdated').length === 2);
    await openTicket(tenant);
    await eventually(() => back.of('deliveryUpdated').length === 3);
    const seen = [delivered, ...back.of('deliveryUpdated')];
    expect(new Set(seen.map(({ eventId }) => eventId)).size).toBe(4);
    expect(seen.map(({ revision }) => Number(revision))).toEqual(seen.map(({ revision }) => Number(revision)).toSorted((a, b) => a - b));
  });

  test('a client that resumes deliveryUpdated gets a delivery once, in its current state, even if it changed several times', async () => {
    const tenant = await platform.organization();
    const { id, hook } = await subscribed(tenant);
    const after = await firstRevision(tenant, id);
    hook.respond(respondWith(500));
    const live = follow(tenant, DELIVERIES, { after });
    await openTicket(tenant);
    const failed = await eventually(() => live.of('deliveryUpdated')[0]);
    expect(failed).toMatchObject({ status: 'FAILED', attempt: 1, responseStatus: 500 });
    hook.respond(respondWith(200));
    await tenant.rest('POST', `/webhooks/${id}/deliveries/${failed.id}/redeliver`);
    await eventually(() => live.of('deliveryUpdated').length === 2);

    const back = follow(tenant, DELIVERIES, { after });
    await eventually(() => back.of('deliveryUpdated').length === 1);
    expect(back.of('deliveryUpdated')).toEqual(live.of('deliveryUpdated').slice(1));
    expect(back.of('deliveryUpdated')[0]).toMatchObject({ id: failed.id, status: 'DELIVERED', attempt: 2 });
  });

  test('deliveryUpdated can be filtered by webhook or by status', async () => {
    const tenant = await platform.organization();
    const [good, bad] = [await subscribed(tenant), await subscribed(tenant, 500)];
    const [after] = [await firstRevision(tenant, good.id), await firstRevision(tenant, bad.id)].toSorted((a, b) => Number(b) - Number(a));
    const [all, ofGood, failed] = [
      follow(tenant, DELIVERIES, { after }),
      follow(tenant, DELIVERIES, { after, webhookId: good.id }),
      follow(tenant, DELIVERIES, { after, status: ['FAILED', 'EXHAUSTED'] }),
    ];
    await openTicket(tenant);
    const of = (one: Json): string[] => one.of('deliveryUpdated').map(({ webhookId }: Json) => webhookId);
    await eventually(() => of(all).includes(good.id) && of(all).includes(bad.id));
    await eventually(() => of(ofGood).length > 0 && of(failed).length > 0);
    expect(new Set(of(ofGood))).toEqual(new Set([good.id]));
    expect(new Set(of(failed))).toEqual(new Set([bad.id]));
  });

  test('deliveryUpdated can select the delivered event and the ticket of this event from another subgraph', async () => {
    const tenant = await platform.organization();
    const { id } = await subscribed(tenant, 500);
    const query =
      'subscription($after: String) { deliveryUpdated(after: $after, status: [FAILED]) { id status source { id event ticket { number title sla { timeRemaining } } } } }';
    const live = follow(tenant, query, { after: await firstRevision(tenant, id) });
    const { number } = await openTicket(tenant, { title: 'Router is on fire' });
    const delivery = await eventually(() => live.of('deliveryUpdated').find(({ source }) => source.ticket.number === number));
    expect(live.errors()).toEqual([]);
    expect(delivery).toMatchObject({ status: 'FAILED', source: { event: 'ticket.created', ticket: { title: 'Router is on fire' } } });
  });

  test('deliveryUpdated requires webhooks:read and never sends deliveries of another organization', async () => {
    const [tenant, other] = [await platform.organization(), await platform.organization()];
    const [own, theirs] = [await subscribed(tenant), await subscribed(other)];
    const after = await firstRevision(tenant, own.id);
    const live = follow(tenant, DELIVERIES, { after });
    const refusals = [
      [follow(tenant, DELIVERIES, { webhookId: theirs.id }), { code: 'RESOURCE_NOT_FOUND' }],
      [follow(tenant, DELIVERIES, { after: 'first' }), { code: 'INVALID_PARAMETERS', details: { field: 'after' } }],
      [follow(tenant, DELIVERIES, { after: '999999999999' }), { code: 'INVALID_PARAMETERS', details: { field: 'after' } }],
      [
        follow(await tenant.limitedTo('support:read'), DELIVERIES),
        { code: 'INSUFFICIENT_PERMISSIONS', details: { required: 'webhooks:read' } },
      ],
    ] as const;
    for (const [refused, extensions] of refusals) {
      await eventually(() => refused.isDone());
      expect(refused.errors()).toMatchObject([{ extensions }]);
    }
    await openTicket(other);
    await openTicket(tenant);
    await eventually(() => live.of('deliveryUpdated').length === 1);
    expect(live.of('deliveryUpdated')).toMatchObject([{ webhookId: own.id }]);
  });
});
