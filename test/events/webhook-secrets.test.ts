import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Rig, rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';
import { type Arrival, FAILING, type Receiver, receiver, respondWith } from './receiver.ts';
import { openTicket, subscribe, verified } from './webhooks.setup.ts';

const HOUR_MS = 3_600_000;
const OWN = 'a secret of the receiver itself';

let platform: Rig;
let tenant: Tenant;
let hook: Receiver;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization();
});

async function subscribed(members: object = {}): Promise<Json> {
  hook = await receiver();
  return subscribe(tenant, { url: hook.url, events: ['ticket.*'], ...members });
}

async function rotate(id: string, body?: object): Promise<Json> {
  const response = await tenant.rest('POST', `/webhooks/${id}/rotate-secret`, { body });
  expect(response.status, JSON.stringify(response.body)).toBe(200);
  return response.body.data;
}

/** Sends a test delivery, which is signed like event deliveries, and returns the received request. */
async function tested(id: string): Promise<Arrival> {
  await tenant.rest('POST', `/webhooks/${id}/test`);
  return hook.arrivals.at(-1) as Arrival;
}

/** True if the signature is valid at the timestamp of the delivery. */
const verifies = (secret: string, { text, headers }: Arrival): boolean => {
  try {
    return Boolean(verified(secret, text, headers, new Date(Number(headers['webhook-timestamp']) * 1000)));
  } catch {
    return false;
  }
};
const signatures = ({ headers }: Arrival): string[] => String(headers['webhook-signature']).split(' ');
const bodySignature = (secret: string, { text }: Arrival): string =>
  `sha256=${createHmac('sha256', secret)
    .update(text.replace(/,"signature":"sha256=[0-9a-f]{64}"}$/, '}'))
    .digest('hex')}`;

describe('secret rotation', () => {
  test.each([
    ['generated', undefined],
    ['chosen', { secret: OWN }],
  ])('after a rotation to a %s secret, deliveries have signatures of both secrets for 24 hours', async (_, body) => {
    const { id, secret: old } = await subscribed();
    const { secret: fresh, previous_secret_until } = await rotate(id, body);
    expect(fresh).toEqual(body?.secret ?? expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/));
    expect(fresh).not.toBe(old);
    const left = Date.parse(previous_secret_until) - platform.clock.now().getTime();
    expect(left).toBeGreaterThan(23 * HOUR_MS);
    expect(left).toBeLessThanOrEqual(24 * HOUR_MS);

    const during = await tested(id);
    expect(signatures(during)).toHaveLength(2);
    expect([verifies(fresh, during), verifies(old, during)]).toEqual([true, true]);
    expect(during.event.signature).toBe(bodySignature(fresh, during));

    await platform.advance(24 * HOUR_MS);
    const after = await tested(id);
    expect(signatures(after)).toHaveLength(1);
    expect([verifies(fresh, after), verifies(old, after)]).toEqual([true, false]);
  });

  test('after a secret rotation, new deliveries and retries have both signatures, and the signature of the new secret is first', async () => {
    const { id, secret: old } = await subscribed();
    hook.respond((response, index) => (index === 0 ? FAILING(response, index) : void response.end()));
    const { secret: fresh } = await rotate(id);
    await openTicket(tenant);
    await eventually(() => hook.arrivals.length === 1);
    await eventually(async () => {
      const [delivery] = (await tenant.rest('GET', `/webhooks/${id}/deliveries`)).body.data;
      return delivery?.status === 'failed';
    });
    await platform.advance(2 * HOUR_MS);
    await eventually(() => hook.arrivals.length === 2);
    for (const arrival of hook.arrivals) {
      const [first = '', second = ''] = signatures(arrival);
      const alone = (signature: string): Arrival => ({ ...arrival, headers: { ...arrival.headers, 'webhook-signature': signature } });
      expect([verifies(fresh, alone(first)), verifies(old, alone(second))]).toEqual([true, true]);
    }
  });

  test('a second secret rotation within 24 hours immediately removes the oldest secret', async () => {
    const { id, secret: oldest } = await subscribed();
    const { secret: middle } = await rotate(id);
    const { secret: newest } = await rotate(id);
    const arrival = await tested(id);
    expect(signatures(arrival)).toHaveLength(2);
    expect([oldest, middle, newest].map((secret) => verifies(secret, arrival))).toEqual([false, true, true]);
  });

  test('updating the secret within 24 hours after a rotation immediately replaces both secrets', async () => {
    const { id, secret: old } = await subscribed();
    const { secret: rotated } = await rotate(id);
    const { body } = await tenant.rest('PUT', `/webhooks/${id}`, { body: { secret: OWN } });
    expect(body.data.previous_secret_until).toBeNull();
    const arrival = await tested(id);
    expect([old, rotated, OWN].map((secret) => verifies(secret, arrival))).toEqual([false, false, true]);
  });

  test('a rotated secret is only in the response to the rotation and is null when the webhook is read', async () => {
    const { id } = await subscribed();
    const mutation = 'mutation($id: ID!) { rotateWebhookSecret(id: $id, input: {}) { id secret previousSecretUntil } }';
    const { data } = await tenant.graphql(mutation, { id });
    expect(data.rotateWebhookSecret).toMatchObject({ id, secret: expect.stringMatching(/^whsec_/) });
    expect(verifies(data.rotateWebhookSecret.secret, await tested(id))).toBe(true);
    const read = await tenant.rest('GET', `/webhooks/${id}`);
    expect(read.body.data).toMatchObject({ secret: null, previous_secret_until: data.rotateWebhookSecret.previousSecretUntil });
  });

  test.each([
    ['secret', { secret: 'short' }, '16 to 255'],
    ['secret', { secret: 'whsec_but this is not base64' }, 'base64'],
    ['secert', { secert: OWN }, ''],
  ])('rotating a webhook secret with an invalid field %s returns 400 and keeps the old secret: %j', async (field, body, reason) => {
    const { id, secret } = await subscribed();
    const response = await tenant.rest('POST', `/webhooks/${id}/rotate-secret`, { body });
    expect([response.status, response.body.error?.details.field]).toEqual([400, field]);
    expect(response.body.error.details.reason).toContain(reason);
    expect(verifies(secret, await tested(id))).toBe(true);
  });

  test("rotating a webhook secret returns 403 to a caller who may not read the webhook's events", async () => {
    const { id, secret } = await subscribed();
    const limited = await tenant.limitedTo('webhooks:*', 'billing:read');
    const response = await limited.rest('POST', `/webhooks/${id}/rotate-secret`);
    expect([response.status, response.body.error.details.required]).toEqual([403, 'support:read']);
    expect(verifies(secret, await tested(id))).toBe(true);
  });
});

describe('Standard Webhooks library', () => {
  test('a Standard Webhooks library rejects changed deliveries and deliveries with a timestamp more than five minutes in the past or future', async () => {
    const { id, secret } = await subscribed();
    hook.respond(respondWith(204));
    const { text, headers, event } = await tested(id);
    const at = Number(headers['webhook-timestamp']) * 1000;
    const judged = (shiftMs: number) => () => verified(secret, text, headers, new Date(at + shiftMs));
    expect(judged(299_000)()).toEqual(event);
    expect(judged(301_000)).toThrow('Message timestamp too old');
    expect(judged(-301_000)).toThrow('Message timestamp too new');
    const now = new Date(at);
    expect(() => verified(secret, text.replace('webhook.test', 'webhook.tess'), headers, now)).toThrow('No matching signature found');
    expect(() => verified(secret, text, { ...headers, 'webhook-id': 'evt_other' }, now)).toThrow('No matching signature found');
    expect(() => verified(secret, text, { ...headers, 'webhook-timestamp': String(at / 1000 - 1) }, now)).toThrow(
      'No matching signature found',
    );
    expect(() => verified(OWN, text, headers, now)).toThrow('No matching signature found');
  });
});
