import { beforeAll, expect, test } from 'vitest';
import { type Rig, rig } from '../rig.ts';
import { eventsWhen, HOUR_MS, MINUTE_MS } from '../support/sla.setup.ts';
import type { RestResponse, Tenant } from '../tenant.ts';
import { changeTicket as change, openTicket as open } from '../ticket.setup.ts';

let platform: Rig;
let tenant: Tenant;
beforeAll(async () => {
  platform = await rig();
  tenant = await platform.organization();
});

/** The ETag and the revision in the response to a GET of a ticket. */
const seen = async (id: string): Promise<{ etag: string; revision: number }> => {
  const { headers, body } = await tenant.rest('GET', `/support/tickets/${id}`);
  return { etag: headers.get('etag') ?? '', revision: body.ticket.revision };
};
const changeAsSeen = (id: string, { etag }: { etag: string }, body: object): Promise<RestResponse> =>
  tenant.rest('PUT', `/support/tickets/${id}`, { body, headers: { 'if-match': etag } });

test('an SLA warning or breach keeps the revision of its ticket, so an update with an earlier ETag in If-Match succeeds', async () => {
  const { id } = await open(tenant, { priority: 'high' });
  const before = await seen(id);
  await platform.advance(45 * MINUTE_MS);
  await eventsWhen(tenant, id, 1, 'sla.at_risk');
  await platform.advance(15 * MINUTE_MS);
  await eventsWhen(tenant, id, 1, 'sla.breach');
  expect(await seen(id)).toEqual(before);
  expect((await changeAsSeen(id, before, { status: 'in_progress' })).status).toBe(200);
  expect((await changeAsSeen(id, before, { status: 'resolved' })).status).toBe(409);
});

test('an automatic escalation changes the revision of its ticket, so an update with an earlier ETag in If-Match returns 409', async () => {
  const { id } = await open(tenant, { priority: 'critical' });
  await change(tenant, id, { status: 'in_progress' });
  const before = await seen(id);
  await platform.advance(2 * HOUR_MS);
  await eventsWhen(tenant, id, 1, 'ticket.escalated');
  expect((await changeAsSeen(id, before, { status: 'resolved' })).status).toBe(409);
});

test('an update with the same values does not change the revision of the ticket', async () => {
  const { id } = await open(tenant);
  const before = await seen(id);
  await change(tenant, id, { status: 'open', priority: 'medium' });
  expect(await seen(id)).toEqual(before);
});
