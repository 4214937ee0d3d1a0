import { expect } from 'vitest';
import { type BilledTenant, createInvoice } from './billing.setup.ts';
import { booksOf } from './books.setup.ts';
import type { Json, Tenant } from './tenant.ts';

/** Runs a GraphQL operation that must succeed, and returns its first field. */
export async function run(caller: Tenant, query: string, variables: Json = {}): Promise<Json> {
  const { data, errors } = await caller.graphql(query, variables);
  expect(errors, JSON.stringify(errors)).toBeUndefined();
  return Object.values(data as Json)[0];
}

/** Runs a GraphQL operation that must fail, and returns the code and the details of its first error. */
export async function refused(caller: Tenant, query: string, variables: Json = {}): Promise<Json> {
  const { errors, data } = await caller.graphql(query, variables);
  expect(errors, JSON.stringify(data)).toBeDefined();
  const { code, details } = ((errors ?? [])[0] as Json).extensions;
  return { code, ...details };
}

const CREDIT_NOTE = `id number cause net tax amount amountToInvoice amountToAccount currency reason
  taxes { name percent taxable amount reason } lines { position net } invoice { id status } account { id }`;
export const CREATE_CREDIT_NOTE = `mutation ($input: CreditNoteInput!) { createCreditNote(input: $input) { ${CREDIT_NOTE} } }`;
export const GRANT = `mutation ($accountId: ID!, $input: CreditInput!) { grantCredit(accountId: $accountId, input: $input) { ${CREDIT_NOTE} } }`;
export const WRITE_OFF =
  'mutation ($id: ID!, $input: WriteOffInput!) { writeOffInvoice(id: $id, input: $input) { id status amountWrittenOff writeOffReason amountDue } }';
export const CREATE_RATE = `mutation ($input: TaxRateInput!) { createTaxRate(input: $input) { id name percent country region category validFrom validTo } }`;
export const UPDATE_RATE = `mutation ($id: ID!, $input: TaxRateUpdateInput!) { updateTaxRate(id: $id, input: $input) { id name percent validTo } }`;
export const EXEMPT = `mutation ($accountId: ID!, $input: TaxExemptionInput) { setTaxExemption(accountId: $accountId, input: $input) { reason taxId } }`;

export const creditNote = (caller: Tenant, invoiceId: string, lines?: Json[], reason?: string): Promise<Json> =>
  run(caller, CREATE_CREDIT_NOTE, { input: { invoiceId, lines, reason } });
export const grant = (caller: Tenant, accountId: string, amount: number, currency = 'USD'): Promise<Json> =>
  run(caller, GRANT, { accountId, input: { amount, currency, reason: 'An apology' } });
export const taxRate = (caller: Tenant, more: Json = {}): Promise<Json> =>
  run(caller, CREATE_RATE, { input: { name: 'VAT', percent: 20, country: 'US', validFrom: '2020-01-01', ...more } });

export const invoiceOf = async (caller: Tenant, id: string): Promise<Json> =>
  (await caller.rest('GET', `/billing/invoices/${id}`)).body.data;
export const pay = (caller: Tenant, invoiceId: string, amount: number, token = 'tok_visa') =>
  caller.rest('POST', '/billing/payments', { body: { invoice_id: invoiceId, amount, payment_method: { card_token: token } } });
export const newInvoice = (billed: BilledTenant, ...prices: number[]): Promise<Json> => {
  const services = prices.map((unit_price) => ({ service_id: billed.serviceId, quantity: 1, unit_price }));
  return createInvoice(billed, {}, { services });
};

/** Gives an account an address, because taxes depend on it. */
export async function moveTo(billed: BilledTenant, country: string, state: string | null = null): Promise<void> {
  const billing_address = { street: '1 Main Street', city: 'Town', state, country };
  const { status, body } = await billed.tenant.rest('PUT', `/accounts/${billed.accountId}`, { body: { billing_address } });
  expect(status, JSON.stringify(body)).toBe(200);
}

/** Checks that the ledger, the balances and the documents of the organization agree. */
export async function audited(organizationId: string): Promise<void> {
  const { receivable, credit, tax, creditNotes } = await booksOf(organizationId);
  expect(receivable.balances).toEqual(receivable.ledger);
  expect(receivable.invoices).toEqual(receivable.ledger);
  expect(credit.balances).toEqual(credit.ledger);
  expect(tax.documents).toEqual(tax.ledger);
  expect(creditNotes.documents).toEqual(creditNotes.invoices);
}
