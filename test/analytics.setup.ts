import { expect } from 'vitest';
import { DAY_MS, dateOf } from '../kernel/values/days.ts';
import { clock } from './rig.ts';
import { type Json, type RestResponse, Tenant } from './tenant.ts';

export const getAnalytics = (by: Tenant, path: string, query: Record<string, string> = {}): Promise<RestResponse> =>
  by.rest('GET', `/analytics/${path}?${new URLSearchParams(query)}`);

/** Reads an analysis over REST: `performance`, `usage`, `costs` or `trends`. */
export async function readAnalytics(by: Tenant, path: string, query: Record<string, string> = {}): Promise<Json> {
  const { status, body } = await getAnalytics(by, path, query);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data;
}

/** The UTC date `ago` days before today. */
export const dayAgo = (ago = 0): string => dateOf(new Date(clock.now().getTime() - ago * DAY_MS));

/** A key of the organization that is limited to an account. */
export async function keyOfAccount(tenant: Tenant, accountId: string, ...permissions: string[]): Promise<Tenant> {
  const body = { name: 'Limited', permissions, accounts: [accountId] };
  const { api_key: key } = (await tenant.rest('POST', '/auth/api-keys', { body })).body;
  return new Tenant(tenant.origin, tenant.organizationId, key.key);
}
