import { describe, expect, test } from 'vitest';
import type { Plan } from '../../kernel/access/principal.ts';
import { eventually, rig } from '../rig.ts';
import { rows } from '../support/tables.ts';
import type { Json } from '../tenant.ts';
import { EventsWorld, type Process } from './events-world.ts';
import { receiver } from './receiver.ts';
import { openTicket, subscribe } from './webhooks.setup.ts';

const DAY_MS = 24 * 3_600_000;

/** Starts a process of the events domain on 10 January, for an organization whose plan the test can change. */
async function planned(): Promise<{ world: EventsWorld; process: Process; change(plan: Plan): void }> {
  const world = await EventsWorld.open();
  world.clock.set(new Date('2030-01-10T12:00:00.000Z'));
  let plan: Plan = 'developer';
  const process = await world.start({ planOf: async () => plan });
  return {
    world,
    process,
    change: (to) => {
      plan = to;
    },
  };
}

const usageOf = async (process: Process): Promise<Json> =>
  (await process.graphql('{ webhookUsage { month counted limit exceededAt resetAt } }')).data.webhookUsage;
/** An address without a server, for deliveries that are only created and never received. */
const NOWHERE = 'http://127.0.0.1:9/hook';
const REDELIVER = 'mutation($webhookId: ID!, $id: ID!) { redeliverWebhookDelivery(webhookId: $webhookId, id: $id) { status } }';
const REPLAY = 'mutation($id: ID!, $since: DateTime!) { replayWebhook(id: $id, input: { since: $since }) { events } }';
const REPLAYED = "select 1 from pgboss.job where name = 'webhook-replay' and state = 'completed'";

async function countsOf(world: EventsWorld): Promise<{ kept: number; skipped: number }> {
  const rows = await world.query<{ status: string }>('select status from events.delivery');
  const skipped = rows.filter(({ status }) => status === 'skipped').length;
  return { kept: rows.length - skipped, skipped };
}

describe('monthly delivery quota', () => {
  test('deliveries of all webhooks count against the monthly quota, and deliveries beyond the quota are skipped with an error text', async () => {
    const { world, process } = await planned();
    for (let index = 0; index < 2; index += 1) await process.subscribe(NOWHERE);
    await process.append(49);
    await eventually(async () => (await countsOf(world)).kept === 98);
    expect(await usageOf(process)).toMatchObject({ month: '2030-01', counted: 98, limit: 100, exceededAt: null });

    await process.append(3, 49);
    await eventually(async () => (await countsOf(world)).skipped === 4);
    expect(await countsOf(world)).toEqual({ kept: 100, skipped: 4 });
    const [skipped] = await world.query<Json>("select error, next_attempt_at, attempt from events.delivery where status = 'skipped'");
    expect(skipped).toEqual({ error: expect.stringContaining('used up'), next_attempt_at: null, attempt: 0 });
    expect(await usageOf(process)).toMatchObject({
      counted: 100,
      exceededAt: expect.stringMatching(/^2030-01-10/),
      resetAt: '2030-02-01T00:00:00.000Z',
    });
  });

  test('an exhausted delivery quota creates one webhook.quota_exceeded event, whose delivery does not count against the quota', async () => {
    const { world, process } = await planned();
    const watcher = await receiver();
    await process.subscribe(NOWHERE);
    await process.graphql('mutation($url: String!) { createWebhook(input: { url: $url, events: ["webhook.*"] }) { id } }', {
      url: watcher.url,
    });
    await process.append(101);
    await eventually(async () => (await countsOf(world)).skipped === 1);
    await process.append(5, 101);
    await eventually(async () => (await countsOf(world)).skipped === 6);
    expect(await world.query("select 1 from events.outbox where event = 'webhook.quota_exceeded'")).toHaveLength(1);
    await process.relay();
    const arrival = await eventually(() => watcher.arrivals[0]);
    expect(arrival.event.data).toEqual({
      webhook_usage: { month: '2030-01', limit: 100, exceeded_at: expect.stringMatching(/^2030-01-10/) },
    });
    expect((await usageOf(process)).counted).toBe(100);
  });

  test('deliveries skipped because of the quota can be sent after a plan change or in a new month', async () => {
    const { world, process, change } = await planned();
    const since = world.clock.now();
    const hook = await receiver();
    const webhookId = await process.subscribe(hook.url);
    await process.append(105);
    await eventually(async () => (await countsOf(world)).skipped === 5);
    const redeliverOne = async (): Promise<Json> => {
      const [row] = await world.query<{ id: string }>("select id from events.delivery where status = 'skipped' order by sequence limit 1");
      return process.graphql(REDELIVER, { webhookId, id: row?.id });
    };
    expect((await redeliverOne()).error).toMatchObject({ code: 'INVALID_STATE' });
    change('business');
    expect((await redeliverOne()).data.redeliverWebhookDelivery.status).toBe('PENDING');
    expect(await usageOf(process)).toMatchObject({ counted: 101, limit: 1000 });

    change('developer');
    world.clock.advance(1000);
    await process.graphql(REPLAY, { id: webhookId, since });
    await eventually(async () => (await world.query(REPLAYED)).length === 1);
    expect((await countsOf(world)).skipped).toBe(4);

    world.clock.advance(22 * DAY_MS);
    expect(await usageOf(process)).toMatchObject({ month: '2030-02', counted: 0, exceededAt: null });
    await process.graphql(REPLAY, { id: webhookId, since });
    const arrived = (): number => new Set(hook.arrivals.map(({ event }) => event.id)).size;
    await eventually(() => arrived() === 105);
    expect((await usageOf(process)).counted).toBe(4);

    change('custom');
    await process.append(1, 105);
    await eventually(() => arrived() === 106);
    expect(await usageOf(process)).toMatchObject({ counted: 5, limit: null });
  });

  test("the limit of the delivery quota changes when the organization's plan changes", async () => {
    const platform = await rig();
    const tenant = await platform.organization({ plan: 'developer' });
    const hook = await receiver();
    await subscribe(tenant, { url: hook.url, events: ['ticket.created'] });
    await openTicket(tenant);
    await eventually(() => hook.arrivals[0]);
    const usage = async (): Promise<Json> => (await tenant.rest('GET', '/webhooks/usage')).body.data;
    expect(await usage()).toEqual({ month: expect.any(String), counted: 1, limit: 100, exceeded_at: null, reset_at: expect.any(String) });

    await (await rows()).query(`update "identity"."organization" set "plan" = 'business' where "id" = $1`, [tenant.organizationId]);
    await eventually(async () => (await usage()).limit === 1000);
    expect((await (await tenant.limitedTo('support:read')).rest('GET', '/webhooks/usage')).status).toBe(403);
  });
});
