import { beforeAll, expect, test } from 'vitest';
import { createAccount } from '../billing.setup.ts';
import { bulkThatIs, lineItem, modifyInBulk, provisionInBulk } from '../bulk.setup.ts';
import { serviceThatIs, tenantWithAccount } from '../services.setup.ts';
import { type Json, Tenant } from '../tenant.ts';

let whole: Tenant;
let first: string;
let second: string;
beforeAll(async () => {
  ({ tenant: whole, accountId: first } = await tenantWithAccount());
  second = (await createAccount(whole)).id;
});

async function limitedTo(...accounts: string[]): Promise<Tenant> {
  const { body } = await whole.rest('POST', '/auth/api-keys', {
    body: { name: 'limited', permissions: ['services:*', 'accounts:read'], accounts },
  });
  return new Tenant(whole.origin, whole.organizationId, body.api_key.key);
}
const statusOf = (tenant: Tenant, bulk_id: string) => tenant.rest('POST', '/services/bulk/status', { body: { bulk_id } });

test('a bulk created by a caller who is limited to one account belongs to this account, and is hidden from other accounts', async () => {
  const [own, other] = [await limitedTo(first), await limitedTo(second)];
  const { status, body } = await provisionInBulk(own, [lineItem(), lineItem({ account_id: second })]);
  expect([status, body.data]).toMatchObject([
    201,
    { account_id: first, items: [{ status: 'pending' }, { status: 'failed', error: { code: 'RESOURCE_NOT_FOUND' } }] },
  ]);
  const { services } = await bulkThatIs('partial', own, body.data.id);
  expect((await statusOf(other, body.data.id)).status).toBe(404);
  expect((await statusOf(whole, body.data.id)).status).toBe(200);
  const changed = await modifyInBulk(other, { service_ids: [services[0]?.service_id], billing_cycle: 'annual' });
  expect(changed.body.data.items).toMatchObject([{ error: { code: 'RESOURCE_NOT_FOUND' } }]);
});

test('a bulk for several accounts returns 400 to a caller limited to accounts, and otherwise belongs to no account', async () => {
  const items: Json[] = [lineItem({ account_id: first }), lineItem({ account_id: second })];
  const refused = await provisionInBulk(await limitedTo(first, second), items);
  expect([refused.status, refused.body.error.details.field]).toEqual([400, 'services']);
  const { body } = await provisionInBulk(whole, items);
  expect(body.data.account_id).toBeNull();
  expect((await statusOf(await limitedTo(first), body.data.id)).status).toBe(404);
});

test('a bulk belongs to no account if an item that was refused is for another account, because its error has data of this account', async () => {
  const elsewhere = { location: { address: '1 Secret Street', city: 'Nowhere', state: 'AK', zip: '99999' } };
  const items = [lineItem({ account_id: first }), lineItem({ account_id: second, ...elsewhere })];
  const { status, body } = await provisionInBulk(whole, items);
  expect([status, body.data]).toMatchObject([
    201,
    { account_id: null, items: [{ status: 'pending' }, { error: { code: 'LOCATION_NOT_SERVICEABLE' } }] },
  ]);
  expect((await statusOf(await limitedTo(first), body.data.id)).status).toBe(404);
  const refused = await provisionInBulk(await limitedTo(first, second), items);
  expect([refused.status, refused.body.error.details.field]).toEqual([400, 'services']);
  const third = (await createAccount(whole)).id;
  await whole.rest('PUT', `/accounts/${third}`, { body: { status: 'suspended' } });
  const suspended = await provisionInBulk(whole, [lineItem({ account_id: first }), lineItem({ account_id: third })]);
  expect(suspended.body.data).toMatchObject({ account_id: null, items: [{}, { error: { code: 'ACCOUNT_SUSPENDED' } }] });
});

test('a network in a bulk cannot use the internet line of another account, as in a single order', async () => {
  const line = await serviceThatIs('operational', whole, second);
  const locations = ['a', 'b'].map((id) => ({ id, address: `${id} Street`, ...(id === 'a' && { service_id: line.id }) }));
  const network = { template: 'mpls_network', customizations: { bandwidth: '500mbps', topology: 'full_mesh', locations } };
  const { body } = await provisionInBulk(whole, [
    { ...network, account_id: first },
    { ...network, account_id: second },
  ]);
  expect(body.data.items).toMatchObject([{ status: 'failed', error: { code: 'SERVICE_CONFLICT' } }, { status: 'pending' }]);
});
