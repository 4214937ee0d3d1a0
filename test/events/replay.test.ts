import { beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Rig, rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';
import { EventsWorld, type Process } from './events-world.ts';
import { type Arrival, FAILING, receiver, respondWith } from './receiver.ts';
import { openTicket, subscribe } from './webhooks.setup.ts';

const DAY_MS = 24 * 3_600_000;
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const indexes = (arrivals: readonly Arrival[]): number[] => arrivals.map(({ event }) => event.data.index);

const REPLAY = 'mutation($id: ID!, $input: WebhookReplayInput!) { replayWebhook(id: $id, input: $input) { webhookId since until events } }';
async function replay(process: Process, id: string, input: object): Promise<Json> {
  const { data, error } = await process.graphql(REPLAY, { id, input });
  expect(error).toBeUndefined();
  return data.replayWebhook;
}

/** Waits until every event has its deliveries and no delivery or replay is pending. */
const settled = (world: EventsWorld): Promise<unknown> =>
  eventually(async () => {
    const [row] = await world.query<{ quiet: boolean }>(
      `select (select last_sequence from events.consumer where name = 'webhooks') = (select coalesce(max(sequence), 0) from events.event_log)
         and not exists (select 1 from events.delivery where status = 'pending')
         and not exists (select 1 from pgboss.job where name = 'webhook-replay' and state in ('created', 'retry', 'active')) as quiet`,
    );
    return row?.quiet;
  });
const setActive = (process: Process, id: string, active: boolean): Promise<unknown> =>
  process.graphql('mutation($id: ID!, $active: Boolean!) { updateWebhook(id: $id, input: { active: $active }) { id } }', { id, active });

describe('webhook replay', () => {
  test('a replay delivers events that occurred before its webhook existed or while it was inactive, once and in log order', async () => {
    const world = await EventsWorld.open();
    const [process, hook] = [await world.start(), await receiver()];
    const since = world.clock.now();
    await process.append(2);
    await settled(world);
    const id = await process.subscribe(hook.url);
    await process.append(1, 2);
    await eventually(() => hook.arrivals.length === 1);
    await setActive(process, id, false);
    await process.append(2, 3);
    await settled(world);
    expect(await world.query('select 1 from events.delivery')).toHaveLength(1);
    await setActive(process, id, true);

    world.clock.advance(1000);
    expect(await replay(process, id, { since })).toEqual({
      webhookId: id,
      since: since.toISOString(),
      until: expect.any(String),
      events: 5,
    });
    await eventually(() => hook.arrivals.length === 5);
    expect(indexes(hook.arrivals)).toEqual([2, 0, 1, 3, 4]);

    await settled(world);
    await Promise.all([replay(process, id, { since }), replay(process, id, { since })]);
    await settled(world);
    expect(hook.arrivals).toHaveLength(5);
  });

  test('a replay delivers events that were skipped while the webhook was disabled and events whose deliveries are exhausted', async () => {
    const world = await EventsWorld.open();
    const [process, hook] = [await world.start(), await receiver(respondWith(410))];
    const since = world.clock.now();
    const id = await process.subscribe(hook.url);
    await process.append(1);
    await eventually(async () => (await world.query("select 1 from events.webhook where disabled_reason = 'gone'")).length === 1);
    await process.append(2, 1);
    const skipped = await eventually(async () => {
      const rows = await world.query<{ error: string; attempt: number }>(
        "select error, attempt from events.delivery where status = 'skipped'",
      );
      return rows.length === 2 && rows;
    });
    expect(skipped).toEqual([0, 1].map(() => ({ error: expect.stringContaining('disabled'), attempt: 0 })));
    hook.respond(respondWith(200));
    const { error } = await process.graphql(REPLAY, { id, input: { since } });
    expect(error).toMatchObject({ code: 'INVALID_STATE' });

    await process.graphql('mutation($id: ID!) { resumeWebhook(id: $id) { active } }', { id });
    world.clock.advance(1000);
    await replay(process, id, { since, status: ['SKIPPED'] });
    await eventually(() => hook.arrivals.length === 3);
    await settled(world);
    expect(indexes(hook.arrivals)).toEqual([0, 1, 2]);
    world.clock.advance(1000);
    await replay(process, id, { since });
    await eventually(() => hook.arrivals.length === 4);
    await settled(world);
    expect(indexes(hook.arrivals)).toEqual([0, 1, 2, 0]);
    expect(await world.query("select 1 from events.delivery where status = 'delivered' and attempt = 1 and error is null")).toHaveLength(3);
  });

  test('a replay can be limited by time and status, for example to failed deliveries', async () => {
    const world = await EventsWorld.open();
    const [process, hook] = [await world.start(), await receiver()];
    const id = await process.subscribe(hook.url);
    await process.append(1);
    await eventually(() => hook.arrivals.length === 1);
    world.clock.advance(DAY_MS);
    const [since, until] = [world.clock.now(), new Date(world.clock.now().getTime() + 3_600_000)];
    await process.append(1, 1);
    await eventually(() => hook.arrivals.length === 2);
    world.clock.advance(DAY_MS);
    await process.append(1, 2);
    await eventually(() => hook.arrivals.length === 3);
    await settled(world);

    world.clock.advance(1000);
    expect((await replay(process, id, { since, until, status: ['DELIVERED'] })).events).toBe(1);
    await eventually(() => hook.arrivals.length === 4);
    await settled(world);
    expect(indexes(hook.arrivals)).toEqual([0, 1, 2, 1]);

    hook.respond(FAILING);
    await process.append(1, 3);
    await eventually(async () => (await world.query("select 1 from events.delivery where status = 'failed'")).length === 1);
    hook.respond(respondWith(200));
    world.clock.advance(1000);
    await replay(process, id, { since, status: ['FAILED'] });
    await eventually(() => hook.arrivals.length === 6);
    await settled(world);
    expect(indexes(hook.arrivals)).toEqual([0, 1, 2, 1, 3, 3]);
  });

  test('a replay delivers each event once, even if the process crashed before its batch was acknowledged', async () => {
    const world = await EventsWorld.open();
    const [process, hook] = [await world.start(), await receiver()];
    const [id, since] = [await process.subscribe(hook.url), world.clock.now()];
    await process.append(2);
    await eventually(() => hook.arrivals.length === 2);
    await settled(world);
    world.clock.advance(1000);
    await replay(process, id, { since, status: ['DELIVERED'] });
    await eventually(() => hook.arrivals.length === 4);
    await settled(world);

    await world.query("update pgboss.job set state = 'retry', start_after = now() where name = 'webhook-replay'");
    await settled(world);
    await process.append(1, 2);
    await eventually(() => hook.arrivals.length >= 5);
    expect(indexes(hook.arrivals)).toEqual([0, 1, 0, 1, 2]);
  });

  test('a replay of many events continues in another process after the first process stops', async () => {
    const world = await EventsWorld.open();
    const hook = await receiver();
    const one = await world.start();
    const since = world.clock.now();
    await one.append(410);
    await settled(world);
    const id = await one.subscribe(hook.url);
    world.clock.advance(1000);
    expect((await replay(one, id, { since })).events).toBe(410);
    await one.stop();

    await world.start();
    await eventually(async () => (await world.query('select distinct event_id from events.delivery')).length === 410);
    expect(await world.query('select 1 from events.delivery')).toHaveLength(410);
    expect((await world.query("select 1 from pgboss.job where name = 'webhook-replay'")).length).toBeGreaterThanOrEqual(3);
    // the events arrive in order, including events that arrived before the stop
    await eventually(() => hook.arrivals.length > 20);
    const distinct = [...new Set(indexes(hook.arrivals))];
    expect(distinct).toEqual(upTo(distinct.length));
  });
});

describe('webhook replay over REST', () => {
  let platform: Rig;
  let tenant: Tenant;
  beforeAll(async () => {
    platform = await rig();
    tenant = await platform.organization();
  });
  const ago = (ms: number): string => new Date(platform.clock.now().getTime() - ms).toISOString();

  test("a replay over REST delivers only events of the webhook's organization that match its filters", async () => {
    const hook = await receiver();
    const since = ago(0);
    for (const priority of ['low', 'high']) await openTicket(tenant, { priority });
    await openTicket(await platform.organization(), { priority: 'high' });
    // the delivery of this ticket shows that the earlier tickets were already processed
    const witness = await receiver();
    await subscribe(tenant, { url: witness.url, events: ['ticket.created'] });
    const last = await openTicket(tenant, { priority: 'low' });
    await eventually(() => witness.arrivals.some(({ event }) => event.data.ticket.id === last.id));

    const { id } = await subscribe(tenant, { url: hook.url, events: ['ticket.*'], filters: { priorities: ['high'] } });
    const { status, body } = await tenant.rest('POST', `/webhooks/${id}/replay`, { body: { since, events: ['ticket.created'] } });
    expect([status, body.data]).toEqual([202, { webhook_id: id, since, until: expect.any(String), events: 3 }]);
    await eventually(() => hook.arrivals.length === 1);
    expect(hook.arrivals[0]?.event).toMatchObject({ organization_id: tenant.organizationId, data: { ticket: { priority: 'high' } } });
  });

  test.each<[string, () => object, string]>([
    ['since', () => ({ since: undefined }), 'is required'],
    ['since', () => ({ since: 'yesterday' }), ''],
    ['since', () => ({ since: ago(-60_000) }), 'future'],
    ['since', () => ({ since: ago(32 * DAY_MS) }), '30 days'],
    ['until', () => ({ until: ago(7_200_000) }), 'after since'],
    ['events.1', () => ({ events: ['ticket.*', 'ticket.exploded'] }), 'does not match any event'],
    ['events', () => ({ events: ['invoice.*'] }), 'subscribes to'],
    ['events', () => ({ events: [] }), 'at least one'],
    ['status.0', () => ({ status: ['lost'] }), 'must be one of'],
    ['status.1', () => ({ status: ['skipped', 'pending'] }), 'under way'],
    ['from', () => ({ from: ago(0) }), ''],
  ])('a replay with an invalid value of the field %s returns 400', async (field, members, reason) => {
    const { id } = await subscribe(tenant, { url: 'https://example.com/hooks', events: ['ticket.*'] });
    const response = await tenant.rest('POST', `/webhooks/${id}/replay`, { body: { since: ago(3_600_000), ...members() } });
    expect([response.status, response.body.error?.details.field], JSON.stringify(response.body)).toEqual([400, field]);
    expect(response.body.error.details.reason).toContain(reason);
  });

  test('a replay returns 403 to a caller with only webhooks:read and 404 to another organization', async () => {
    const { id } = await subscribe(tenant, { url: 'https://example.com/hooks', events: ['ticket.*'] });
    const body = { since: ago(3_600_000) };
    expect((await (await tenant.limitedTo('webhooks:read')).rest('POST', `/webhooks/${id}/replay`, { body })).status).toBe(403);
    expect((await (await platform.organization()).rest('POST', `/webhooks/${id}/replay`, { body })).status).toBe(404);
  });
});
