import { beforeAll, expect, test } from 'vitest';
import { eventually, type Rig, rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';
import { openTicket } from '../ticket.setup.ts';
import { freshEmail, HOUR_MS, notify } from './notification.setup.ts';
import { makeRule } from './routing.setup.ts';

const MINUTE_MS = 60_000;

let platform: Rig;
beforeAll(async () => {
  platform = await rig();
});

const many = (count: number) => ({ type: 'email', recipients: Array.from({ length: count }, () => ({ email: freshEmail() })) });
/** Uses up the limit of 100 recipients per hour, except for `left` recipients. Returns the notified ticket. */
async function leaving(tenant: Tenant, left: number): Promise<Json> {
  const ticket = await openTicket(tenant);
  for (const count of [50, 50 - left]) expect((await notify(tenant, ticket, many(count))).status).toBe(201);
  return ticket;
}
const recipientsOf = async (tenant: Tenant, { id }: Json): Promise<Json[]> => {
  const { body } = await tenant.rest('GET', `/support/tickets/${id}/notifications`);
  return body.data.flatMap(({ recipients }: Json) => recipients);
};
const isRefused = ({ last_error }: Json): boolean => /recipients per hour is reached/.test(last_error ?? '');

test('a notification beyond the hourly recipient limit returns 429 RATE_LIMIT_EXCEEDED, and no recipient is notified', async () => {
  const small = await platform.organization({ plan: 'developer' });
  const ticket = await openTicket(small);
  expect((await notify(small, ticket, many(50))).status).toBe(201);
  expect((await notify(small, ticket, many(49))).status).toBe(201);
  const refused = await notify(small, ticket, many(2));
  expect(refused.status).toBe(429);
  expect(refused.body.error).toMatchObject({
    code: 'RATE_LIMIT_EXCEEDED',
    details: { window: 'notifications', limit: 100, remaining: 1 },
  });
  expect((await notify(small, ticket, many(1))).status).toBe(201);
  await platform.advance(HOUR_MS + 1000);
  expect((await notify(small, ticket, many(1))).status).toBe(201);
});

test('notifications of a routing rule that exceed the hourly limit are stored as failed and do not count towards the limit', async () => {
  const tenant = await platform.organization({ plan: 'developer' });
  await leaving(tenant, 2);
  await makeRule(tenant, { conditions: { category: 'voice' }, actions: { notify: Array.from({ length: 20 }, freshEmail) } });
  await platform.advance(59 * MINUTE_MS);
  const routed = [];
  for (const _ of [1, 2, 3]) routed.push(await recipientsOf(tenant, await openTicket(tenant, { category: 'voice' })));
  expect(routed.map((recipients) => recipients.filter(isRefused).length)).toEqual([18, 20, 20]);
  expect(routed[1]).toMatchObject(Array.from({ length: 20 }, () => ({ status: 'failed', attempts: 0 })));
  await platform.advance(2 * MINUTE_MS);
  // more than an hour has passed since the two recipients of the first ticket were notified
  const ticket = await leaving(tenant, 2);
  const refused = await notify(tenant, ticket, many(1));
  expect([refused.status, refused.body.error.details]).toEqual([429, expect.objectContaining({ remaining: 0, current_usage: 100 })]);
});

test('an automatic update beyond the hourly recipient limit is not mailed, but is added to the ticket as a comment', async () => {
  const tenant = await platform.organization({ plan: 'developer' });
  await makeRule(tenant, { conditions: { category: 'voice' }, actions: { auto_update_frequency: '30_minutes' } });
  const email = freshEmail();
  const ticket = await openTicket(tenant, { category: 'voice', contact: { name: 'Ada', email } });
  await leaving(tenant, 0);
  await platform.advance(30 * MINUTE_MS);
  const [recipient] = await eventually(async () => {
    const found = await recipientsOf(tenant, ticket);
    return found.length > 0 && found;
  });
  expect(recipient).toMatchObject({
    email,
    status: 'failed',
    attempts: 0,
    last_error: expect.stringContaining('recipients per hour is reached'),
  });
  expect((await tenant.rest('GET', `/support/tickets/${ticket.id}/comments`)).body.comments).toHaveLength(1);
  await platform.advance(31 * MINUTE_MS);
  await eventually(() => platform.mails.some(({ to }) => to === email));
});

test('an escalation that exceeds the hourly recipient limit returns 429 RATE_LIMIT_EXCEEDED and does not escalate the ticket', async () => {
  const tenant = await platform.organization({ plan: 'developer' });
  const ticket = await leaving(tenant, 1);
  const escalate = (notified: number) =>
    tenant.rest('POST', `/support/tickets/${ticket.id}/escalate`, {
      body: { escalation_level: 2, notify: Array.from({ length: notified }, freshEmail) },
    });
  const refused = await escalate(2);
  expect([refused.status, refused.body.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
  expect((await tenant.rest('GET', `/support/tickets/${ticket.id}`)).body.ticket.status).toBe('open');
  expect((await escalate(1)).status).toBeLessThan(300);
});
