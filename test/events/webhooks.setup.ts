import type { IncomingHttpHeaders } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { expect, vi } from 'vitest';
import { clock, eventually } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

const ticket = { title: 'Line is down', description: 'No light since 9:30.', priority: 'high' };

/** Creates a ticket, which emits the event `ticket.created`. */
export async function openTicket(tenant: Tenant, members: object = {}): Promise<Json> {
  const { status, body } = await tenant.rest('POST', '/support/tickets', { body: { ...ticket, ...members } });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.ticket;
}

export async function subscribe(tenant: Tenant, body: object): Promise<Json> {
  const response = await tenant.rest('POST', '/webhooks', { body });
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return response.body.data;
}

export const deliveriesOf = async (tenant: Tenant, id: string, query = ''): Promise<Json[]> =>
  (await tenant.rest('GET', `/webhooks/${id}/deliveries${query}`)).body.data;

/** Waits until the newest delivery of the webhook matches `expected` and returns it. */
export const delivered = (tenant: Tenant, id: string, expected: object): Promise<Json> =>
  eventually(async () => {
    const [delivery] = await deliveriesOf(tenant, id);
    expect(delivery).toMatchObject(expected);
    return delivery;
  });

/**
 * Verifies a delivery as a receiver would. Sets the system time to `at`, by default the platform's time, because the
 * library rejects timestamps that differ from the system time by more than five minutes.
 */
export function verified(secret: string, text: string, headers: IncomingHttpHeaders, at = clock.now()): unknown {
  vi.setSystemTime(at);
  try {
    return new Webhook(secret, secret.startsWith('whsec_') ? undefined : { format: 'raw' }).verify(text, headers as Record<string, string>);
  } finally {
    vi.useRealTimers();
  }
}
