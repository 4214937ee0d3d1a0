import { withFieldNames, withoutPrefix } from '../../../kernel/errors/field-names.ts';
import type { BillingCycle } from '../../../kernel/values/billing-cycle.ts';
import type { ServiceLocation } from '../coverage/location.ts';
import type { Service } from '../inventory/service.entity.ts';
import type { ServiceContacts } from '../inventory/service-contacts.ts';
import type { Configuration } from '../inventory/service-terms.ts';

/** An order that must be checked. The check of the location is skipped if `location` is null. */
export interface OrderDraft {
  /** Catalog service, by its id or by its service type. */
  catalog: { id: string } | { serviceType: string };
  bandwidth?: string | null | undefined;
  sla?: string | null | undefined;
  features?: readonly string[] | null | undefined;
  configuration?: Configuration | null | undefined;
  /** Account of the service. Null or undefined if it is not known yet. */
  accountId?: string | null | undefined;
  location: ServiceLocation | null;
}

/** Data that a new service needs in addition to the terms of the order. */
export interface OrderParticulars {
  accountId: string;
  location: ServiceLocation | null;
  billingCycle: BillingCycle;
  /** Name of the service. Default: the name of the catalog service, and the address. */
  name?: string | null | undefined;
  contacts?: ServiceContacts | null | undefined;
}

/** An order with everything that it needs, and optionally a quote whose prices it uses. */
export interface Order extends OrderDraft, Omit<OrderParticulars, 'accountId' | 'billingCycle'> {
  /** Billing cycle. Default: the billing cycle of the quote, otherwise the billing cycle of the account's billing preferences. */
  billingCycle?: BillingCycle | null | undefined;
  accountId?: string | null | undefined;
  quoteId?: string | null | undefined;
  /** Position of the line within the quote. Default: the first available line of the catalog service that has not been ordered yet. */
  quoteLine?: number | null | undefined;
}

/** The typed order of a product. It is a field of `ServiceOrderInput` with the name of the product, such as `network`. */
export interface ProductOrder<I extends object = object> {
  readonly input: new () => I;
  /**
   * Orders the product.
   * @throws InvalidParameters, which names the fields as the input does; other errors of `OrderService.order`
   */
  place(orders: { order(order: Order): Promise<Service> }, input: I): Promise<Service>;
}

/**
 * Declares the typed order of a product. `orderOf` returns the order, with the settings of the product in its `configuration`. `names` maps
 * fields of the order to fields of the input, if their names differ.
 */
export const productOrder = <I extends object>(
  input: new () => I,
  orderOf: (input: I) => Order,
  names: Readonly<Record<string, string>> = {},
): ProductOrder<I> => ({
  input,
  place: (orders, given) => orders.order(orderOf(given)).catch(withoutPrefix('configuration')).catch(withFieldNames(names)),
});
