import { expect } from 'vitest';
import type { Json, Tenant } from '../tenant.ts';
import { freshEmail } from './notification.setup.ts';

export async function makeAgent(tenant: Tenant, agent: object = {}): Promise<Json> {
  const body = { name: 'Grace Hopper', email: freshEmail(), specialization: 'voice', ...agent };
  const response = await tenant.rest('POST', '/support/agents', { body });
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return response.body.data;
}
