import { del, get, post, put, view } from '../route.ts';

const METHOD = 'id type brand last4 expiresMonth expiresYear reusable status billingAddress { street city state zip country } createdAt';
const account = view(
  'BillingAccount',
  `{
    accountId currency billingCycle autoPay paymentMethodId invoiceDelivery billingDay taxId revision updatedAt
    balances { currency due overdue credit } dunning { state since } paymentMethods { payment_method_id: ${METHOD} }
    nextInvoice { date estimate currency }
  }`,
);
const method = view('PaymentMethod', `{ payment_method_id: ${METHOD} }`);
const PATH = '/billing/accounts/{account_id}';

/** REST routes of billing preferences, balances and payment methods of accounts (specification 4.5). */
export const billingAccountRoutes = [
  get('getBillingAccount', PATH, 'billingAccount', {
    summary: 'Get the billing account of an account',
    description:
      'Returns the billing preferences of an account, its balance in each currency, and its payment methods. An account that has not changed its preferences has the defaults.',
    category: 'billing',
    resource: 'account',
    names: { account_id: 'accountId' },
    select: account,
  }),
  put('updateBillingPreferences', `${PATH}/preferences`, 'updateBillingPreferences', {
    summary: 'Update billing preferences',
    description:
      'Changes the billing preferences of an account. Omit a field to keep its value. If you set a payment method, you allow the platform to charge it for later invoices while `auto_pay` is true.',
    category: 'billing',
    resource: 'account',
    names: { account_id: 'accountId' },
    errors: {
      INVALID_STATE: 'automatic payment lacks a payment method that can be charged again, or services were billed in the present currency',
    },
    select: account,
    example: { billing_cycle: 'monthly', auto_pay: false, invoice_delivery: 'email' },
  }),
  post('addPaymentMethod', `${PATH}/payment-methods`, 'addPaymentMethod', {
    summary: 'Add a payment method',
    description: 'Stores the payment method that a token identifies. Nothing is charged. The same card of an account is stored once.',
    category: 'billing',
    addition: true,
    resource: 'account',
    names: { account_id: 'accountId' },
    errors: {
      PAYMENT_DECLINED: 'the payment processor refused the payment method',
    },
    select: method,
    example: { type: 'credit_card', card_token: 'tok_visa' },
  }),
  del('detachPaymentMethod', `${PATH}/payment-methods/{payment_method_id}`, 'detachPaymentMethod', {
    summary: 'Detach a payment method',
    description:
      'Detaches a payment method from its account, so that it cannot be charged any more. Earlier payments still show it, and can be refunded.',
    category: 'billing',
    addition: true,
    names: { account_id: 'accountId' },
    errors: { INVALID_STATE: 'the payment method pays the invoices of the account automatically' },
    select: method,
  }),
];
