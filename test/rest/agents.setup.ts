import { expect } from 'vitest';
import type { Json, Tenant } from '../tenant.ts';
import { freshEmail } from './notification.setup.ts';

export async function makeAgent(tenant: Tenant, agent: object = {}): Promise<Json> {
  const body = { name: 'Grace Hopper', email: freshEmail(), specialization: 'voice', ...agent };
  const answer = await tenant.rest('POST', '/support/agents', { body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.data;
}
