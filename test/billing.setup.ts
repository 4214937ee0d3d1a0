import { eventually, rig } from './rig.ts';
import type { Json, Tenant } from './tenant.ts';

export const LOCATION = { address: '350 Fifth Avenue', city: 'New York', state: 'NY', zip: '10118' };

export async function createAccount(tenant: Tenant, name = 'Acme Corporation'): Promise<Json> {
  const { status, body } = await tenant.rest('POST', '/accounts', { body: { name, email: 'it@acme.example.com' } });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data;
}

/** Orders an internet service and waits until it is provisioned and has its first invoice. */
export async function orderService(tenant: Tenant, accountId: string, order: object = {}): Promise<{ service: Json; firstInvoice: Json }> {
  const service = await placeOrder(tenant, accountId, order);
  const firstInvoice = await eventually(async () => {
    const { body } = await tenant.rest('GET', `/billing/invoices?account_id=${accountId}&limit=200`);
    return body.invoices.find(({ services }: Json) => services.some((line: Json) => line.service_id === service.id));
  });
  return { service, firstInvoice };
}

async function placeOrder(tenant: Tenant, accountId: string, order: object): Promise<Json> {
  const body = {
    account_id: accountId,
    service_type: 'fiber',
    bandwidth: '500mbps',
    location: LOCATION,
    sla: 'enterprise',
    billing_cycle: 'monthly',
    ...order,
  };
  const { status, body: answer } = await tenant.rest('POST', '/connectivity/internet', { body });
  if (status !== 201) throw new Error(JSON.stringify(answer));
  return answer.data;
}

export interface BilledTenant {
  tenant: Tenant;
  accountId: string;
  serviceId: string;
  firstInvoice: Json;
}

/** Creates an organization with an account, a service of the account, and the first invoice of the service (INV-1001). */
export async function billedTenant(): Promise<BilledTenant> {
  // a plan without limits, because waiting sends many requests
  const tenant = await (await rig()).organization({ plan: 'custom' });
  const { id: accountId } = await createAccount(tenant);
  const { service, firstInvoice } = await orderService(tenant, accountId);
  return { tenant, accountId, serviceId: service.id, firstInvoice };
}

export interface Line {
  service_id?: string;
  quantity?: number;
  unit_price?: number;
}

/** Returns the request body for an invoice with one line item, by default 3 units at 0.10 each. */
export const invoiceBody = (
  { accountId, serviceId }: Pick<BilledTenant, 'accountId' | 'serviceId'>,
  line: Line = {},
  more: object = {},
): Json => ({
  account_id: accountId,
  services: [{ service_id: serviceId, quantity: 3, unit_price: 0.1, ...line }],
  ...more,
});

export async function createInvoice(billed: BilledTenant, line: Line = {}, more: object = {}): Promise<Json> {
  const { status, body } = await billed.tenant.rest('POST', '/billing/invoices', { body: invoiceBody(billed, line, more) });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data;
}

/** Pays all open invoices of the account, so that its credit is not used for them. */
export async function payOpenInvoices({ tenant, accountId }: Pick<BilledTenant, 'tenant' | 'accountId'>): Promise<void> {
  const open = `/billing/invoices?account_id=${accountId}&status=pending,overdue&limit=200`;
  for (const { id, amount_due } of (await tenant.rest('GET', open)).body.invoices) {
    const body = { invoice_id: id, amount: amount_due, payment_method: { card_token: 'tok_visa' } };
    const { status, body: answer } = await tenant.rest('POST', '/billing/payments', { body });
    // a payment whose outcome is unknown will pay it
    if (status !== 201 && answer.error.code !== 'DUPLICATE_PAYMENT') throw new Error(JSON.stringify(answer));
  }
}
