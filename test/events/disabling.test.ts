import { beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Rig, rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';
import { invited, userOf } from '../users.setup.ts';
import { receiver, respondWith } from './receiver.ts';

const DAY_MS = 24 * 60 * 60_000;

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

async function subscribe(tenant: Tenant, url: string, events: string[]): Promise<Json> {
  const { status, body } = await tenant.rest('POST', '/webhooks', { body: { url, events } });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data;
}

async function openTicket(tenant: Tenant): Promise<void> {
  const { status } = await tenant.rest('POST', '/support/tickets', { body: { title: 'Line is down', description: 'No light.' } });
  expect(status).toBe(201);
}

const webhookOf = async (tenant: Tenant, id: string): Promise<Json> => (await tenant.rest('GET', `/webhooks/${id}`)).body.data;

const failingSince = async (tenant: Tenant, id: string): Promise<string | null> =>
  (await tenant.graphql('query ($id: ID!) { webhook(id: $id) { failingSince } }', { id })).data.webhook.failingSince;

/** Waits until the webhook's deliveries, newest first, have these statuses and attempt counts. */
const delivered = (tenant: Tenant, id: string, ...expected: [string, number][]): Promise<Json[]> =>
  eventually(async () => {
    const { data } = (await tenant.rest('GET', `/webhooks/${id}/deliveries`)).body;
    expect(data.map(({ status, attempt }: Json) => [status, attempt])).toEqual(expected);
    return data;
  });

describe('webhooks that fail for five days', () => {
  test('a webhook that fails for five days is disabled, and its failed delivery is retried after the webhook is activated again', async () => {
    const tenant = await platform.organization();
    const [hook, watcher, witness] = [await receiver(respondWith(500)), await receiver(), await receiver()];
    const { id } = await subscribe(tenant, hook.url, ['ticket.created']);
    await subscribe(tenant, watcher.url, ['webhook.disabled']);
    await subscribe(tenant, witness.url, ['ticket.created']);
    await openTicket(tenant);
    const [first] = await delivered(tenant, id, ['failed', 1]);
    await platform.advance(5 * DAY_MS);
    await eventually(() => watcher.arrivals[0]);
    const expected = { id, active: false, disabled_reason: 'failing', disabled_at: expect.any(String) };
    expect(watcher.arrivals[0]?.event.data.webhook).toMatchObject({ ...expected, failing_since: first?.attempted_at });
    expect(await webhookOf(tenant, id)).toMatchObject(expected);
    const [waiting] = await delivered(tenant, id, ['failed', 2]);
    expect(waiting?.next_attempt_at).toEqual(expect.any(String));

    hook.respond(respondWith(200));
    await platform.advance(DAY_MS);
    await openTicket(tenant);
    await eventually(() => witness.arrivals.length === 2);
    expect(hook.arrivals).toHaveLength(2);
    await tenant.rest('PUT', `/webhooks/${id}`, { body: { active: true } });
    // events from the time when the webhook was disabled are skipped; a replay can send them
    await delivered(tenant, id, ['skipped', 0], ['delivered', 3]);
  });

  test('active owners and administrators get one email about a disabled webhook, and the email does not contain the webhook secret', async () => {
    const tenant = await platform.organization();
    const [owner, admin, member] = [await userOf(tenant, 'owner'), await userOf(tenant, 'admin'), await userOf(tenant, 'support')];
    const absent = await invited(tenant, 'owner');
    const hook = await receiver(respondWith(410));
    const { id, secret } = await subscribe(tenant, `${hook.url}?key=hidden`, ['ticket.created']);
    await openTicket(tenant);
    const mailsFor = (email: string) => platform.mails.filter(({ to, subject }) => to === email && subject === 'A webhook was disabled');
    const [mail] = await eventually(() => mailsFor(admin.email).length > 0 && mailsFor(owner.email).length > 0 && mailsFor(owner.email));
    expect(mail?.text).toContain(id);
    expect(mail?.text).toContain(hook.url);
    expect(mail?.text).toContain('its receiver responded with 410');
    expect(mail?.text).toContain(`POST ${platform.origin}/v1/webhooks/${id}/resume`);
    expect(mail?.text).not.toMatch(new RegExp(`hidden|${secret.slice(6, 20).replaceAll('+', '\\+')}`));
    expect([
      mailsFor(owner.email).length,
      mailsFor(admin.email).length,
      mailsFor(member.email).length,
      mailsFor(absent.email).length,
    ]).toEqual([1, 1, 0, 0]);
  });

  test('a successful delivery restarts the five days after which a failing webhook is disabled', async () => {
    const tenant = await platform.organization();
    const hook = await receiver((response, index) => void response.writeHead(index === 1 ? 200 : 500).end());
    const { id } = await subscribe(tenant, hook.url, ['ticket.created']);
    await openTicket(tenant);
    await delivered(tenant, id, ['failed', 1]);
    expect(await failingSince(tenant, id)).toEqual(expect.any(String));
    await platform.advance(DAY_MS);
    await delivered(tenant, id, ['delivered', 2]);
    expect(await failingSince(tenant, id)).toBeNull();

    await platform.advance(5 * DAY_MS);
    await openTicket(tenant);
    const [newest] = await delivered(tenant, id, ['failed', 1], ['delivered', 2]);
    expect(await failingSince(tenant, id)).toBe(newest?.attempted_at);
    expect(await webhookOf(tenant, id)).toMatchObject({ active: true, disabled_reason: null });
  });

  test('a disabled webhook that is activated again is not disabled by failures on the next day', async () => {
    const tenant = await platform.organization();
    const hook = await receiver(respondWith(500));
    const { id } = await subscribe(tenant, hook.url, ['ticket.created']);
    await openTicket(tenant);
    await delivered(tenant, id, ['failed', 1]);
    await platform.advance(5 * DAY_MS);
    await eventually(async () => !(await webhookOf(tenant, id)).active);
    await tenant.rest('PUT', `/webhooks/${id}`, { body: { active: true } });
    await platform.advance(DAY_MS);
    await delivered(tenant, id, ['failed', 3]);
    expect(await webhookOf(tenant, id)).toMatchObject({ active: true, disabled_reason: null });
  });
});
