import { beforeAll, describe, expect, test } from 'vitest';
import type { LoggedEvent, Reaction } from '../../kernel/events/events.ts';
import { newId } from '../../kernel/records/ids.ts';
import { billedTenant, createAccount, orderService } from '../billing.setup.ts';
import { rig } from '../rig.ts';
import type { Json, Tenant } from '../tenant.ts';

const DAY_MS = 24 * 3600 * 1000;

describe('first invoice of a service', () => {
  test('an ordered service gets an invoice for its first month and its installation when it is provisioned', async () => {
    const { tenant, accountId, serviceId, firstInvoice } = await billedTenant();
    const { data } = await tenant.graphql('query($id: ID!) { service(id: $id) { name monthlyPrice oneTimeFee currency provisionedAt } }', {
      id: serviceId,
    });
    const { name, monthlyPrice, oneTimeFee, currency, provisionedAt } = data.service;
    expect(firstInvoice).toMatchObject({ account_id: accountId, status: 'pending', currency, paid_date: null });
    expect(firstInvoice.amount).toBe(monthlyPrice + oneTimeFee);
    expect(Date.parse(firstInvoice.due_date) - Date.parse(firstInvoice.created_at)).toBe(30 * DAY_MS);
    const description = expect.stringContaining(`${name}, ${provisionedAt.slice(0, 10)} to `);
    expect(firstInvoice.services).toMatchObject([
      { service_id: serviceId, description, kind: 'recurring', quantity: 1, unit_price: monthlyPrice, amount: monthlyPrice },
      { service_id: serviceId, description: `${name}, installation`, kind: 'fee', quantity: 1, amount: oneTimeFee },
    ]);
  });

  test.each([
    ['quarterly', 3],
    ['annual', 12],
  ])('the first invoice of a service with %s billing covers %i months and the installation', async (billing_cycle, months) => {
    const tenant = await (await rig()).organization({ plan: 'custom' });
    const { firstInvoice } = await orderService(tenant, (await createAccount(tenant)).id, { billing_cycle });
    const [line, fee] = firstInvoice.services;
    expect(line.quantity).toBe(months);
    expect(firstInvoice.amount).toBe(Math.round((line.unit_price * months + fee.amount) * 100) / 100);
  });
});

describe('service.provisioned reaction', () => {
  let reaction: Reaction;
  beforeAll(async () => {
    const { domains } = (await rig()).assembly;
    reaction = domains.billing.reactions?.find(({ on }) => on === 'service.provisioned') as Reaction;
  });

  test('a service.provisioned event that is handled many times concurrently creates one invoice', async () => {
    const { tenant, event } = await provisionedEvent({ amount: 149.95 });
    await Promise.all(Array.from({ length: 20 }, () => reaction.handle(event)));
    await reaction.handle(event);
    expect(await invoicesOf(tenant)).toMatchObject([{ number: 'INV-1001', amount: 149.95 }]);
  });

  test('service.provisioned events of six services create six invoices with consecutive numbers', async () => {
    const { tenant, event } = await provisionedEvent({ amount: 10 });
    const others = await Promise.all(Array.from({ length: 5 }, () => eventOf(tenant, { amount: 20 })));
    await Promise.all([event, ...others, event, ...others].map((each) => reaction.handle(each)));
    const numbers = (await invoicesOf(tenant)).map(({ number }) => number).sort();
    expect(numbers).toEqual(['INV-1001', 'INV-1002', 'INV-1003', 'INV-1004', 'INV-1005', 'INV-1006']);
  });

  test('the invoice for a service.provisioned event keeps all decimal places that the currency of the service has', async () => {
    const { tenant, event } = await provisionedEvent({ amount: 33.335, currency: 'KWD', billing_cycle: 'quarterly' });
    await reaction.handle(event);
    expect(await invoicesOf(tenant)).toMatchObject([{ amount: 100.005, currency: 'KWD' }]);
  });

  test('a service.provisioned event with an unknown field creates an invoice', async () => {
    const { tenant, event } = await provisionedEvent({ amount: 1, more: { tomorrow: true } });
    await reaction.handle(event);
    expect(await invoicesOf(tenant)).toHaveLength(1);
  });

  test('handling an invalid service.provisioned event throws an error and creates no invoice', async () => {
    const { tenant, event } = await provisionedEvent({ amount: 1 });
    const broken = { ...event, payload: event.payload.replace('"unit":"month"', '"unit":"fortnight"') };
    await expect(reaction.handle(broken)).rejects.toThrow();
    expect(await invoicesOf(tenant)).toEqual([]);
    await reaction.handle(event);
    expect(await invoicesOf(tenant)).toHaveLength(1);
  });

  test('a service.provisioned event for an account that no longer exists creates no invoice and is not retried', async () => {
    const { tenant, event } = await provisionedEvent({ amount: 1, account: newId('account') });
    await reaction.handle(event);
    expect(await invoicesOf(tenant)).toEqual([]);
  });

  async function provisionedEvent(of: Provisioned): Promise<{ tenant: Tenant; event: LoggedEvent }> {
    const tenant = await (await rig()).organization();
    return { tenant, event: await eventOf(tenant, of) };
  }
});

interface Provisioned {
  amount: number;
  currency?: string;
  billing_cycle?: string;
  /** Account of the service. Default: a new account. */
  account?: string;
  more?: object;
}

/** A `service.provisioned` event as a consumer reads it from the log, for a service that exists only in the event. */
async function eventOf(
  tenant: Tenant,
  { amount, currency = 'USD', billing_cycle = 'monthly', account, more = {} }: Provisioned,
): Promise<LoggedEvent> {
  const { organizationId } = tenant;
  const [id, occurredAt] = [newId('event'), (await rig()).clock.now()];
  const timestamp = occurredAt.toISOString();
  const service = {
    ...{
      id: newId('service'),
      account_id: account ?? (await createAccount(tenant)).id,
      type: 'internet',
      service_type: 'fiber',
      name: 'Business Fiber',
      status: 'operational',
    },
    ...{ bandwidth: '500mbps', sla: 'enterprise', billing_cycle, price: { amount, currency, unit: 'month' } },
    ...{ created_at: timestamp, updated_at: timestamp, provisioned_at: timestamp, ...more },
  };
  const envelope = { id, event: 'service.provisioned', timestamp, organization_id: organizationId, data: { service } };
  const subject = { type: 'Service', id: service.id };
  return {
    id,
    sequence: '1',
    organizationId,
    event: 'service.provisioned',
    subject,
    accountId: null,
    occurredAt,
    payload: JSON.stringify(envelope),
  };
}

const invoicesOf = async (tenant: Tenant): Promise<Json[]> => (await tenant.rest('GET', '/billing/invoices')).body.invoices;
