import { expect } from 'vitest';
import { eventually, rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/** The timestamp `hours` after `instant`. */
export const plus = (instant: string, hours: number): string => new Date(Date.parse(instant) + hours * HOUR_MS).toISOString();

export async function slaOf(tenant: Tenant, id: string): Promise<Json> {
  const response = await tenant.rest('GET', `/support/tickets/${id}/sla`);
  expect(response.status, JSON.stringify(response.body)).toBe(200);
  return response.body.sla_status;
}

/** The recorded events of a ticket that have one of these names, oldest first. */
export async function eventsOf(tenant: Tenant, id: string, ...names: string[]): Promise<Json[]> {
  const query = 'query($id: ID!) { events(filter: { subjectId: [$id] }) { nodes { event payload } } }';
  const { data } = await tenant.graphql(query, { id });
  const nodes: { event: string; payload: string }[] = data.events.nodes;
  return nodes
    .toReversed()
    .filter(({ event }) => names.includes(event))
    .map(({ payload }) => JSON.parse(payload));
}

/** Waits until a ticket has `count` events with these names, and returns them. */
export async function eventsWhen(tenant: Tenant, id: string, count: number, ...names: string[]): Promise<Json[]> {
  try {
    return await eventually(async () => {
      const found = await eventsOf(tenant, id, ...names);
      return found.length >= count && found;
    });
  } catch (cause) {
    const { logged } = await rig();
    const problems = logged.filter((line) => JSON.parse(line).level >= WARN).slice(-5);
    throw new Error(`${names.join()} of ${id} did not come. The platform's last problems: ${problems.join('') || 'none'}`, { cause });
  }
}

const WARN = 40;
