import { expect } from 'vitest';
import { eventually } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

export async function openTicket(tenant: Tenant, body: object = {}): Promise<Json> {
  const answer = await tenant.rest('POST', '/support/tickets', { body: { title: 'Line is down', description: 'Since 9:30.', ...body } });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.ticket;
}

export async function changeTicket(tenant: Tenant, id: string, body: object): Promise<Json> {
  const answer = await tenant.rest('PUT', `/support/tickets/${id}`, { body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.ticket;
}

export async function slaOf(tenant: Tenant, id: string): Promise<Json> {
  const answer = await tenant.rest('GET', `/support/tickets/${id}/sla`);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.sla_status;
}

/** The events about a ticket so far, oldest first, by the patterns of their names. */
export async function eventsOf(tenant: Tenant, id: string, ...names: string[]): Promise<Json[]> {
  const query = 'query($id: ID!) { events(filter: { subjectId: [$id] }) { nodes { event payload } } }';
  const { data } = await tenant.graphql(query, { id });
  const nodes: { event: string; payload: string }[] = data.events.nodes;
  return nodes
    .toReversed()
    .filter(({ event }) => names.includes(event))
    .map(({ payload }) => JSON.parse(payload));
}

/** Waits until a ticket has so many events of these names, and answers them. */
export const eventsWhen = (tenant: Tenant, id: string, count: number, ...names: string[]): Promise<Json[]> =>
  eventually(async () => {
    const found = await eventsOf(tenant, id, ...names);
    return found.length >= count && found;
  });
