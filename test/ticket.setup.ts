import { expect } from 'vitest';
import type { Json, Tenant } from './tenant.ts';

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
