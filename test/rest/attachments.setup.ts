import { expect } from 'vitest';
import { rows } from '../support/tables.ts';
import type { Json, RestResponse, Tenant } from '../tenant.ts';

export const ticket = { title: 'Internet connection is down', description: 'No light since 9:30.' };
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** An attachment in the format of a request body. */
export const file = (filename: string, content_type: string, content: Buffer | string, more: object = {}) => ({
  filename,
  content_type,
  data: Buffer.from(content).toString('base64'),
  ...more,
});

/** Opens a ticket with attachments; returns the unchecked response. */
export const send = (tenant: Tenant, attachments: unknown): Promise<RestResponse> =>
  tenant.rest('POST', '/support/tickets', { body: { ...ticket, attachments } });

export async function keep(tenant: Tenant, attachments: unknown): Promise<Json> {
  const response = await send(tenant, attachments);
  expect(response.status, JSON.stringify(response.body)).toBe(201);
  return response.body.ticket;
}

export const download = (by: Tenant, id: string, headers: Record<string, string> = {}, { method = 'GET' } = {}): Promise<Response> =>
  fetch(`${by.origin}/v1/attachments/${id}`, { method, headers: { ...by.credentials, ...headers } });

/** Uploaded files that do not belong to a stored attachment yet. */
export const pendingUploads = async ({ organizationId }: Tenant): Promise<{ id: string }[]> =>
  (await rows()).query('select "id" from "support"."attachment_upload" where "organization_id" = $1', [organizationId]);
