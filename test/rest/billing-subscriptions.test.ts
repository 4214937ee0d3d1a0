import { beforeAll, describe, expect, test } from 'vitest';
import { type BilledTenant, billedTenant, createAccount, createInvoice, orderService } from '../billing.setup.ts';
import { clock, eventually, rig } from '../rig.ts';
import type { Json, RestResponse } from '../tenant.ts';

const DAY_MS = 24 * 3600 * 1000;
const later = (days: number): string => new Date(clock.now().getTime() + days * DAY_MS).toISOString();

let billed: BilledTenant;
beforeAll(async () => {
  billed = await billedTenant();
});

/** Creates a service for a single test, so that tests do not change the service of another test. */
async function billedService(): Promise<{ accountId: string; serviceId: string }> {
  const accountId = (await createAccount(billed.tenant)).id;
  const { service } = await orderService(billed.tenant, accountId);
  return { accountId, serviceId: service.id };
}

const create = (accountId: string, serviceId: string, more: object = {}): Promise<RestResponse> =>
  billed.tenant.rest('POST', '/billing/recurring', { body: { account_id: accountId, services: [{ service_id: serviceId }], ...more } });
const subscriptionsOf = async (accountId: string): Promise<Json[]> =>
  (await billed.tenant.rest('GET', `/billing/subscriptions?account_id=${accountId}`)).body.data;

describe('recurring billing over REST', () => {
  test('a provisioned service is in the automatic subscription of its account', async () => {
    const [automatic] = await subscriptionsOf(billed.accountId);
    expect(automatic).toMatchObject({ kind: 'automatic', status: 'active', currency: 'USD', end_date: null });
    expect(automatic?.services).toMatchObject([
      { service_id: billed.serviceId, billing_cycle: 'monthly', auto_renew: true, ended_at: null },
    ]);
    expect(automatic?.next_invoice_date).toBe(automatic?.services[0].period_end);
    const refused = await billed.tenant.rest('DELETE', `/billing/subscriptions/${automatic?.subscription_id}`);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'INVALID_STATE']);
  });

  test('a subscription that starts in a week for a service whose month is already billed can be created and cancelled', async () => {
    const { accountId, serviceId } = await billedService();
    const start_date = later(7);
    const { status, body } = await create(accountId, serviceId, { start_date });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ kind: 'agreed', status: 'active', start_date: `${start_date.slice(0, 10)}T00:00:00.000Z` });
    expect((await create(accountId, serviceId, { start_date })).status).toBe(409);
    const cancelled = await billed.tenant.rest('DELETE', `/billing/subscriptions/${body.data.subscription_id}`);
    expect([cancelled.status, cancelled.body.data.status, typeof cancelled.body.data.end_date]).toEqual([200, 'cancelled', 'string']);
    const again = await billed.tenant.rest('DELETE', `/billing/subscriptions/${body.data.subscription_id}`);
    expect(again.status).toBe(409);
  });

  test('if several requests create a subscription for one service concurrently, one succeeds', async () => {
    const { accountId, serviceId } = await billedService();
    const responses = await Promise.all(Array.from({ length: 6 }, () => create(accountId, serviceId, { start_date: later(3) })));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
  });

  test('a subscription that starts today bills its service, and after its cancellation the automatic subscription bills the service again', async () => {
    const { accountId, serviceId } = await billedService();
    const { body } = await create(accountId, serviceId, {
      services: [{ service_id: serviceId, billing_cycle: 'quarterly' }],
      start_date: clock.now().toISOString(),
    });
    const path = `/billing/subscriptions/${body.data.subscription_id}`;
    const agreed = await waitFor(accountId, ({ kind, services }) => kind === 'agreed' && services[0].period_end !== null);
    expect(agreed.services).toMatchObject([{ service_id: serviceId, billing_cycle: 'quarterly' }]);
    const invoices = (await billed.tenant.rest('GET', `/billing/invoices?account_id=${accountId}`)).body.invoices;
    expect(invoices[0].services[0]).toMatchObject({ service_id: serviceId, quantity: 3 });
    const cancelled = await billed.tenant.rest('DELETE', path);
    expect(cancelled.body.data.end_date).toBe(agreed.services[0].period_end);
    const resumed = await billed.tenant.rest('PUT', path, { body: { status: 'active' } });
    expect([resumed.status, resumed.body.data.status, resumed.body.data.end_date]).toEqual([200, 'active', null]);
    const ended = await billed.tenant.rest('DELETE', `${path}?at=now`);
    expect([ended.status, ended.body.data.services[0].ended_at]).toEqual([200, ended.body.data.end_date]);
    const automatic = await waitFor(accountId, ({ kind, status }) => kind === 'automatic' && status === 'active');
    expect(automatic.services).toMatchObject([{ service_id: serviceId, billing_cycle: 'monthly' }]);
    expect((await billed.tenant.rest('PUT', path, { body: { status: 'active' } })).status).toBe(409);
    const { data } = await billed.tenant.graphql('query($id: ID!) { account(id: $id) { credits { cause } } }', {
      id: accountId,
    });
    // the service has not ended; another subscription bills it
    expect(data.account.credits).toEqual([{ cause: 'PRORATION' }, { cause: 'PRORATION' }]);
  });

  test('a subscription without renewal ends after one period of its service', async () => {
    const { accountId, serviceId } = await billedService();
    const services = [{ service_id: serviceId, auto_renew: false }];
    const { body } = await create(accountId, serviceId, { services, start_date: clock.now().toISOString() });
    const taken = await waitFor(accountId, ({ kind, services: [item] }) => kind === 'agreed' && item.period_end !== null);
    expect(taken.services).toMatchObject([{ period_start: body.data.start_date, ended_at: null }]);
    expect(new Date(taken.services[0].period_end).getTime()).toBeLessThan(clock.now().getTime() + 32 * DAY_MS);
  });

  test('if another subscription of a service ended earlier today, a subscription that starts today bills the service only from that time', async () => {
    const { accountId, serviceId } = await billedService();
    const start_date = clock.now().toISOString();
    const isBilled = ({ kind, status, services }: Json): boolean =>
      kind === 'agreed' && status === 'active' && services[0].period_end !== null;
    await create(accountId, serviceId, { start_date });
    const first = await waitFor(accountId, isBilled);
    const ended = await billed.tenant.rest('DELETE', `/billing/subscriptions/${first.subscription_id}?at=now`);
    expect((await create(accountId, serviceId, { start_date })).status).toBe(201);
    const second = await waitFor(accountId, isBilled);
    expect(second.services[0].period_start).toBe(ended.body.data.end_date);
  });

  test('an invalid subscription is refused with all of its problems, and records of other organizations are not found', async () => {
    const { accountId, serviceId } = await billedService();
    const other = await create(accountId, billed.serviceId);
    expect(other.body.error.details).toMatchObject({ field: 'services.0.service_id', reason: `is not a service of ${accountId}` });
    expect((await create(accountId, serviceId, { start_date: later(-2) })).body.error.details.reason).toBe('must not be before today');
    expect((await create(accountId, 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G')).status).toBe(404);
    expect((await create(accountId, serviceId, { payment_method_id: 'pm_01JQ8Z6V4T9M3N2B1C0D9E8F7G' })).status).toBe(404);
    const twice = await create(accountId, serviceId, { services: [{ service_id: serviceId }, { service_id: serviceId }] });
    expect(twice.status).toBe(400);
    const foreign = await (await rig()).organization({ plan: 'custom' });
    const [{ subscription_id }] = (await subscriptionsOf(accountId)) as [Json];
    expect((await foreign.rest('PUT', `/billing/subscriptions/${subscription_id}`, { body: { auto_renew: true } })).status).toBe(404);
    expect((await foreign.rest('DELETE', `/billing/subscriptions/${subscription_id}`)).status).toBe(404);
  });

  test('the terms of a subscription can be changed with If-Match, and a stale revision is refused', async () => {
    const { accountId, serviceId } = await billedService();
    const { body } = await create(accountId, serviceId, { start_date: later(7) });
    const path = `/billing/subscriptions/${body.data.subscription_id}`;
    const changed = await billed.tenant.rest('PUT', path, { body: { services: [{ service_id: serviceId, billing_cycle: 'annual' }] } });
    expect(changed.body.data.services).toMatchObject([{ billing_cycle: 'annual', auto_renew: true }]);
    const stale = await billed.tenant.graphql(
      'mutation($id: ID!, $revision: Int) { updateSubscription(id: $id, input: { autoRenew: false }, expectedRevision: $revision) { id } }',
      { id: body.data.subscription_id, revision: body.data.revision },
    );
    expect(stale.errors?.[0]?.extensions.code).toBe('STALE_RESOURCE');
  });

  test('a preview shows the next invoice and stores nothing', async () => {
    const { accountId, serviceId } = await billedService();
    await createInvoice({ ...billed, accountId, serviceId });
    const query = `query($id: ID!) {
      invoicePreview(accountId: $id) { date currency amount lines { serviceId kind amount } }
      account(id: $id) { subscriptions { id revision items { serviceId nextDate } } invoices { id } }
    }`;
    const first = await billed.tenant.graphql(query, { id: accountId });
    expect(first.data.invoicePreview).toMatchObject([{ currency: 'USD', lines: [{ serviceId, kind: 'RECURRING' }] }]);
    expect((await billed.tenant.graphql(query, { id: accountId })).data).toEqual(first.data);
  });
});

/** Waits until a subscription of an account meets a condition, because the recurring run bills in the background. */
const waitFor = (accountId: string, is: (subscription: Json) => boolean): Promise<Json> =>
  eventually(async () => (await subscriptionsOf(accountId)).find(is));
