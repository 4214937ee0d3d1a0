import { describe, expect, test } from 'vitest';
import { rows } from '../support/tables.ts';
import type { Json, Tenant } from '../tenant.ts';
import { ticketDesk } from './tickets.setup.ts';

const { platform, tenant, open, change } = await ticketDesk();

describe('ticket timeline', () => {
  const timelineOf = async (id: string, caller = tenant) => (await caller.rest('GET', `/support/tickets/${id}/timeline`)).body;

  test('the ticket timeline lists every change, newest first, with field, old and new value, caller and time', async () => {
    const { id, created_at } = await open();
    await platform.advance(1_000);
    await change(id, { status: 'in_progress', customer_update: '7' });
    const { timeline, pagination } = await timelineOf(id);
    const actor = { kind: 'api_key', id: expect.stringMatching(/^ak_/) };
    expect(timeline.slice(0, 2).toSorted(byMember)).toEqual([
      { id: expect.stringMatching(/^tchg_/), member: 'customer_update', from: null, to: '7', actor, created_at: expect.any(String) },
      { id: expect.any(String), member: 'status', from: 'open', to: 'in_progress', actor, created_at: expect.any(String) },
    ]);
    expect(
      timeline
        .slice(2)
        .map((entry: Json) => [entry.member, entry.from, entry.created_at])
        .toSorted(),
    ).toEqual([
      ['assigned_to', null, created_at],
      ['status', null, created_at],
    ]);
    expect(pagination.total).toBe(4);
    const { data, errors } = await tenant.graphql('query($id: ID!) { ticket(id: $id) { timeline(limit: 2) { id to } } }', { id });
    expect(errors).toBeUndefined();
    expect(data.ticket.timeline).toEqual(timeline.slice(0, 2).map((entry: Json) => ({ id: entry.id, to: entry.to })));
  });

  test('the timeline of a ticket is paged, and the timeline of a ticket of another organization returns 404', async () => {
    const { id } = await open();
    await change(id, { priority: 'high' });
    const { timeline } = await timelineOf(id);
    const { body } = await tenant.rest('GET', `/support/tickets/${id}/timeline?limit=1&page=2`);
    expect(body.timeline).toEqual(timeline.slice(1, 2));
    expect((await (await platform.organization()).rest('GET', `/support/tickets/${id}/timeline`)).status).toBe(404);
  });

  test('callers without support:write receive only timeline entries of customer-visible ticket fields', async () => {
    const { id } = await open();
    await change(id, { priority: 'high', metadata: { case: 7 } });
    await (await rows()).query(
      `insert into "support"."ticket_change" select 'tchg_internal', "organization_id", "ticket_id", 'routed_by', 'internal', null, '"rule_1"', 'system', 'support.routing', "created_at"
       from "support"."ticket_change" where "ticket_id" = $1 limit 1`,
      [id],
    );
    const customer = await tenant.limitedTo('support:read');
    const members = async (caller: Tenant) => (await timelineOf(id, caller)).timeline.map(({ member }: Json) => member).toSorted();
    expect(await members(tenant)).toEqual(['assigned_to', 'metadata', 'priority', 'routed_by', 'status']);
    expect(await members(customer)).toEqual(['assigned_to', 'metadata', 'priority', 'status']);
    const { data } = await customer.graphql('query($id: ID!) { ticket(id: $id) { timeline { member } } }', { id });
    expect(JSON.stringify(data)).not.toContain('routed_by');
  });
});

const byMember = (one: Json, other: Json): number => one.member.localeCompare(other.member);

describe('concurrent ticket changes', () => {
  const conditionally = (id: string, etag: string, body: object) =>
    tenant.rest('PUT', `/support/tickets/${id}`, { body, headers: { 'if-match': etag } });
  const tagOf = async (id: string) => (await tenant.rest('GET', `/support/tickets/${id}`)).headers.get('etag') ?? '';

  test('of four concurrent ticket updates with the same If-Match ETag, one returns 200 and three return 409 STALE_RESOURCE', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await open();
      const etag = await tagOf(id);
      const responses = await Promise.all(['A', 'B', 'C', 'D'].map((text) => conditionally(id, etag, { customer_update: text })));
      expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
      const current = await tagOf(id);
      for (const { status, body } of responses)
        if (status === 409) expect(body.error).toMatchObject({ code: 'STALE_RESOURCE', details: { current } });
      const { timeline } = (await tenant.rest('GET', `/support/tickets/${id}/timeline`)).body;
      expect(timeline.filter(({ member }: Json) => member === 'customer_update')).toHaveLength(1);
      expect((await conditionally(id, current, { customer_update: 'E' })).status).toBe(200);
    }
  });

  test('updating a ticket over GraphQL with an outdated expectedRevision returns STALE_RESOURCE', async () => {
    const { id, revision } = await open();
    const query =
      'mutation($id: ID!, $to: TicketPriority!, $seen: Int) { updateTicket(id: $id, input: { priority: $to }, expectedRevision: $seen) { revision } }';
    const first = await tenant.graphql(query, { id, to: 'HIGH', seen: revision });
    expect(first.data.updateTicket.revision).toBeGreaterThan(revision);
    const { errors } = await tenant.graphql(query, { id, to: 'LOW', seen: revision });
    expect(errors).toMatchObject([{ extensions: { code: 'STALE_RESOURCE' } }]);
    expect((await tenant.graphql(query, { id, to: 'LOW' })).errors).toBeUndefined();
    expect((await change(id, { expected_revision: 1 })).body.error.details.field).toBe('expected_revision');
  });

  test('a comment changes the ETag of its ticket, so that an update with the earlier ETag returns 409', async () => {
    const { id } = await open();
    const etag = await tagOf(id);
    await tenant.rest('POST', `/support/tickets/${id}/comments`, { body: { content: 'On it' } });
    expect((await conditionally(id, etag, { status: 'resolved' })).status).toBe(409);
  });
});
