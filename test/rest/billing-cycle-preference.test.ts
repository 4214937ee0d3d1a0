import { beforeAll, expect, test } from 'vitest';
import { LOCATION } from '../billing.setup.ts';
import { bulkOf, lineItem, provisionInBulk } from '../bulk.setup.ts';
import { completeRequest, requested } from '../provisioning.setup.ts';
import { internetOrder, placeOrder, tenantWithAccount } from '../services.setup.ts';
import type { Json, Tenant } from '../tenant.ts';

let tenant: Tenant;
let accountId: string;
beforeAll(async () => {
  ({ tenant, accountId } = await tenantWithAccount());
  const changed = await tenant.rest('PUT', `/billing/accounts/${accountId}/preferences`, { body: { billing_cycle: 'quarterly' } });
  expect(changed.status).toBe(200);
});

const cycleOf = async (serviceId: string): Promise<string> => (await tenant.rest('GET', `/services/${serviceId}`)).body.data.billing_cycle;
const created = async (path: string, body: object): Promise<Json> => {
  const answer = await tenant.rest('POST', path, { body });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data;
};
const FIBER = { type: 'fiber', bandwidth: '1gbps', location: LOCATION };

test("an order without a billing cycle gets the billing cycle of the account's preferences, and an order with a billing cycle keeps it", async () => {
  const { billing_cycle: _, ...order } = internetOrder(accountId);
  expect((await created('/connectivity/internet', order)).billing_cycle).toBe('quarterly');
  const general = await created('/services', {
    catalog_id: 'business_fiber',
    account_id: accountId,
    bandwidth: '1gbps',
    location: LOCATION,
  });
  expect(general.billing_cycle).toBe('quarterly');
  expect((await placeOrder(tenant, accountId, { billing_cycle: 'annual' })).body.data.billing_cycle).toBe('annual');
});

test("a key without permission to read billing orders with the billing cycle of the account's preferences", async () => {
  const orderer = await tenant.limitedTo('services:create', 'services:read', 'accounts:read');
  const { billing_cycle: _, ...order } = internetOrder(accountId);
  const { status, body } = await orderer.rest('POST', '/connectivity/internet', { body: order });
  expect([status, body.data?.billing_cycle]).toEqual([201, 'quarterly']);
});

test("networks, bulk items and provisioning requests without a billing cycle get the billing cycle of the account's preferences", async () => {
  const locations = [
    { id: 'loc_hq', address: '350 Fifth Avenue', role: 'hub' },
    { id: 'loc_1', address: '1 Main Street', role: 'spoke' },
  ];
  const network = { network_type: 'mpls', topology: 'hub_and_spoke', locations, bandwidth: '500mbps', account_id: accountId };
  expect((await created('/connectivity/networks', network)).billing_cycle).toBe('quarterly');
  const { body } = await provisionInBulk(tenant, [
    lineItem({ account_id: accountId }),
    lineItem({ account_id: accountId, billing_cycle: 'monthly' }),
    lineItem(),
  ]);
  const ids: string[] = (await bulkOf(tenant, body.data.id)).services.map(({ service_id }: Json) => service_id);
  expect(await Promise.all(ids.map(cycleOf))).toEqual(['quarterly', 'monthly', 'monthly']);
  const { service_id } = await requested(tenant, completeRequest(accountId));
  expect(await cycleOf(service_id)).toBe('quarterly');
});

test("a quote gets the billing cycle of the account's preferences, and an order with the quote gets the billing cycle of the quote", async () => {
  const quote = await created('/services/quotes', { account_id: accountId, services: [FIBER] });
  expect(quote.billing_cycle).toBe('quarterly');
  const annual = await created('/services/quotes', { account_id: accountId, services: [FIBER], billing_preferences: { cycle: 'annual' } });
  expect(annual.billing_cycle).toBe('annual');
  const { billing_cycle: _, sla: __, ...order } = internetOrder(accountId);
  expect((await created('/connectivity/internet', { ...order, quote_id: annual.id })).billing_cycle).toBe('annual');
});
