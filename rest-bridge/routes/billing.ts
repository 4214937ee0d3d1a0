import { area, get, post, put, view } from '../route.ts';
import { billingAccountRoutes } from './billing-accounts.ts';

const payment = view(
  'Payment',
  `{
    payment_id: id invoiceId accountId status origin attempt amount currency amountRefunded amountRefundable amountDisputed
    paymentMethod { id type brand last4 expiresMonth expiresYear reusable } processor simulated
    transactionId declineCode declineIsFinal refunds { refund_id: id status amount taxAmount reason declineCode processedAt createdAt }
    disputes { dispute_id: id status amount amountReopened reason closedAt createdAt }
    processedAt createdAt updatedAt
  }`,
);
const refund = view(
  'Refund',
  '{ refund_id: id paymentId status amount taxAmount currency reason declineCode processedAt createdAt updatedAt }',
);
const paymentErrors = {
  INSUFFICIENT_FUNDS: 'the payment method lacks funds',
  PAYMENT_DECLINED: 'the payment processor declined the payment',
  DUPLICATE_PAYMENT: 'the invoice is paid, or another payment for the same amount is in progress or was just made',
  INVALID_STATE: 'the invoice is cancelled',
} as const;

/** REST routes of invoices (specification 4.5). */
export const billing = area(
  'Billing',
  'Invoices, payments, usage, costs and recurring billing.',
  [
    // the operation has no cursor parameter, because the format of this list has no field for the next cursor
    get('listInvoices', '/billing/invoices', 'invoices', {
      summary: 'List invoices',
      wrap: 'invoices',
      list: 'invoices',
      category: 'billing',
      omit: ['cursor'],
    }),
    get('getInvoice', '/billing/invoices/{invoice_id}', 'invoice', { summary: 'Get an invoice', category: 'billing' }),
    post('createInvoice', '/billing/invoices', 'createInvoice', {
      summary: 'Create an invoice',
      category: 'billing',
      example: {
        account_id: 'acc_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        services: [{ service_id: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G', quantity: 1, unit_price: 149.95 }],
        due_date: '2030-01-31T00:00:00Z',
        notes: 'Installation included',
      },
    }),
    put('updateInvoice', '/billing/invoices/{invoice_id}', 'updateInvoice', {
      summary: 'Update an invoice',
      description:
        'Changes the notes, the due date or the lines of an invoice, or cancels it. Lines can be changed only if a request created the invoice, it is pending and was not sent yet, and nothing was paid. A cancelled invoice keeps its number.',
      category: 'billing',
      errors: { INVALID_STATE: 'something was paid, a payment is in progress, or the invoice is paid or cancelled' },
      example: {
        notes: 'Purchase order 4711',
        due_date: '2030-02-28T00:00:00Z',
        services: [{ service_id: 'svc_01JQ8Z6V4T9M3N2B1C0D9E8F7G', quantity: 1, unit_price: 149.95 }],
      },
    }),
    get('listPayments', '/billing/payments', 'payments', {
      summary: 'List payments',
      category: 'billing',
      select: payment,
    }),
    get('getPayment', '/billing/payments/{payment_id}', 'payment', { summary: 'Get a payment', category: 'billing', select: payment }),
    post('createPayment', '/billing/payments', 'createPayment', {
      summary: 'Pay an invoice',
      description:
        'Charges a payment method for an invoice, or for a part of it. If the payment processor has not reported the outcome yet, the payment is `pending`, and no other payment can pay its amount of the invoice. Later, the event `payment.successful` or `payment.failed` reports the outcome. The token `tok_visa` pays at the simulated payment processor.',
      category: 'billing',
      errors: paymentErrors,
      select: payment,
      example: {
        invoice_id: 'inv_01JQ8Z6V4T9M3N2B1C0D9E8F7G',
        amount: 149.95,
        payment_method: { type: 'credit_card', card_token: 'tok_visa' },
      },
    }),
    post('refundPayment', '/billing/payments/{payment_id}/refund', 'refundPayment', {
      summary: 'Refund a payment',
      description:
        'Refunds a payment, or a part of it. If you omit `amount`, the amount that was not refunded yet is refunded. A refund does not reopen the invoice. If the payment processor has not reported the outcome, the refund is `pending`.',
      category: 'billing',
      errors: {
        INVALID_STATE: 'the payment is not successful, or it is disputed',
        PAYMENT_DECLINED: 'the payment processor declined the refund',
      },
      select: refund,
      example: { amount: 49.95, reason: 'Installation was late' },
    }),
    ...billingAccountRoutes,
  ],
  'Billing',
);
