import type { Recipient } from '../../../kernel/messages/mail-document.ts';
import type { Customer } from '../customers/customer.ts';

/**
 * Returns the recipient of the invoices of a customer: the billing contact or, if it has no address, the customer. Null
 * if neither has an address.
 */
export function recipientOf({ billingContact, name, email }: Customer): Recipient | null {
  if (billingContact?.email) return { email: billingContact.email, name: billingContact.name };
  return email === '' ? null : { email, name };
}
