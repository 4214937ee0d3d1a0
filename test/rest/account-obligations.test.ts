import { beforeAll, expect, test } from 'vitest';
import { type BilledTenant, billedTenant } from '../billing.setup.ts';

let billed: BilledTenant;
beforeAll(async () => {
  billed = await billedTenant();
});

test('deleting or closing an account with a live service and an open invoice returns 409 INVALID_STATE with the ids of both', async () => {
  const { tenant, accountId, serviceId, firstInvoice } = billed;
  const account = async () => (await tenant.rest('GET', `/accounts/${accountId}`)).body.data;
  const before = await account();
  for (const attempt of [
    tenant.rest('DELETE', `/accounts/${accountId}`),
    tenant.rest('PUT', `/accounts/${accountId}`, { body: { status: 'closed' } }),
  ]) {
    const { status, body } = await attempt;
    expect(status).toBe(409);
    expect(body.error).toMatchObject({ code: 'INVALID_STATE', details: { service_ids: [serviceId], invoice_ids: [firstInvoice.id] } });
  }
  expect(await account()).toEqual(before);
});

test('an account with a live service and an open invoice can still be suspended', async () => {
  const { tenant, accountId } = billed;
  expect((await tenant.rest('PUT', `/accounts/${accountId}`, { body: { status: 'suspended' } })).body.data.status).toBe('suspended');
});
