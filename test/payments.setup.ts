import { expect } from 'vitest';
import { type BilledTenant, createInvoice } from './billing.setup.ts';
import { booksOf } from './books.setup.ts';
import type { Json, RestResponse } from './tenant.ts';

/** Helper functions for the payments of one organization. */
export interface Till {
  newInvoice(unitPrice?: number, more?: object): Promise<Json>;
  /** Pays an invoice, by default the whole amount with `tok_visa`. */
  pay(invoice: Json, token?: string, more?: Json): Promise<RestResponse>;
  refund(paymentId: string, body?: Json): Promise<RestResponse>;
  invoice(id: string): Promise<Json>;
  payment(id: string): Promise<Json>;
  /** Returns the names and the data of billing events whose data contain a text, oldest first. */
  events(text: string): Promise<[string, Json][]>;
  /** Checks that the ledger agrees with the stored balances and the invoices. */
  audited(): Promise<void>;
}

export function tillOf(billed: BilledTenant): Till {
  const { tenant } = billed;
  const got = async (path: string): Promise<Json> => (await tenant.rest('GET', path)).body.data;
  return {
    newInvoice: (unitPrice = 100, more = {}) => createInvoice(billed, { quantity: 1, unit_price: unitPrice }, more),
    pay: ({ id, amount }, token = 'tok_visa', more = {}) =>
      tenant.rest('POST', '/billing/payments', { body: { invoice_id: id, amount, payment_method: { card_token: token }, ...more } }),
    refund: (id, body) => tenant.rest('POST', `/billing/payments/${id}/refund`, body ? { body } : {}),
    invoice: (id) => got(`/billing/invoices/${id}`),
    payment: (id) => got(`/billing/payments/${id}`),
    async events(text) {
      const query = '{ events(filter: { event: ["payment.*", "invoice.*"] }, page: { limit: 200 }) { nodes { event payload } } }';
      const { data } = await tenant.graphql(query);
      const found: Json[] = data.events.nodes.filter(({ payload }: Json) => payload.includes(text));
      return found.reverse().map(({ event, payload }) => [event, JSON.parse(payload).data]);
    },
    async audited() {
      const { receivable, credit } = await booksOf(tenant.organizationId);
      expect(receivable.balances).toEqual(receivable.ledger);
      expect(receivable.invoices).toEqual(receivable.ledger);
      expect(credit.balances).toEqual(credit.ledger);
      const { data, errors } = await tenant.graphql(
        '{ ledgerAudit { accounts next differences { accountId ledgerAccount posted recorded } } }',
      );
      expect(errors).toBeUndefined();
      expect(data.ledgerAudit).toMatchObject({ next: null, differences: [] });
    },
  };
}
